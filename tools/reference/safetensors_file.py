"""Reading and writing safetensors files: 8 bytes of header length, a JSON header, then the tensors' bytes."""

import json
import struct

import numpy

TYPES = {"F32": "<f4", "I64": "<i8"}


def read(path):
    """The metadata and the tensors (name -> array) of a file."""
    with open(path, "rb") as file:
        content = file.read()
    try:
        (length,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + length])
        metadata = header.pop("__metadata__", {})
        tensors = {}
        for name, entry in header.items():
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            tensors[name] = numpy.frombuffer(content[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    except (struct.error, ValueError, LookupError) as problem:
        raise ValueError(f"{path} is not a safetensors file of {' and '.join(TYPES)} tensors: {problem}") from problem
    return metadata, tensors


def write(path, metadata, tensors):
    """Writes a file. Eight-byte types come first and the header is padded, so that every tensor is aligned."""
    header, data = {"__metadata__": metadata}, b""
    for kind in ("I64", "F32"):
        for name, array in tensors.items():
            if array.dtype == numpy.dtype(TYPES[kind]):
                content = numpy.ascontiguousarray(array).tobytes()
                header[name] = {"dtype": kind, "shape": list(array.shape),
                                "data_offsets": [len(data), len(data) + len(content)]}
                data += content
    left_out = set(tensors) - set(header)
    if left_out:
        raise ValueError(f"only {', '.join(TYPES)} tensors can be written, not {', '.join(sorted(left_out))}")
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
