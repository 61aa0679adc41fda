"""Taking a file of heed apart and putting it together again, with the checksum recomputed."""

import ctypes
import ctypes.util
import json
import struct

PREFIX = b'{"__metadata__":{"heed.checksum":"'
ALIGNMENT = 64


def xxh64(content):
    name = ctypes.util.find_library("xxhash") or "libxxhash.so.0"
    function = ctypes.CDLL(name).XXH64
    function.restype, function.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)
    return function(content, len(content), 0)


def read(path):
    """Metadata, entries of the tensors by name, and their bytes."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    return header.pop("__metadata__"), header, content[8 + length:]


def header_of(metadata, entries):
    """The header as text; metadata may be anything that JSON can hold."""
    if isinstance(metadata, dict):
        metadata = {"heed.checksum": "0" * 16, **{k: v for k, v in metadata.items() if k != "heed.checksum"}}
    return json.dumps({"__metadata__": metadata, **entries}, separators=(",", ":"), ensure_ascii=False)


def pack(header, data, length=None):
    """A file with this header (bytes); the checksum is set if the header has a place for it."""
    if len(header) % ALIGNMENT != ALIGNMENT - 8:
        header += b" " * ((ALIGNMENT - 8 - len(header)) % ALIGNMENT)
    content = struct.pack("<Q", len(header) if length is None else length) + header + data
    if not header.startswith(PREFIX):
        return content
    begin = 8 + len(PREFIX)
    blank = content[:begin] + b"0" * 16 + content[begin + 16:]
    return content[:begin] + b"%016x" % xxh64(blank) + content[begin + 16:]
