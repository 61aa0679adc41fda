"""The wire format of protocol buffers, as far as subword models use it."""


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def fields(content):
    """(number, wire type, payload) of each field of a message."""
    found, at = [], 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(content):
        key = number()
        kind = key & 7
        if kind == 0:
            begin = at
            number()
            payload = content[begin:at]
        else:
            size = {1: 8, 5: 4}.get(kind) or number()
            payload = content[at:at + size]
            at += size
        found.append((key >> 3, kind, payload))
    return found


def message(parts):
    """The message with these (number, wire type, payload)."""
    return b"".join(varint(number << 3 | kind) + (varint(len(payload)) if kind == 2 else b"") + payload
                    for number, kind, payload in parts)
