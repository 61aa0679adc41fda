"""Word alignment."""

import ctypes
from typing import List, NamedTuple, Optional, Sequence

from . import _library as c


class Link(NamedTuple):
    """A link between two words, counted from 0."""

    source: int
    target: int
    sure: bool = True


def align(sources: Sequence[str], targets: Sequence[str], *, pretokenized: bool = False, source_language: str = "",
          target_language: str = "", threads: int = 0) -> List[List[Link]]:
    """Links between the words of sentences and their translations, learned from the two texts alone; a few thousand pairs
    are enough. Translator.align() uses the attention of a model instead.

    pretokenized: words are separated by spaces; otherwise heed splits the text by the rules of the languages"""
    sources, targets = list(sources), list(targets)
    if len(sources) != len(targets):
        raise c.UsageError(f"{len(sources)} and {len(targets)} lines; the two sides must have the same number")
    options = c.AlignOptions(pretokenized=int(pretokenized), threads=threads, source_language=c.encode(source_language),
                             target_language=c.encode(target_language))
    return aligned(None, sources, targets, options)


def aligned(translator: Optional[int], sources: Sequence[str], targets: Sequence[str], options: c.AlignOptions) -> List[List[Link]]:
    handle = ctypes.c_void_p()
    c.call("heed_align", translator, c.strings(sources), c.strings(targets), len(sources), ctypes.byref(options), ctypes.byref(handle))
    try:
        all_links = []
        links, count = ctypes.POINTER(c.Link)(), ctypes.c_size_t()
        for line in range(len(sources)):
            c.call("heed_alignments_get", handle, line, ctypes.byref(links), ctypes.byref(count))
            all_links.append([Link(k.source, k.target, bool(k.sure)) for k in links[:count.value]])
        return all_links
    finally:
        c.free("heed_alignments_free", handle.value)
