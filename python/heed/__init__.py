"""heed: neural machine translation with attention, on CPUs.

    >>> import heed
    >>> translator = heed.Translator("models/pocket-en-de.safetensors")
    >>> translator.translate(["We see a dog."])[0].text
    'Wir sehen einen Hund.'

Everything is computed by the library libheed, which is found next to this package, in the folder `build` of a source
tree, in the directories of the system, or by the environment variable HEED_LIBRARY. Calls release the lock of the
interpreter, so other threads run meanwhile; a translator may be used by many threads at once.
"""

from ._library import HeedError, InputError, InternalError, UsageError, library_path, version
from .alignment import Link, align
from .metrics import Score, Scores, score
from .state_dict import from_state_dict, to_state_dict
from .training import TrainResult, Update, Validation, train
from .translation import Picture, Result, Token, Translation, Warning
from .translator import Translator

__version__ = version()
__all__ = ["HeedError", "InputError", "InternalError", "Link", "Picture", "Result", "Score", "Scores", "Token", "TrainResult",
           "Translation", "Translator", "Update", "UsageError", "Validation", "Warning", "align", "from_state_dict", "library_path",
           "score", "to_state_dict", "train", "version"]
