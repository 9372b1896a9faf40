"""seal_many and open_many against cryptography."""

import os

import numpy
import pyarrow
import pytest
from cryptography.hazmat.primitives.ciphers import aead
from hypothesis import given
from hypothesis import strategies as st

import broadloom

PEERS = {
    "aes-128-gcm": (16, aead.AESGCM),
    "aes-256-gcm": (32, aead.AESGCM),
    "chacha20-poly1305": (32, aead.ChaCha20Poly1305),
}
packets = st.lists(
    st.tuples(st.binary(max_size=300), st.binary(min_size=12, max_size=12), st.binary(max_size=40)),
    max_size=40,
)


@given(packets, st.sampled_from(sorted(PEERS)), st.integers(1, 3))
def test_sealed_as_cryptography_does(
    packets: list[tuple[bytes, bytes, bytes]], name: str, threads: int
) -> None:
    length, peer = PEERS[name]
    key = os.urandom(length)
    texts, nonces, associated = ([packet[i] for packet in packets] for i in range(3))
    sealed = broadloom.seal_many(
        texts, key, nonces, name, associated=associated, threads=threads
    )
    assert sealed == [peer(key).encrypt(n, t, a) for t, n, a in packets]
    assert (
        broadloom.open_many(sealed, key, nonces, name, associated=associated, threads=threads)
        == texts
    )


def test_one_piece_of_associated_data_for_all() -> None:
    key, nonces = os.urandom(32), [os.urandom(12) for _ in range(3)]
    sealed = broadloom.seal_many([b"a", b"b", b"c"], key, nonces, associated=b"header")
    expected = aead.AESGCM(key).encrypt(nonces[2], b"c", b"header")
    assert sealed[2] == expected
    assert broadloom.open_many(sealed, key, nonces, associated=b"header") == [b"a", b"b", b"c"]


def test_a_forgery_opens_nothing_and_is_named() -> None:
    key = os.urandom(32)
    nonces = numpy.frombuffer(os.urandom(12 * 600), "uint8").reshape(600, 12)
    sealed = broadloom.seal_many([b"text"] * 600, key, nonces)
    for place in (5, 599):
        sealed[place] = sealed[place][:-1] + bytes([sealed[place][-1] ^ 1])
    out = bytearray(4 * 600)
    with pytest.raises(broadloom.InvalidTag, match=r"2 tags are wrong, the first that of buf") as e:
        broadloom.open_many(sealed, key, nonces, out=out, threads=2)
    assert e.value.indices == [5, 599]
    assert out == bytes(4 * 600)


@pytest.mark.parametrize("threads", [1, 3])
def test_more_than_a_round(threads: int) -> None:
    """Objects are made and written in rounds of at most 16, by bytes."""
    key = os.urandom(32)
    texts = [os.urandom(i * 7 % 2000) for i in range(3000)] + [b"", os.urandom(300_000), b"", b"x"]
    nonces = [i.to_bytes(12, "big") for i in range(len(texts))]
    sealed = broadloom.seal_many(texts, key, nonces, threads=threads)
    one = aead.AESGCM(key)
    assert sealed == [one.encrypt(n, t, None) for n, t in zip(nonces, texts, strict=True)]
    assert broadloom.open_many(sealed, key, nonces, threads=threads) == texts
    for place in (3, 2999, 3001):
        sealed[place] = bytes([sealed[place][0] ^ 1]) + sealed[place][1:]
    with pytest.raises(broadloom.InvalidTag, match="3 tags are wrong") as e:
        broadloom.open_many(sealed, key, nonces, threads=threads)
    assert e.value.indices == [3, 2999, 3001]


def test_forms_of_results() -> None:
    key, nonces = os.urandom(32), [os.urandom(12) for _ in range(3)]
    sealed = broadloom.seal_many([b"abc", b"def", b"ghi"], key, nonces)
    rows = broadloom.seal_many([b"abc", b"def", b"ghi"], key, nonces, result="numpy")
    assert [row.tobytes() for row in rows] == sealed
    opened = broadloom.open_many(rows, key, nonces, result="arrow")
    assert pyarrow.array(opened).to_pylist() == [b"abc", b"def", b"ghi"]
    out = bytearray(9)
    assert broadloom.open_many(sealed, key, nonces, out=out) is out
    assert out == b"abcdefghi"
    with pytest.raises(ValueError, match="result 0 has 17 bytes and result 1 has 18"):
        broadloom.seal_many([b"a", b"bc"], key, nonces[:2], result="numpy")


def test_wrong_arguments() -> None:
    key, nonce = bytes(32), bytes(12)
    with pytest.raises(ValueError, match="1 nonces for 2 buffers; give one for each"):
        broadloom.seal_many([b"a", b"b"], key, [nonce])
    with pytest.raises(ValueError, match="3 associated data for 1 buffers"):
        broadloom.seal_many([b"a"], key, [nonce], associated=[b"", b"", b""])
    with pytest.raises(ValueError, match="31"):
        broadloom.seal_many([b"a"], bytes(31), [nonce])
    with pytest.raises(ValueError, match=r"buffers\[0\]: a nonce of 0|no nonce was given"):
        broadloom.seal_many([b"a"], key, [b""])
    with pytest.raises(ValueError, match='"sha256" is no AEAD; valid: aes-128-gcm'):
        broadloom.seal_many([b"a"], key, [nonce], "sha256")
    with pytest.raises(ValueError, match=r"buffers\[1\] is shorter than its tag"):
        broadloom.open_many([bytes(16), bytes(15)], key, [nonce, nonce])


def test_records_that_are_too_short_have_places() -> None:
    buffers = [bytes(20), b"abc", bytes(16), b""]
    with pytest.raises(ValueError, match=r"buffers\[1\] is shorter than its tag") as error:
        broadloom.open_many(buffers, bytes(32), [bytes(12)] * 4)
    assert error.value.indices == [1, 3]  # type: ignore[attr-defined]
