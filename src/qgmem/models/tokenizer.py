"""Tokens as a model counts them, from the `tokenizer.json` that comes with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import InvalidInput


def token_counter(path: str | Path) -> Callable[[str], int]:
    """A function that counts the tokens of a text, special ones left out.

    `path`: a `tokenizer.json`, or the folder that holds one. Raises InvalidInput.
    """
    file = Path(path)
    file = file / "tokenizer.json" if file.is_dir() else file
    if not file.is_file():
        raise InvalidInput("settings.chat_tokenizer", f"no file {file.name!r}", "give a model's tokenizer.json")
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    except Exception as error:  # the library raises plain Exception
        raise InvalidInput("settings.chat_tokenizer", f"{file.name} cannot be read: {error}") from error
    tokenizer.no_truncation()  # some files cut texts at the length that the model takes, or fill them up to it
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
