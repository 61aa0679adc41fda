"""Reads a file that heed wrote with nothing but Python's struct and json.

usage: safetensors_python_test.py TEST_MODEL_BINARY
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def rotl(x, n):
    return ((x << n) | (x >> (64 - n))) & MASK


def xxh64(data):
    """The digest of heed.checksum, written a second time so that the two check each other."""
    def mix(lane, word):
        return rotl((lane + word * P2) & MASK, 31) * P1 & MASK

    assert len(data) >= 32
    lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
    full = len(data) // 32 * 32
    for at in range(0, full, 32):
        lanes = [mix(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
    h = sum(rotl(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18))) & MASK
    for lane in lanes:
        h = ((h ^ mix(0, lane)) * P1 + P4) & MASK
    h = (h + len(data)) & MASK
    tail = data[full:]
    while len(tail) >= 8:
        h = (rotl(h ^ mix(0, struct.unpack_from("<Q", tail)[0]), 27) * P1 + P4) & MASK
        tail = tail[8:]
    if len(tail) >= 4:
        h = (rotl(h ^ (struct.unpack_from("<I", tail)[0] * P1 & MASK), 23) * P2 + P3) & MASK
        tail = tail[4:]
    for byte in tail:
        h = rotl(h ^ (byte * P5 & MASK), 11) * P1 & MASK
    h = (h ^ (h >> 33)) * P2 & MASK
    h = (h ^ (h >> 29)) * P3 & MASK
    return h ^ (h >> 32)


def equal(what, got, expected):
    if got != expected:
        sys.exit(f"{what}: got {got!r}, expected {expected!r}")


def check(data):
    (length,) = struct.unpack_from("<Q", data)
    equal("where the data begins, modulo 64", (8 + length) % 64, 0)
    header = json.loads(data[8:8 + length].decode("utf-8"))
    body = data[8 + length:]

    metadata = header.pop("__metadata__")
    digest = metadata.pop("heed.checksum")
    equal("metadata", metadata, {"heed.format": "1", "words": "a\nb\t\"c\"\\ é 𝄞 \x01", "empty": ""})
    equal("checksum", digest, f"{xxh64(data[:42] + b'0' * 16 + data[58:]):016x}")

    formats = {"F64": "d", "F32": "f", "I64": "q", "BOOL": "?", "F16": "e"}
    values, covered = {}, 0
    for name, info in header.items():
        begin, end = info["data_offsets"]
        equal(f"{name} begins", begin, covered)
        covered = end
        count = 1
        for size in info["shape"]:
            count *= size
        values[name] = (info["dtype"], info["shape"], struct.unpack("<%d%s" % (count, formats[info["dtype"]]), body[begin:end]))
    equal("bytes of data", len(body), covered)

    def float32(*numbers):
        return struct.unpack("<%df" % len(numbers), struct.pack("<%df" % len(numbers), *numbers))

    equal("tensors", values, {
        "flags": ("BOOL", [3], (True, False, True)),
        "encoder.weight": ("F32", [2, 3], float32(1.5, -2.25, 0.0, 3e38, 1e-40, -0.0)),
        "nothing": ("F16", [0, 7], ()),
        "ids": ("I64", [3], (0, -1, 2**63 - 1)),
        "löss": ("F64", [], (0.1,)),
    })


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample.safetensors")
        subprocess.run([sys.argv[1], "--gtest_filter=SafetensorsFiles.WritesTheSampleForPython"], check=True,
                       env={**os.environ, "HEED_SAMPLE": path}, stdout=subprocess.DEVNULL)
        with open(path, "rb") as file:
            check(file.read())


main()
