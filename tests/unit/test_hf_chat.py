"""Vectors beside words in a frozen language model. Needs torch; skipped by name without."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from qgmem.errors import InvalidInput
from qgmem.models.chat import ChatAnswer, ChatModel, ChatRequest
from qgmem.models.hf_chat import DAY, HfChat, Prompt

torch = pytest.importorskip("torch", reason="needs torch: pip install 'qgmem[graph]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'qgmem[graph]'")

from tiny_models import KINDS, tiny  # noqa: E402 - needs what may be missing


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> HfChat:
    return HfChat(tiny(request.param, tmp_path_factory.mktemp("models")), threads=1)


def shown(model: HfChat, prompt: Prompt) -> tuple[str, str]:
    return model._tokenizer.decode(prompt.before), model._tokenizer.decode(prompt.after)


def test_vectors_go_before_the_first_word_of_the_user(model: HfChat) -> None:
    before, after = shown(model, model.prompt("Be brief.", "Where does Ana live?", '{"a'))
    if "llama" in model.name:
        assert before == "<|begin|><|head|>system<|/head|>\n\nBe brief.<|eot|><|head|>user<|/head|>\n\n"
        assert after == 'Where does Ana live?<|eot|><|head|>assistant<|/head|>\n\n{"a'
    else:
        assert before == "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n"
        assert after == 'Where does Ana live?<|im_end|>\n<|im_start|>assistant\n{"a'


def test_what_looks_like_a_special_token_in_the_users_words_is_text(model: HfChat) -> None:
    """`<|eot|>` and `<|im_end|>` are one token each in the template, and as many bytes in what somebody said."""
    prompt = model.prompt("s", "a<|eot|>b<|im_end|>")
    plain = len(model.prompt("s", "ab").after)
    assert len(prompt.after) == plain + len("<|eot|>") + len("<|im_end|>")


def test_an_answer_ends_as_the_template_ends_a_turn(model: HfChat) -> None:
    ids = model.target("ok")
    assert model._tokenizer.decode(ids) == ("ok<|eot|>" if "llama" in model.name else "ok<|im_end|>")


def test_embeddings_put_in_as_vectors_are_the_same_as_their_words(model: HfChat) -> None:
    """The two ways in must agree: words as ids, or the rows of the embedding matrix for them as vectors."""
    prompt, target = model.prompt("s", "xyz and the rest"), model.target("fine")
    cut = Prompt(prompt.before, prompt.after[3:])
    vectors = model._embedded(prompt.after[:3])[None]
    assert float(model.losses([cut], vectors, [target])[0]) == pytest.approx(
        float(model.losses([prompt], None, [target])[0]), abs=1e-4
    )
    assert model.generate([cut], vectors, max_tokens=8)[0].text == model.generate([prompt], max_tokens=8)[0].text


def test_the_loss_is_the_sum_over_the_targets_tokens(model: HfChat) -> None:
    """Against the whole sequence through the plain model, one log-probability a token."""
    prompt, target = model.prompt("s", "hello"), model.target("yes")
    ids = torch.tensor([[*prompt.before, *prompt.after, *target]])
    with torch.inference_mode():
        logs = model._model(input_ids=ids).logits.float().log_softmax(-1)[0]
    start = ids.shape[1] - len(target)
    expected = -sum(float(logs[start + at - 1, token]) for at, token in enumerate(target))
    assert float(model.losses([prompt], None, [target])[0]) == pytest.approx(expected, abs=1e-3)


def test_company_in_a_batch_changes_nothing(model: HfChat) -> None:
    prompts = [model.prompt("s", "a much longer question than the other one"), model.prompt("s", "hm")]
    targets = [model.target("no"), model.target("a longer answer")]
    vectors = torch.from_numpy(np.random.default_rng(0).standard_normal((2, 2, model.width)).astype(np.float32))
    together = model.losses(prompts, vectors, targets)
    answers = model.generate(prompts, vectors, max_tokens=6)
    for at in range(2):
        alone = model.losses(prompts[at : at + 1], vectors[at : at + 1], targets[at : at + 1])[0]
        assert float(together[at]) == pytest.approx(float(alone), abs=1e-3)
        assert answers[at].text == model.generate(prompts[at : at + 1], vectors[at : at + 1], max_tokens=6)[0].text


def test_gradients_reach_the_vectors_and_no_weight(model: HfChat) -> None:
    vectors = torch.zeros((1, 2, model.width), requires_grad=True)
    model.losses([model.prompt("s", "q")], vectors, [model.target("a")]).sum().backward()
    assert vectors.grad is not None
    assert float(vectors.grad.abs().sum(dim=2).min()) > 0
    assert all(not p.requires_grad and p.grad is None for p in model.parameters())


def test_an_answer_is_a_chat_models_answer(model: HfChat) -> None:
    answer = model.complete(ChatRequest("p/1", "s", "hello", max_tokens=5))
    assert isinstance(model, ChatModel)
    prompt = model.prompt("s", "hello")
    assert answer.tokens_in == len(prompt.before) + len(prompt.after)
    assert answer.tokens_out <= 5
    assert answer.truncated == (answer.tokens_out == 5)
    with pytest.raises(InvalidInput, match="answers greedily"):
        model.complete(ChatRequest("p/1", "s", "hello", temperature=0.5))


def test_a_model_that_was_never_asked_anything_answers(tmp_path: Path) -> None:
    """What ends an answer is found out on the way, by the tokenizer that answers wait for."""
    model = HfChat(tiny("qwen", tmp_path), threads=1)
    done: list[ChatAnswer] = []
    prompt = model.prompt("s", "q")
    asking = threading.Thread(target=lambda: done.extend(model.generate([prompt], max_tokens=2)), daemon=True)
    asking.start()
    asking.join(60)
    assert len(done) == 1


def test_vectors_of_another_width_are_refused(model: HfChat) -> None:
    with pytest.raises(InvalidInput, match=r"vectors: expected \(1, T, 32\), got \(1, 2, 31\)"):
        model.generate([model.prompt("s", "q")], np.zeros((1, 2, 31), np.float32))


def test_a_template_that_repeats_the_user_is_refused(tmp_path: Path) -> None:
    twice = "{% for m in messages %}{{ m['content'] }}{{ m['content'] }}{% endfor %}"
    with pytest.raises(InvalidInput, match="shows the user's words 2 times"):
        HfChat(tiny("qwen", tmp_path, template=twice), threads=1).prompt("s", "q")


def test_a_model_without_template_reads_paragraphs(tmp_path: Path) -> None:
    model = HfChat(tiny("qwen", tmp_path, template=""), threads=1)
    assert shown(model, model.prompt("Be brief.", "Why?")) == ("Be brief.\n\n", "Why?\n\n")
    assert model._tokenizer.decode(model.target("so")) == "so<|end|>"


def test_an_answer_is_that_of_transformers_own_greedy_search(model: HfChat) -> None:
    """Keys and values kept from the common beginning and from the prompt change no token."""
    from transformers import GenerationConfig

    prompt = model.prompt("Be brief.", "Where does Ana live?")
    greedy = GenerationConfig(
        do_sample=False, max_new_tokens=12, eos_token_id=list(model.end_tokens), pad_token_id=model.end_tokens[0]
    )
    ids = torch.tensor([[*prompt.before, *prompt.after]])
    whole = model._model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), generation_config=greedy)
    assert model.generate([prompt], max_tokens=12)[0].text == model._tokenizer.decode(
        whole[0, ids.shape[1] :], skip_special_tokens=True
    )


def test_another_threads_prompt_does_not_change_what_was_read(model: HfChat, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first look at the kept beginning another thread has put its own there, for every further look."""
    prompts = [model.prompt(system, "Where?") for system in ("Be quite long and friendly.", "Be short.")]
    answers, kept = [], []
    for prompt in prompts:
        answers.append(model.generate([prompt], max_tokens=4))
        kept.append(model._kept)
    looks = iter(kept[::-1])  # the short one's is there, then the long one's

    class Raced(HfChat):
        _kept = property(lambda _: next(looks, kept[0]), lambda *_: None)  # type: ignore[assignment]

    monkeypatch.setattr(model, "__class__", Raced)
    assert model.generate([prompts[1]], max_tokens=4) == answers[1]


