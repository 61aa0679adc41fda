"""Training."""

import ctypes
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from . import _library as c
from ._callback import Callbacks
from .translator import Translator

Files = Union[str, "os.PathLike[str]", Sequence[Any]]


@dataclass(frozen=True)
class Update:
    update: int  #: counted from 1
    updates: int  #: of the whole run, if it is not ended early
    epoch: int  #: counted from 1
    loss: float  #: per target token
    gradient_norm: float
    learning_rate: float


@dataclass(frozen=True)
class Validation:
    update: int
    epoch: int
    train_loss: float
    validated: bool  #: False without validation text
    perplexity: float
    accuracy: float
    bleu: float
    chrf: float
    exact: float
    best: bool
    seconds: float


@dataclass
class TrainResult:
    """A finished or stopped run."""

    out: str  #: the run directory
    stopped: bool
    reason: str  #: why the run ended
    update: int  #: the last one done
    best: Optional[float]  #: of validation.metric
    validations: List[Validation] = field(repr=False)
    notes: List[str] = field(repr=False)  #: sentences that you should know

    @property
    def model(self) -> str:
        """The path of the best model."""
        return os.path.join(self.out, "model.safetensors")

    def translator(self, **options: Any) -> Translator:
        return Translator(self.out, **options)


def train(train: Files = (), valid: Files = (), *, out: Any = "run", preset: Optional[str] = None, from_model: Any = None,
          configs: Files = (), resume: bool = False, overwrite: bool = False, settings: Optional[Dict[str, Any]] = None,
          on_update: Optional[Callable[[Update], Any]] = None, on_validation: Optional[Callable[[Validation], Any]] = None,
          **flags: Any) -> TrainResult:
    """Trains a model on files of parallel text.

    train, valid: two plain files, or any number of files of other formats; without validation text, some of the training
                  text is held out
    out:          the run directory: model, logs, checkpoints
    preset:       the model and settings to start from; from_model: a model to continue training from
    configs:      TOML files with settings
    resume:       continue the run in `out`; overwrite: delete it
    settings:     keys of configuration files: {"training.epochs": 5, "encoder.hidden": 128}
    on_update:    called after each update; if it returns False, the run saves a checkpoint and stops
    on_validation: called after each validation
    flags:        other flags of `heed train`, with _ for -: epochs=5, threads=2, no_holdout=True"""
    callbacks, validations, notes = Callbacks(), [], []

    def values(kind: Any, pointer: Any) -> Any:
        struct = pointer.contents
        return kind(**{name: bool(getattr(struct, name)) if name in ("best", "validated") else getattr(struct, name)
                       for name, _ in struct._fields_[1:]})

    def validated(pointer: Any, user: Any) -> None:
        validations.append(values(Validation, pointer))
        if on_validation is not None:
            callbacks.goes_on(on_validation, validations[-1])

    def updated(pointer: Any, user: Any) -> int:
        return callbacks.goes_on(on_update, values(Update, pointer)) if on_update is not None else int(callbacks.raised is None)

    options = c.TrainOptions(
        train=c.ended(train or None), valid=c.ended(valid or None), out=c.encode(out), preset=c.encode(preset) if preset else None,
        from_model=c.encode(from_model) if from_model else None, configs=c.ended(configs or None), resume=int(resume),
        overwrite=int(overwrite), settings=c.settings({**(settings or {}), **flags}), on_update=c.UpdateFunction(updated),
        on_validation=c.ValidationFunction(validated),
        on_note=c.NoteFunction(lambda sentence, user: notes.append(sentence.decode("utf-8", "replace"))))
    result = c.TrainResult()
    status = c.call("heed_train", ctypes.byref(options), ctypes.byref(result))
    callbacks.finish()
    return TrainResult(out=os.fspath(out), stopped=status == c.STOPPED, reason=result.reason.decode("utf-8", "replace"), update=result.update,
                       best=result.best if result.has_best else None, validations=validations, notes=notes)
