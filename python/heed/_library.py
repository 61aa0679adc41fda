"""The C API (heed/heed.h) in terms of ctypes: finding the library, its structs and its functions."""

import ctypes
import ctypes.util
import os
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence

Strings = POINTER(c_char_p)


class HeedError(Exception):
    """An error of heed; its text is one sentence that says what to do."""


class UsageError(HeedError, ValueError):
    """The request is invalid: an option, a name, a value."""


class InputError(HeedError, OSError):
    """A file is missing or damaged, or a disk or the memory is full."""


class InternalError(HeedError, RuntimeError):
    """A bug in heed."""


STOPPED = 4
ERRORS = {1: UsageError, 2: InputError, 3: InternalError}


class Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("message", c_char * 2044)]


class Sized(ctypes.Structure):
    """A struct of the C API, which starts with its size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self.size = ctypes.sizeof(self)


ProgressFunction = ctypes.CFUNCTYPE(c_int, c_size_t, c_size_t, c_void_p)


class TranslatorOptions(Sized):
    _fields_ = [("size", c_size_t), ("threads", c_int), ("copy", c_int)]


class ModelInfo(Sized):
    _fields_ = [("size", c_size_t), ("system", c_char_p), ("source_language", c_char_p), ("target_language", c_char_p),
                ("parameters", c_int64), ("has_attention", c_int)]


class TranslateOptions(Sized):
    _fields_ = [("size", c_size_t), ("beam", c_int), ("nbest", c_int), ("attention", c_int), ("alignment", c_int),
                ("warnings", c_int), ("prefixes", Strings), ("settings", Strings), ("progress", ProgressFunction), ("user", c_void_p)]


class Token(ctypes.Structure):
    _fields_ = [("text", c_char_p), ("begin", c_uint32), ("end", c_uint32)]


class Link(ctypes.Structure):
    _fields_ = [("source", c_uint32), ("target", c_uint32), ("sure", c_int)]


class Translation(Sized):
    _fields_ = [("size", c_size_t), ("text", c_char_p), ("score", c_double), ("log_probability", c_double),
                ("source_tokens", POINTER(Token)), ("source_count", c_size_t), ("target_tokens", POINTER(Token)),
                ("target_count", c_size_t), ("probabilities", POINTER(c_float)), ("attention", POINTER(c_float)),
                ("links", POINTER(Link)), ("link_count", c_size_t), ("source_end", c_int), ("target_end", c_int)]


class Warning(Sized):
    _fields_ = [("size", c_size_t), ("kind", c_char_p), ("text", c_char_p), ("in_source", c_int), ("begin", c_uint32), ("end", c_uint32)]


class AlignOptions(Sized):
    _fields_ = [("size", c_size_t), ("pretokenized", c_int), ("threads", c_int), ("source_language", c_char_p),
                ("target_language", c_char_p), ("threshold", c_double), ("shift", c_int)]


class ScoreOptions(Sized):
    _fields_ = [("size", c_size_t), ("metrics", Strings), ("lowercase", c_int), ("beam", c_int), ("text_layer", c_int), ("settings", Strings)]


class MetricScore(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("label", c_char_p), ("score", c_double), ("signature", c_char_p),
                ("details", c_char_p), ("lower_is_better", c_int)]


class Update(Sized):
    _fields_ = [("size", c_size_t), ("update", c_int64), ("updates", c_int64), ("epoch", c_int64), ("loss", c_double),
                ("gradient_norm", c_double), ("learning_rate", c_double)]


class Validation(Sized):
    _fields_ = [("size", c_size_t), ("update", c_int64), ("epoch", c_int64), ("train_loss", c_double), ("validated", c_int),
                ("perplexity", c_double), ("accuracy", c_double), ("bleu", c_double), ("chrf", c_double), ("exact", c_double),
                ("best", c_int), ("seconds", c_double)]


UpdateFunction = ctypes.CFUNCTYPE(c_int, POINTER(Update), c_void_p)
ValidationFunction = ctypes.CFUNCTYPE(None, POINTER(Validation), c_void_p)
NoteFunction = ctypes.CFUNCTYPE(None, c_char_p, c_void_p)


class TrainOptions(Sized):
    _fields_ = [("size", c_size_t), ("train", Strings), ("valid", Strings), ("out", c_char_p), ("preset", c_char_p), ("from_model", c_char_p),
                ("configs", Strings), ("resume", c_int), ("overwrite", c_int), ("settings", Strings), ("on_update", UpdateFunction),
                ("on_validation", ValidationFunction), ("on_note", NoteFunction), ("user", c_void_p)]


class TrainResult(Sized):
    _fields_ = [("size", c_size_t), ("update", c_int64), ("has_best", c_int), ("best", c_double), ("reason", c_char * 256)]


OUT = POINTER(c_void_p)
COUNT = POINTER(c_size_t)
# The functions that return a status; each also takes a pointer to an Error.
FUNCTIONS: Dict[str, List[Any]] = {
    "heed_translator_open": [c_char_p, POINTER(TranslatorOptions), OUT],
    "heed_ensemble_open": [Strings, c_size_t, POINTER(TranslatorOptions), OUT],
    "heed_translator_info": [c_void_p, POINTER(ModelInfo)],
    "heed_translate": [c_void_p, Strings, c_size_t, POINTER(TranslateOptions), OUT],
    "heed_score_pairs": [c_void_p, Strings, Strings, c_size_t, c_int, OUT],
    "heed_results_translations": [c_void_p, c_size_t, COUNT],
    "heed_results_get": [c_void_p, c_size_t, c_size_t, POINTER(Translation)],
    "heed_results_warnings": [c_void_p, c_size_t, COUNT],
    "heed_results_warning": [c_void_p, c_size_t, c_size_t, POINTER(Warning)],
    "heed_results_svg": [c_void_p, c_size_t, c_size_t, c_char_p, c_int, POINTER(c_char_p)],
    "heed_align": [c_void_p, Strings, Strings, c_size_t, POINTER(AlignOptions), OUT],
    "heed_alignments_get": [c_void_p, c_size_t, POINTER(POINTER(Link)), COUNT],
    "heed_score": [Strings, Strings, c_size_t, c_size_t, POINTER(ScoreOptions), OUT],
    "heed_evaluate": [c_void_p, Strings, Strings, c_size_t, POINTER(ScoreOptions), OUT],
    "heed_scores_count": [c_void_p, COUNT],
    "heed_scores_get": [c_void_p, c_size_t, POINTER(MetricScore)],
    "heed_train": [POINTER(TrainOptions), POINTER(TrainResult)],
    "heed_model_write": [c_char_p, c_char_p, c_char_p],
}
FREE = ("heed_translator_free", "heed_results_free", "heed_alignments_free", "heed_scores_free")
SONAME = "libheed.so.0"


def _candidates() -> Iterable[str]:
    """Where the library may be, best first."""
    here = Path(__file__).resolve().parent
    if os.environ.get("HEED_LIBRARY"):
        yield os.environ["HEED_LIBRARY"]
        return
    yield str(here / SONAME)
    yield str(here.parent.parent / "build" / SONAME)  # a source tree
    for parent in here.parents:  # PREFIX/lib/python3/dist-packages/heed
        if parent.name in ("lib", "lib64"):
            yield str(parent / SONAME)
            yield from (str(path) for path in sorted(parent.glob(f"*/{SONAME}")))
    yield SONAME  # wherever the system looks


def _load() -> ctypes.CDLL:
    tried = []
    for candidate in _candidates():
        if os.sep in candidate and not os.path.exists(candidate):
            tried.append(candidate)
            continue
        try:
            library = ctypes.CDLL(candidate)
        except OSError as error:
            tried.append(f"{candidate} ({error})")
            continue
        library._heed_path = candidate
        return library
    raise ImportError(f"the library {SONAME} was not found; install heed, or set HEED_LIBRARY to its path (tried {'; '.join(tried)})")


_library = _load()
for _name, _arguments in FUNCTIONS.items():
    _function = getattr(_library, _name)
    _function.argtypes, _function.restype = [*_arguments, POINTER(Error)], c_int
for _name in FREE:
    _function = getattr(_library, _name)
    _function.argtypes, _function.restype = [c_void_p], None
_library.heed_version.restype = c_char_p


def version() -> str:
    """The version of the library, such as '0.1.0'."""
    return _library.heed_version().decode()


def library_path() -> str:
    """The library that is in use."""
    return str(_library._heed_path)


def call(name: str, *arguments: Any) -> int:
    """Calls a function that returns a status: raises its error, or returns the status if it is none."""
    error = Error()
    status = getattr(_library, name)(*arguments, byref(error))
    if status in ERRORS:
        raise ERRORS[status](error.message.decode("utf-8", "replace"))
    return int(status)


def free(name: str, handle: Optional[int]) -> None:
    if handle:
        getattr(_library, name)(handle)


def encode(text: Any) -> bytes:
    """Text for C, where a NUL byte would end it: like every other character that is not text, it becomes U+FFFD."""
    if isinstance(text, os.PathLike):
        return os.fsencode(text)
    if isinstance(text, bytes):
        return text.replace(b"\0", b"\xef\xbf\xbd")
    if not isinstance(text, str):
        raise TypeError(f"expected str, not {type(text).__name__}")
    return text.replace("\0", "\ufffd").encode("utf-8", "surrogatepass")


def strings(texts: Sequence[Any], what: str = "lines") -> Any:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"{what} must be a list of strings, not one string")
    texts = list(texts)
    return (c_char_p * len(texts))(*(encode(text) for text in texts))


def ended(texts: Optional[Sequence[Any]], what: str = "a list") -> Any:
    """A list that ends with NULL; None if there is none."""
    if texts is None:
        return None
    texts = [texts] if isinstance(texts, (str, os.PathLike)) else list(texts)
    return (c_char_p * (len(texts) + 1))(*(encode(text) for text in texts), None)


def settings(values: Dict[str, Any]) -> Any:
    """{'length_normalization': 0.6, 'plain': True} as the C API expects it."""

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, tuple)):
            import json
            return json.dumps([str(item) for item in value])
        return os.fspath(value) if isinstance(value, os.PathLike) else str(value)

    return ended([f"{name}={text(value)}" for name, value in values.items()])