def test_a_template_that_shows_the_day_shows_the_same_one_always(tmp_path: Path) -> None:
    model = HfChat(tiny("smollm", tmp_path), threads=1)
    own = "{{ date_string if date_string is defined else strftime_now('%c') }}" + model._tokenizer.chat_template
    model._tokenizer.chat_template = own
    said = model._render([{"role": "user", "content": "?"}], answering=True)
    assert said.startswith(DAY)


def test_a_precision_or_device_that_is_not_there_is_said(tmp_path: Path) -> None:
    folder = tiny("smollm", tmp_path)
    with pytest.raises(InvalidInput, match="dtype: is 'float12'; use one of float32, bfloat16, float16"):
        HfChat(folder, dtype="float12")
    for device in ("nonsense", *(() if torch.cuda.is_available() else ("cuda",))):
        with pytest.raises(InvalidInput, match=f"device: '{device}' cannot be used"):
            HfChat(folder, device=device, threads=1).prompt("", "Where?")


def test_an_answer_stops_where_it_is_complete(model: HfChat) -> None:
    prompts = [model.prompt("s", "hello"), model.prompt("s", "a longer question")]
    whole = model.generate(prompts, max_tokens=9)
    cut = model.generate(prompts, max_tokens=9, ended=lambda text: len(text) >= 3)
    assert [one.text for one in cut] == [one.text[:3] for one in whole]
    assert not any(one.truncated for one in cut)


def test_a_target_is_scored_as_in_training_beside_the_answer(model: HfChat) -> None:
    """Summed nats are the loss's, one number a token; the answer is the one that is given without a target."""
    prompts = [model.prompt("s", "a much longer question than the other one"), model.prompt("s", "hm")]
    targets = [model.target("no"), model.target("a longer answer")]
    vectors = torch.from_numpy(np.random.default_rng(1).standard_normal((2, 2, model.width)).astype(np.float32))
    answers, nats = model.generate_and_score(prompts, vectors, targets, max_tokens=4)
    assert answers == model.generate(prompts, vectors, max_tokens=4)
    assert [len(one) for one in nats] == [len(one) for one in targets]
    assert [sum(one) for one in nats] == pytest.approx(model.losses(prompts, vectors, targets).tolist(), abs=1e-3)
