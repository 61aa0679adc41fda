"""Translators."""

import ctypes
from typing import Any, Callable, List, Optional, Sequence, Union

from . import _library as c
from ._callback import Callbacks
from .alignment import Link, aligned
from .metrics import Scores, read_scores
from .translation import Result, read_results


class Translator:
    """Translates text with a model, or with several that have the same vocabularies (an ensemble).

    model:   a model file or run directory, or a list of them
    threads: that compute; 0: one per core
    copy:    copy the model to memory, so that nothing that happens to its file matters

    Any number of threads may use a translator at once: their sentences are computed together. A translation depends only
    on the line and the options."""

    def __init__(self, model: Any, *, threads: int = 0, copy: bool = False) -> None:
        handle = ctypes.c_void_p()
        models = list(model) if isinstance(model, (list, tuple)) else [model]
        options = c.TranslatorOptions(threads=threads, copy=int(copy))
        c.call("heed_ensemble_open", c.strings(models, "models"), len(models), ctypes.byref(options), ctypes.byref(handle))
        self._handle = handle.value
        info = c.ModelInfo()
        c.call("heed_translator_info", self._handle, ctypes.byref(info))
        self.system: str = info.system.decode()  #: the preset of the model
        self.source_language: str = info.source_language.decode()  #: two letters, or '' if the model does not say
        self.target_language: str = info.target_language.decode()
        self.parameters: int = info.parameters
        self.has_attention: bool = bool(info.has_attention)

    def translate(self, lines: Union[str, Sequence[str]], *, beam: int = 0, nbest: int = 1, attention: bool = True,
                  alignment: bool = True, warnings: bool = False, prefixes: Optional[Sequence[str]] = None,
                  progress: Optional[Callable[[int, int], Any]] = None, **settings: Any) -> List[Result]:
        """Translates lines of text; one result per line.

        beam:      hypotheses kept at each step; 1 is greedy search, the fastest; 0: the default, 5
        nbest:     number of translations per line
        attention: return the attention weights; alignment: links between words, from attention
        warnings:  look for possible errors
        prefixes:  how each translation must begin
        progress:  called with the source tokens done and all source tokens; if it returns False, the lines that are not
                   done have no translations
        settings:  all other options of `heed translate` about text, search and sampling, with _ for -:
                   plain=True, glossary="terms.tsv", length_normalization=0.6, …"""
        lines = [lines] if isinstance(lines, str) else list(lines)
        callbacks = Callbacks()
        options = c.TranslateOptions(beam=beam, nbest=nbest, attention=int(attention and self.has_attention),
                                     alignment=int(alignment and self.has_attention), warnings=int(warnings),
                                     settings=c.settings(settings))
        if prefixes is not None:
            if len(prefixes) != len(lines):
                raise c.UsageError(f"{len(prefixes)} prefixes for {len(lines)} lines; give one prefix per line")
            options.prefixes = c.strings(prefixes, "prefixes")
        if progress is not None:
            options.progress = c.ProgressFunction(lambda done, all, user: callbacks.goes_on(progress, done, all))
        handle = ctypes.c_void_p()
        c.call("heed_translate", self._open(), c.strings(lines), len(lines), ctypes.byref(options), ctypes.byref(handle))
        results = read_results(handle.value or 0, len(lines))
        callbacks.finish()
        return results

    def score_pairs(self, sources: Sequence[str], targets: Sequence[str], *, attention: bool = False) -> List[Result]:
        """The probability of known translations. The score is the mean log-probability per token; a pair that is too long
        for the model has no translations."""
        sources, targets = _pairs(sources, targets)
        handle = ctypes.c_void_p()
        c.call("heed_score_pairs", self._open(), c.strings(sources), c.strings(targets), len(sources), int(attention), ctypes.byref(handle))
        return read_results(handle.value or 0, len(sources))

    def align(self, sources: Sequence[str], targets: Sequence[str], *, pretokenized: bool = False, threshold: float = 0,
              shift: bool = False, threads: int = 0) -> List[List[Link]]:
        """Links between the words of known translations, from attention.

        pretokenized: words are separated by spaces
        threshold:    minimum attention weight of a link
        shift:        use the step after each word; only for models trained with training.guided_shift"""
        sources, targets = _pairs(sources, targets)
        return aligned(self._open(), sources, targets, c.AlignOptions(pretokenized=int(pretokenized), threshold=threshold, shift=int(shift), threads=threads))

    def evaluate(self, sources: Sequence[str], references: Sequence[str], *, metrics: Sequence[str] = ("bleu", "chrf", "ter"),
                 beam: int = 0, lowercase: Optional[bool] = None, text_layer: bool = False, tokenize: str = "13a") -> Scores:
        """Translates the sources and scores the translations: scores by metric, and those called exact and perplexity.

        lowercase:  ignore case; None: if the model writes lower case only
        text_layer: translate as translate() does, not every line as it is"""
        sources, references = _pairs(sources, references)
        options = c.ScoreOptions(metrics=c.ended(metrics), beam=beam, lowercase=0 if lowercase is None else 1 if lowercase else -1,
                                 text_layer=int(text_layer), settings=c.settings({"tokenize": tokenize}))
        handle = ctypes.c_void_p()
        c.call("heed_evaluate", self._open(), c.strings(sources), c.strings(references), len(sources), ctypes.byref(options), ctypes.byref(handle))
        return read_scores(handle.value or 0)

    def close(self) -> None:
        """Frees the model. Calls that other threads have started still finish."""
        handle, self._handle = self._handle, None
        c.free("heed_translator_free", handle)

    def _open(self) -> int:
        if self._handle is None:
            raise c.UsageError("the translator is closed; open a new one")
        return self._handle

    def __enter__(self) -> "Translator":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()


def _pairs(sources: Sequence[str], targets: Sequence[str]) -> Any:
    sources, targets = list(sources), list(targets)
    if len(sources) != len(targets):
        raise c.UsageError(f"{len(sources)} and {len(targets)} lines; the two sides must have the same number")
    return sources, targets
