"""Tiny language models with random weights and a tokenizer of bytes, made on the spot: nothing is downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LLAMA = (
    "<|begin|>{% for m in messages %}<|head|>{{ m['role'] }}<|/head|>\n\n{{ m['content'] | trim }}<|eot|>{% endfor %}"
    "{% if add_generation_prompt %}<|head|>assistant<|/head|>\n\n{% endif %}"
)
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|begin|>", "<|head|>", "<|/head|>", "<|eot|>", "<|end|>"]
KINDS = ("llama", "qwen", "smollm")


def tiny(kind: str, folder: Path, *, seed: int = 0, template: str | None = None, width: int = 32) -> Path:
    """A two-layer model in a folder: `llama` untied with headers, `qwen` with biases, `smollm` tied; both ChatML."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={byte: at for at, byte in enumerate(alphabet)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="<|end|>", additional_special_tokens=SPECIAL[:-1]
    )
    tokenizer.chat_template = (LLAMA if kind == "llama" else CHATML) if template is None else template
    common: dict[str, Any] = {
        "vocab_size": len(tokenizer), "hidden_size": width, "intermediate_size": 48, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024,
        "tie_word_embeddings": kind == "smollm",
        "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.eos_token_id,
    }  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if kind == "qwen":
            model = transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**common))
        else:
            model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**common))
        with torch.no_grad():
            for weight in model.parameters():
                weight.mul_(3)  # random weights as they come are too small to prefer any token
    place = folder / f"tiny-{kind}"
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place
