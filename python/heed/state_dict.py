"""The parameters of models as state dicts: {name: tensor}, as PyTorch and numpy programs use them.

A model file is a safetensors file: a length, a header in JSON and the data. Tensors have the layout of PyTorch."""

import json
import os
import struct
import tempfile
from typing import Any, Dict

from . import _library as c

_TYPES = {"F32": ("f", 4), "F64": ("d", 8)}


def to_state_dict(model: Any, framework: str = "numpy") -> Dict[str, Any]:
    """The parameters of a model file or run directory, copied.

    framework: "numpy" (arrays), "torch" (tensors), or "python" (memoryviews with a shape, without other packages)"""
    if framework not in ("numpy", "torch", "python"):
        raise c.UsageError(f"framework is {framework!r}, expected numpy, torch or python")
    path = os.path.join(model, "model.safetensors") if os.path.isdir(model) else os.fspath(model)
    try:
        with open(path, "rb") as file:
            data = file.read()
        length, = struct.unpack_from("<Q", data)
        header = json.loads(data[8:8 + length])
        return {name: _tensor(data, 8 + length, entry, framework) for name, entry in header.items() if name != "__metadata__"}
    except (struct.error, ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise c.InputError(f"{path!r} is not a model file, or it is damaged: {error}") from error


def _tensor(data: bytes, start: int, entry: Dict[str, Any], framework: str) -> Any:
    code, size = _TYPES[entry["dtype"]]
    begin, end = entry["data_offsets"]
    shape = entry["shape"]
    if start + end > len(data) or end - begin != size * _product(shape):
        raise ValueError("a tensor lies outside the file")
    content = bytearray(data[start + begin:start + end])
    if framework == "python":
        return memoryview(content).cast(code, shape) if shape and content else memoryview(content).cast(code)
    if framework == "torch":
        import torch
        return torch.frombuffer(content, dtype=torch.float32 if code == "f" else torch.float64).reshape(shape)
    import numpy
    return numpy.frombuffer(content, dtype="<f4" if code == "f" else "<f8").reshape(shape)


def _product(shape: Any) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def from_state_dict(state: Dict[str, Any], *, like: Any, out: Any) -> None:
    """Writes a model with the parameters of a state dict: PyTorch tensors, numpy arrays or memoryviews of floats. All else
    (architecture, vocabularies) is that of the model `like`, so names and shapes must be those of to_state_dict(like)."""
    header, chunks, position = {}, [], 0
    for name, value in state.items():
        content, shape = _float_bytes(name, value)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [position, position + len(content)]}
        chunks.append(content)
        position += len(content)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with tempfile.NamedTemporaryFile(prefix="heed-", suffix=".safetensors") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(chunks)
        file.flush()
        c.call("heed_model_write", c.encode(like), file.name.encode(), c.encode(out))


def _float_bytes(name: str, value: Any) -> Any:
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach().cpu().float().contiguous().numpy()
    if hasattr(value, "astype"):  # an array of numpy
        value = value.astype("<f4", order="C", copy=False)
        return value.tobytes(), value.shape
    view = memoryview(value)
    if view.format == "f":
        return view.tobytes(), view.shape
    if view.format == "d":
        flat = memoryview(view.tobytes()).cast("d")
        return struct.pack(f"<{len(flat)}f", *flat), view.shape
    raise c.UsageError(f"the tensor {name!r} has elements of the format {view.format!r}, expected floats")
