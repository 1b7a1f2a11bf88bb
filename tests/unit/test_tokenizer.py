"""A model's own count of tokens, from its tokenizer.json."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem import InvalidInput, Settings
from qgmem.generation.text_answerer import TextAnswerer
from qgmem.generation.tokens import estimate_tokens
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.models.tokenizer import token_counter
from qgmem.registry import make_answerer

JSON = """{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
"pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
"model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "we": 1, "moved": 2}, "unk_token": "[UNK]"}}"""


def test_a_file_or_its_folder_counts_as_the_model_does(tmp_path: Path) -> None:
    """This tokenizer makes a token of every word, so four."""
    file = tmp_path / "tokenizer.json"
    file.write_text(JSON)
    assert token_counter(file)("we moved to Porto") == 4
    assert token_counter(tmp_path)("we moved to Porto") == 4


def test_a_file_that_cuts_and_fills_texts_counts_all_of_them_and_no_more(tmp_path: Path) -> None:
    """Ten words are ten tokens, although the file cuts at three; one is one, although it fills up to three."""
    cut = '{"max_length": 3, "stride": 0, "strategy": "LongestFirst", "direction": "Right"}'
    fill = (
        '{"strategy": {"Fixed": 3}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, '
        '"pad_type_id": 0, "pad_token": "[UNK]"}'
    )
    text = JSON.replace('"truncation": null', f'"truncation": {cut}').replace('"padding": null', f'"padding": {fill}')
    (tmp_path / "tokenizer.json").write_text(text)
    count = token_counter(tmp_path)
    assert (count("we " * 10), count("we")) == (10, 1)


def test_what_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"chat_tokenizer: no file 'tokenizer.json'"):
        token_counter(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InvalidInput, match="cannot be read"):
        token_counter(tmp_path)


def test_the_setting_reaches_the_answerer_and_without_it_tokens_are_estimated(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(JSON)
    own = make_answerer(ScriptedChat(), Settings(chat_tokenizer=str(tmp_path)))
    plain = make_answerer(ScriptedChat(), Settings())
    assert isinstance(own, TextAnswerer)
    assert isinstance(plain, TextAnswerer)
    assert own.count_tokens("we moved to Porto yesterday") == 5
    assert plain.count_tokens("we moved to Porto") == estimate_tokens("we moved to Porto")
