"""Tests of the frames (header and blob) that are sent over pipes and sockets."""

import os
import socket
import threading

import pytest
from evoscope_runner import protocol


@pytest.mark.parametrize("blob", [b"", b"\0\xff\n", b"x" * 3_000_000])
def test_a_frame_is_read_as_it_was_written(blob: bytes) -> None:
    source, sink = os.pipe()
    header = {"op": "run", "text": "é\n", "none": None}
    writer = threading.Thread(target=protocol.write_frame, args=(sink, header, blob))
    writer.start()
    assert protocol.read_frame(source) == (header, blob)
    writer.join()
    os.close(sink)
    with pytest.raises(EOFError):
        protocol.read_frame(source)
    os.close(source)


def test_an_incomplete_frame_counts_as_the_end() -> None:
    source, sink = os.pipe()
    os.write(sink, protocol.encode_frame({"op": "run"}, b"12345")[:-1])
    os.close(sink)
    with pytest.raises(EOFError):
        protocol.read_frame(source)
    os.close(source)


def test_half_a_surrogate_pair_is_replaced() -> None:
    source, sink = os.pipe()
    protocol.write_frame(sink, {"id": "test[\ud800]"})
    assert protocol.read_frame(source)[0] == {"id": "test[?]"}
    os.close(source)
    os.close(sink)


def test_descriptors_are_sent_with_a_message() -> None:
    one, other = socket.socketpair()
    source, sink = os.pipe()
    with one, other:
        protocol.send_with_descriptors(one, {"op": "run"}, [source, sink])
        protocol.send_with_descriptors(one, {"op": "next"}, [])
        header, received = protocol.receive_with_descriptors(other)
        assert header == {"op": "run"}
        os.write(received[1], b"x")
        assert os.read(source, 9) == b"x"
        assert protocol.receive_with_descriptors(other) == ({"op": "next"}, [])
        one.close()
        with pytest.raises(EOFError):
            protocol.receive_with_descriptors(other)
    for descriptor in (source, sink, *received):
        os.close(descriptor)


def test_a_blob_is_split_by_sizes() -> None:
    files = [{"size": 2}, {"size": 0}, {"size": 3}]
    assert [part for _, part in protocol.split_blob(files, b"abcde")] == [b"ab", b"", b"cde"]
