"""The recipe of `models/minilm_pieces.npz`: the 64 main directions of MiniLM's hidden states on written dialogues.

    make pieces OUT=DIR

Principal directions of all pieces of all turns, not centred, so that cosines stay cosines.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from ..construction.verbatim import embedding_texts
from ..models.onnx import MiniLM
from ..pieces import WIDTH
from .corpora import said
from .dialogues import load_dialogues


def make(dialogues: Path, out: Path) -> Path:
    """Write `minilm_pieces.npz` into `out`. Raises InvalidInput for dialogues that cannot be read."""
    model = MiniLM(threads=1)
    squares = np.zeros((model.dimension, model.dimension))
    for dialogue in said("dialogues", load_dialogues(dialogues)):
        messages = [message for _, _, session in dialogue.sessions for message in session]
        texts = [
            text
            for message in messages
            for text in embedding_texts(message["name"], message["content"], message.get("caption"))
        ]
        for hidden in model.embed_tokens(texts):
            squares += hidden.T.astype(np.float64) @ hidden
    _, directions = np.linalg.eigh(squares)
    main = directions[:, ::-1][:, :WIDTH]
    main *= np.where(main[np.abs(main).argmax(axis=0), np.arange(WIDTH)] < 0, -1, 1)  # either sign would do
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "minilm_pieces.npz", projection=main.astype(np.float16))
    return out / "minilm_pieces.npz"


def main() -> None:
    """Command line of the recipe."""
    parser = argparse.ArgumentParser(description="Directions along which word pieces are kept.")
    parser.add_argument("--dialogues", type=Path, required=True, help="folder of written dialogues")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    print(make(given.dialogues, given.out))


if __name__ == "__main__":
    main()
