"""Part-of-speech tags: the embedded tagger, or any spaCy model that is installed.

The embedded tagger is an ordinary spaCy pipeline (``spacy.load(asset("pos_en").path)`` works), but
it runs here without spaCy, on columns: everything that depends on a word alone is computed once
per word *type*, and the convolution runs over large blocks of all texts together. The tags are
those spaCy would give.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import msgpack
import numpy as np
from numpy.typing import NDArray

from convoscope.assets import asset
from convoscope.errors import InputError
from convoscope.text import _tagger_kernels as kernels

__all__ = ["UPOS", "PosTagger", "load_tagger"]

UPOS: tuple[str, ...] = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
    "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
"""The universal part-of-speech tags; a tag's place here is its number everywhere."""

_BLOCK = 16_384
_CHUNK = 1_024

Float2d = NDArray[np.float32]


class PosTagger(Protocol):
    """What tags texts that are columns of token types."""

    @property
    def signature(self) -> str:
        """Which tagger this is, with its version; part of the signature of what uses it."""

    def tag(
        self, types: Sequence[str], ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        """Tag every token.

        Parameters
        ----------
        types
            The distinct tokens.
        ids
            The type of each token, all texts after one another.
        offsets
            Where each text begins, and the end of the last: one more than there are texts.

        Returns
        -------
        NDArray
            The place in :data:`UPOS` of each token's tag.
        """


def load_tagger(name: str = "embedded") -> PosTagger:
    """Return a tagger; the same one when asked again.

    Parameters
    ----------
    name
        ``"embedded"``, or the name or folder of a spaCy model that is installed
        (``"en_core_web_sm"``).

    Raises
    ------
    InputError
        spaCy or the model is missing, or the model assigns no part of speech.
    """
    return _load(name)


@lru_cache(maxsize=8)
def _load(name: str) -> PosTagger:
    if name == "embedded":
        found = asset("pos_en")
        return _EmbeddedTagger(_read_weights(found.path), f"pos:embedded-{found.identity}")
    return _SpacyTagger(name)


@dataclass(frozen=True)
class _Maxout:
    """A maxout layer with layer norm: the weights are inputs × (pieces · width)."""

    weight: Float2d
    bias: NDArray[np.float32]
    gain: NDArray[np.float32]
    offset: NDArray[np.float32]


@dataclass(frozen=True)
class _Weights:
    """What the pipeline's model file holds."""

    attributes: tuple[str, ...]
    seeds: tuple[int, ...]
    tables: tuple[Float2d, ...]
    mix: _Maxout
    layers: tuple[_Maxout, ...]
    output: Float2d
    output_bias: NDArray[np.float32]
    tags: NDArray[np.uint8]
    symbols: dict[str, int]


def _array(value: Any) -> Any:
    """Rebuild an array from the form ``msgpack_numpy`` gives it."""
    if isinstance(value, dict) and value.get(b"nd"):
        return np.frombuffer(value[b"data"], np.dtype(value[b"type"])).reshape(value[b"shape"])
    return value


def _read_weights(folder: Path) -> _Weights:
    """Read the pipeline's weights without spaCy and thinc."""
    model = msgpack.unpackb(
        (folder / "morphologizer" / "model").read_bytes(),
        raw=False,
        strict_map_key=False,
        object_hook=_array,
    )
    found: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for node, attrs, params in zip(model["nodes"], model["attrs"], model["params"], strict=True):
        found.setdefault(node["name"], []).append((attrs, params))
    columns = msgpack.unpackb(found["extract_features"][0][0]["columns"])
    tables = found["hashembed"]
    maxouts = [
        _maxout(dense[1], norm[1])
        for dense, norm in zip(found["maxout"], found["layernorm"], strict=True)
    ]
    output = found["softmax"][0][1]
    labels = json.loads((folder / "morphologizer" / "cfg").read_text(encoding="utf-8"))
    return _Weights(
        attributes=tuple(columns),
        seeds=tuple(msgpack.unpackb(attrs["seed"]) for attrs, _ in tables),
        tables=tuple(np.ascontiguousarray(params["E"]) for _, params in tables),
        mix=maxouts[0],
        layers=tuple(maxouts[1:]),
        output=np.ascontiguousarray(output["W"].T),
        output_bias=output["b"],
        tags=np.array(
            [UPOS.index(label.removeprefix("POS=")) for label in labels["labels_pos"]],
            dtype=np.uint8,
        ),
        symbols=json.loads((folder / "symbols.json").read_text(encoding="utf-8")),
    )


def _maxout(dense: dict[str, Any], norm: dict[str, Any]) -> _Maxout:
    width, pieces, size = dense["W"].shape
    return _Maxout(
        weight=np.ascontiguousarray(
            dense["W"].transpose(1, 0, 2).reshape(pieces * width, size).T, dtype=np.float32
        ),
        bias=np.ascontiguousarray(dense["b"].T).ravel(),
        gain=np.ascontiguousarray(norm["G"]),
        offset=np.ascontiguousarray(norm["b"]),
    )


@lru_cache(maxsize=1)
def _blas_controller() -> Any:
    """Return threadpoolctl's controller of the BLAS in use, None without threadpoolctl."""
    if importlib.util.find_spec("threadpoolctl") is None:
        return None
    return importlib.import_module("threadpoolctl").ThreadpoolController()


def _one_blas_thread() -> AbstractContextManager[Any]:
    """Keep BLAS to one thread where that can be done.

    The products are small: its threads wait for one another most of the time, and on a busy
    machine they make the tagger several times slower instead of faster.
    """
    controller = _blas_controller()
    if controller is None:
        return nullcontext()
    limited: AbstractContextManager[Any] = controller.limit(limits=1, user_api="blas")
    return limited


def _chunks(n: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of chunks that stay in the processor's cache."""
    for start in range(0, n, _CHUNK):
        yield start, min(start + _CHUNK, n)


class _EmbeddedTagger:
    """spaCy's HashEmbedCNN over columns.

    How a BLAS library adds up a product may depend on how many lines it is given and on the
    processor, in the last bits of a float32; a tag can therefore depend on the company of its
    text, or differ from spaCy's, only where two tags' scores agree to some six digits.
    """

    def __init__(self, weights: _Weights, signature: str) -> None:
        self._weights = weights
        self._signature = signature

    @property
    def signature(self) -> str:
        """Which tagger this is."""
        return self._signature

    def tag(
        self, types: Sequence[str], ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        ids = np.ascontiguousarray(ids, dtype=np.int32)
        offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        _check(len(types), ids, offsets)
        if len(ids) == 0:
            return np.empty(0, dtype=np.uint8)
        with _one_blas_thread():
            vectors = self._type_vectors(types)
        depth = len(self._weights.layers)
        cells, distance, places = kernels.lay_out(ids, offsets, depth)
        tags = np.empty(len(cells), dtype=np.uint8)
        scratch = np.full(len(types), -1, dtype=np.int32)
        with _one_blas_thread():
            for start in range(0, len(cells), _BLOCK):
                stop = min(start + _BLOCK, len(cells))
                self._tag_block(vectors, cells, distance, scratch, start, stop, tags)
        result: NDArray[np.uint8] = tags[places]
        return result

    def _type_vectors(self, types: Sequence[str]) -> Float2d:
        """Return the vector of every type: its attributes' table rows, mixed."""
        w = self._weights
        width = len(w.mix.gain)
        numbers = kernels.attribute_ids(types, w.attributes, w.symbols)
        out = np.zeros((len(types), width), dtype=np.float32)
        size = width * len(w.tables)
        for start, stop in _chunks(len(types)):
            n = stop - start
            wide = np.empty((n, size), dtype=np.float32)
            for column, (table, seed) in enumerate(zip(w.tables, w.seeds, strict=True)):
                rows = kernels.hash_rows(numbers[start:stop, column], seed, len(table))
                kernels.sum_rows(table, rows, wide, column * width)
            y = wide @ w.mix.weight
            lines = np.arange(n)
            kernels.maxout_norm(
                y, w.mix.bias, w.mix.gain, w.mix.offset, out[start:stop], lines, 0, out[start:stop]
            )
        return out

    def _tag_block(
        self,
        vectors: Float2d,
        cells: NDArray[np.int32],
        distance: NDArray[np.uint8],
        scratch: NDArray[np.int32],
        start: int,
        stop: int,
        tags: NDArray[np.uint8],
    ) -> None:
        """Tag the cells ``start:stop``, seeing as many around them as there are layers."""
        w = self._weights
        depth, width = len(w.layers), vectors.shape[1]
        # One empty cell more on either side: the window of the outermost cell looks there.
        first, last = start - depth - 1, stop + depth + 1
        inside = slice(max(first, 0), min(last, len(cells)))
        here = np.full(last - first, -1, dtype=np.int32)
        here[inside.start - first : inside.stop - first] = cells[inside]
        local, block_types = kernels.localise(here, scratch)

        x = np.zeros((last - first, width), dtype=np.float32)
        known = local >= 0
        x[known] = vectors[here[known]]
        products = self._first_products(vectors[block_types])
        most = min(_CHUNK, len(x))
        y = np.empty((most, products[0].shape[1]), dtype=np.float32)
        wide = np.empty((most, 3 * width), dtype=np.float32)
        for number, layer in enumerate(w.layers, start=1):
            reach = depth - number
            rows = kernels.near(distance, start - reach, stop + reach, reach)
            out = np.zeros_like(x)
            for a, b in _chunks(len(rows)):
                part = rows[a:b]
                if number == 1:
                    kernels.gather_sum(*products, local, part, first, y)
                else:
                    kernels.window_rows(x, part, first, wide)
                    np.matmul(wide[: b - a], layer.weight, out=y[: b - a])
                kernels.maxout_norm(y, layer.bias, layer.gain, layer.offset, x, part, first, out)
            x = out
        lines = x[start - first : stop - first]
        for a, b in _chunks(len(lines)):
            kernels.best_column(
                lines[a:b] @ w.output, w.tags, w.output_bias, tags[start + a : start + b]
            )

    def _first_products(self, vectors: Float2d) -> tuple[Float2d, Float2d, Float2d]:
        """Return the first layer's products with a type as left neighbour, itself and right one.

        The first layer sees three vectors that depend on types only: three products per type
        replace one per token.
        """
        layer = self._weights.layers[0].weight
        width, size = vectors.shape[1], layer.shape[1]
        out = tuple(np.empty((len(vectors), size), dtype=np.float32) for _ in range(3))
        for a, b in _chunks(len(vectors)):
            for k in range(3):
                np.matmul(vectors[a:b], layer[k * width : (k + 1) * width], out=out[k][a:b])
        return out[0], out[1], out[2]


def _check(n_types: int, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
    """Refuse columns that do not fit together."""
    if len(offsets) < 1 or offsets[0] != 0 or offsets[-1] != len(ids):
        raise InputError(f"offsets must begin with 0 and end with {len(ids)}, the token count")
    if np.any(offsets[1:] < offsets[:-1]):
        raise InputError("offsets must not decrease")
    if len(ids) and (ids.min() < 0 or ids.max() >= n_types):
        raise InputError(f"a token type is outside 0 … {n_types - 1}")


class _SpacyTagger:
    """Any spaCy model, one Doc a text."""

    def __init__(self, name: str) -> None:
        if importlib.util.find_spec("spacy") is None:
            raise InputError(
                f"the tagger {name!r} is a spaCy model, and spaCy is not installed; "
                "install it with: pip install 'convoscope[spacy]' (or use 'embedded')"
            )
        import spacy
        from spacy.parts_of_speech import IDS

        try:
            self._nlp = spacy.load(name, exclude=["parser", "ner", "senter", "lemmatizer"])
        except (OSError, ValueError) as error:
            raise InputError(
                f"no spaCy model {name!r} is installed; install it with: "
                f"python -m spacy download {name} (or use 'embedded')"
            ) from error
        metas = [self._nlp.get_pipe_meta(part) for part in self._nlp.pipe_names]
        if not any("token.pos" in part.assigns for part in metas):
            raise InputError(
                f"the spaCy model {name!r} assigns no part of speech (token.pos); "
                f"its components are {', '.join(self._nlp.pipe_names) or 'none'}"
            )
        meta = self._nlp.meta
        self._signature = f"pos:{meta['lang']}_{meta['name']}-{meta['version']}"
        # What a model leaves out or calls white space is "other".
        self._place = np.full(max(IDS.values()) + 1, UPOS.index("X"), dtype=np.uint8)
        for place, tag in enumerate(UPOS):
            self._place[IDS[tag]] = place

    @property
    def signature(self) -> str:
        """Which tagger this is."""
        return self._signature

    def tag(
        self, types: Sequence[str], ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        from spacy.tokens import Doc

        _check(len(types), np.asarray(ids), np.asarray(offsets))
        tags = np.empty(len(ids), dtype=np.uint8)
        docs = (
            Doc(self._nlp.vocab, words=[types[i] for i in ids[a:b]])
            for a, b in itertools.pairwise(offsets)
        )
        at = 0
        for doc in self._nlp.pipe(docs, batch_size=256):
            tags[at : at + len(doc)] = self._place[doc.to_array("POS").astype(np.int64)]
            at += len(doc)
        return tags
