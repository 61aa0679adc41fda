"""What a translation returns: plain values, independent of the library's memory."""

import ctypes
from dataclasses import dataclass, field
from typing import Any, List, NamedTuple, Optional

from . import _library as c
from .alignment import Link

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


class Token(NamedTuple):
    """A token of a text: its characters are text[begin:end]."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Warning:
    """Something in a translation that may be wrong."""

    kind: str  #: unattended, repetition, unknown, number, untranslated, low_confidence, …
    text: str  #: the words in question
    in_source: bool  #: whether begin and end count characters of the source, not of the translation
    begin: int
    end: int


class Picture:
    """An SVG picture, which a notebook shows."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Any) -> None:
        """Writes the picture to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<heed.Picture, {len(self.svg)} bytes of SVG>"


class _Handle:
    """The results of a call, shared by the translations that draw pictures of them."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __del__(self) -> None:
        c.free("heed_results_free", self.value)


@dataclass
class Translation:
    """A translation of a line."""

    text: str
    score: float  #: translations are sorted by it
    log_probability: float  #: the sum over its tokens, including the end symbol
    source_tokens: List[Token] = field(repr=False)
    target_tokens: List[Token] = field(repr=False)
    probabilities: List[float] = field(repr=False)  #: one per target token
    #: One row of weights per target token, one column per source token: a numpy array if numpy is installed, otherwise a
    #: list of lists. None if it was not requested or the model has no attention.
    attention: Any = field(repr=False)
    alignment: List[Link] = field(repr=False)  #: links between words, if requested
    _handle: Optional[_Handle] = field(repr=False, default=None, compare=False)
    _line: int = field(repr=False, default=0, compare=False)
    _index: int = field(repr=False, default=0, compare=False)

    def plot(self, title: str = "", numbers: bool = False) -> Picture:
        """The attention as a picture; `numbers` writes the weights into the cells. Needs attention=True."""
        if self._handle is None:
            raise ValueError("this translation has lost its results (was it copied or pickled?), so it cannot be drawn")
        svg = ctypes.c_char_p()
        c.call("heed_results_svg", self._handle.value, self._line, self._index, c.encode(title), int(numbers), ctypes.byref(svg))
        return Picture((svg.value or b"").decode("utf-8"))

    def _repr_svg_(self) -> Optional[str]:
        return self.plot()._repr_svg_() if self.attention is not None else None

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_handle": None}


@dataclass
class Result:
    """The translations of one line, best first. Its text, score, … are those of the best."""

    translations: List[Translation]
    warnings: List[Warning] = field(default_factory=list)

    @property
    def done(self) -> bool:
        """False if a callback stopped the call before this line was translated."""
        return bool(self.translations)

    @property
    def best(self) -> Translation:
        if not self.translations:
            raise ValueError("this line was not translated, because the call was stopped or the line is too long for the model")
        return self.translations[0]

    @property
    def text(self) -> str:
        return self.best.text

    @property
    def score(self) -> float:
        return self.best.score

    @property
    def attention(self) -> Any:
        return self.best.attention

    @property
    def alignment(self) -> List[Link]:
        return self.best.alignment

    def plot(self, title: str = "", numbers: bool = False) -> Picture:
        """The attention of the best translation as a picture."""
        return self.best.plot(title, numbers)

    def _repr_svg_(self) -> Optional[str]:
        return self.best._repr_svg_() if self.translations else None

    def __str__(self) -> str:
        return self.text


def _decode(text: Optional[bytes]) -> str:
    return (text or b"").decode("utf-8", "replace")


def _tokens(pointer: Any, count: int) -> List[Token]:
    return [Token(_decode(t.text), t.begin, t.end) for t in pointer[:count]] if count else []


def _matrix(pointer: Any, rows: int, columns: int) -> Any:
    if not pointer:
        return None
    if numpy is not None:
        return numpy.ctypeslib.as_array(pointer, (rows, columns)).copy()
    flat = pointer[:rows * columns]
    return [flat[row * columns:(row + 1) * columns] for row in range(rows)]


def _translation(handle: _Handle, line: int, index: int) -> Translation:
    t = c.Translation()
    c.call("heed_results_get", handle.value, line, index, ctypes.byref(t))
    return Translation(
        text=_decode(t.text), score=t.score, log_probability=t.log_probability,
        source_tokens=_tokens(t.source_tokens, t.source_count), target_tokens=_tokens(t.target_tokens, t.target_count),
        probabilities=t.probabilities[:t.target_count] if t.probabilities else [],
        attention=_matrix(t.attention, t.target_count, t.source_count),
        alignment=[Link(k.source, k.target, bool(k.sure)) for k in t.links[:t.link_count]] if t.link_count else [],
        _handle=handle, _line=line, _index=index)


def read_results(value: int, lines: int) -> List[Result]:
    """The results behind a handle of the C API, which belongs to them from now on."""
    handle = _Handle(value)
    results = []
    count = ctypes.c_size_t()
    for line in range(lines):
        c.call("heed_results_translations", value, line, ctypes.byref(count))
        translations = [_translation(handle, line, index) for index in range(count.value)]
        c.call("heed_results_warnings", value, line, ctypes.byref(count))
        warnings = []
        for index in range(count.value):
            w = c.Warning()
            c.call("heed_results_warning", value, line, index, ctypes.byref(w))
            warnings.append(Warning(_decode(w.kind), _decode(w.text), bool(w.in_source), w.begin, w.end))
        results.append(Result(translations, warnings))
    return results
