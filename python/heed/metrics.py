"""Scores of translations."""

import ctypes
from dataclasses import dataclass
from typing import Any, Dict, Sequence

from . import _library as c


@dataclass(frozen=True)
class Score:
    """A score by one metric."""

    name: str  #: bleu
    label: str  #: BLEU
    score: float
    signature: str  #: as sacreBLEU writes it, with heed as the version
    details: str
    lower_is_better: bool

    def __float__(self) -> float:
        return self.score

    def __str__(self) -> str:
        return f"{self.label} {self.score:.2f}"


class Scores(Dict[str, Score]):
    """Scores by the name of the metric; scores.bleu is the number of scores["bleu"]."""

    def __getattr__(self, name: str) -> float:
        if name in self:
            return self[name].score
        raise AttributeError(name)


def score(translations: Sequence[str], references: Sequence[Any], *, metrics: Sequence[str] = ("bleu", "chrf", "ter"),
          lowercase: bool = False, **settings: Any) -> Scores:
    """Scores translations as sacreBLEU does.

    references: one per translation, or a list of such lists
    settings:   the other options of `heed score` about metrics, with _ for -: tokenize="intl", smooth="floor", …"""
    translations = list(translations)
    sets = [list(references)] if all(isinstance(r, str) for r in references) else [list(r) for r in references]
    for lines in sets:
        if len(lines) != len(translations):
            raise c.UsageError(f"{len(translations)} translations and {len(lines)} references; give one reference per translation")
    options = c.ScoreOptions(metrics=c.ended(metrics), lowercase=int(lowercase), settings=c.settings(settings))
    handle = ctypes.c_void_p()
    c.call("heed_score", c.strings(translations), c.strings([line for lines in sets for line in lines]), len(sets), len(translations),
           ctypes.byref(options), ctypes.byref(handle))
    return read_scores(handle.value or 0)


def read_scores(handle: int) -> Scores:
    try:
        count, scores = ctypes.c_size_t(), Scores()
        c.call("heed_scores_count", handle, ctypes.byref(count))
        for index in range(count.value):
            s = c.MetricScore()
            c.call("heed_scores_get", handle, index, ctypes.byref(s))
            scores[s.name.decode()] = Score(s.name.decode(), s.label.decode(), s.score, s.signature.decode(), s.details.decode(), bool(s.lower_is_better))
        return scores
    finally:
        c.free("heed_scores_free", handle)
