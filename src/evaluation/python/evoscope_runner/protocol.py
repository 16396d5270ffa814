"""Frames: the messages between Evoscope and the runner, and between processes of the runner. A frame is the length of a
JSON header and the length of a blob, each in four bytes, big-endian, followed by the header and the blob."""

import array
import json
import os
import socket
import struct
from typing import Any, Dict, List, Sequence, Tuple

Header = Dict[str, Any]

LENGTHS = struct.Struct(">II")


def read_exact(descriptor: int, count: int) -> bytes:
    """Reads exactly `count` bytes. Raises `EOFError` if the stream has fewer bytes."""
    parts = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            raise EOFError("the stream has ended")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of `data`, in several calls if necessary."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def read_frame(descriptor: int) -> Tuple[Header, bytes]:
    """Reads the next frame: its header and its blob. Raises `EOFError` if the stream has no complete frame."""
    header, blob = LENGTHS.unpack(read_exact(descriptor, LENGTHS.size))
    return json.loads(read_exact(descriptor, header).decode("utf-8")), read_exact(descriptor, blob)


def encode_frame(header: Header, blob: bytes = b"") -> bytes:
    """A frame as bytes. A lone surrogate, for example in the name of a test, becomes `?`, because UTF-8 cannot encode
    surrogates."""
    text = json.dumps(header, ensure_ascii=False).encode("utf-8", "replace")
    return LENGTHS.pack(len(text), len(blob)) + text + blob


def write_frame(descriptor: int, header: Header, blob: bytes = b"") -> None:
    write_all(descriptor, encode_frame(header, blob))


def send_with_descriptors(channel: socket.socket, header: Header, descriptors: Sequence[int]) -> None:
    """Writes a frame without a blob, and passes open descriptors with its first byte."""
    data = encode_frame(header)
    rights = array.array("i", descriptors)
    sent = channel.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if descriptors else [])
    channel.sendall(data[sent:])


def receive_with_descriptors(channel: socket.socket, most: int = 4) -> Tuple[Header, List[int]]:
    """Reads a frame from `send_with_descriptors`: its header, and up to `most` descriptors. Raises `EOFError` if the
    sender has closed the socket."""
    received = array.array("i")
    first, ancillary, _, _ = channel.recvmsg(1, socket.CMSG_SPACE(most * received.itemsize))
    if not first:
        raise EOFError("the other side has closed the socket")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            received.frombytes(data[: len(data) - len(data) % received.itemsize])
    rest = read_exact(channel.fileno(), LENGTHS.size - 1)
    length, blob = LENGTHS.unpack(first + rest)
    header = json.loads(read_exact(channel.fileno(), length).decode("utf-8"))
    read_exact(channel.fileno(), blob)
    return header, list(received)


def split_blob(files: Sequence[Header], blob: bytes) -> List[Tuple[Header, bytes]]:
    """Splits a blob into the contents of `files`, in their order. The `size` of a file is the length of its content in
    bytes."""
    parts, at = [], 0
    for file in files:
        parts.append((file, blob[at : at + file["size"]]))
        at += file["size"]
    return parts
