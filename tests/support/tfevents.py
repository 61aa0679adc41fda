"""Reads TensorBoard event files: its own CRC-32C (by table) and protobuf reader, independent of heed's writer."""

import struct


def make_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = make_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(content):
    """The data of all records; ValueError if one is incomplete or has a wrong checksum."""
    at = 0
    while at < len(content):
        head = content[at:at + 12]
        if len(head) < 12:
            raise ValueError(f"the record at byte {at} is cut off")
        length, check = struct.unpack("<QI", head)
        if masked(head[:8]) != check:
            raise ValueError(f"the checksum of the length at byte {at} is wrong")
        data, tail = content[at + 12:at + 12 + length], content[at + 12 + length:at + 16 + length]
        if len(data) < length or len(tail) < 4:
            raise ValueError(f"the record at byte {at} is cut off")
        if masked(data) != struct.unpack("<I", tail)[0]:
            raise ValueError(f"the checksum of the data at byte {at} is wrong")
        yield data
        at += 16 + length


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """(number, value) of a protobuf message: int, float or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            (value,), at = struct.unpack("<d" if wire == 1 else "<f", data[at:at + size]), at + size
        elif wire == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError("a field is longer than its message")
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {wire}")
        yield number, value


def read_events(content):
    """(time of the start, [(time, step, {tag: value})…]) of a file's bytes; ValueError if it is not an event file."""
    messages = [dict(fields(data)) for data in records(content)]
    if not messages or messages[0].get(3) != b"brain.Event:2":
        raise ValueError("the first event does not name the version")
    events = []
    for message in messages[1:]:
        values = {}
        for number, value in fields(message[5]):
            if number != 1:
                raise ValueError(f"field {number} in a summary")
            parts = dict(fields(value))
            values[parts[1].decode()] = parts[2]
        events.append((message[1], message.get(2, 0), values))
    return messages[0][1], events
