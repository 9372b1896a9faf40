"""broadloom.zlib against zlib: the same calls, in pieces of any size."""

import inspect
import random
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import broadloom.zlib

TEXT = b"".join(b"%d the warp, the weft\n" % (i * i) for i in range(60_000))
NOISE = random.Random(3).randbytes(700_000)
#: A piece of a stream: of text or noise, where it begins, and its length.
pieces = st.lists(
    st.tuples(
        st.sampled_from(["text", "noise"]),
        st.integers(0, 200_000),
        st.integers(0, 3000) | st.just(300_000),
    ),
    max_size=6,
)
FLUSHES = [zlib.Z_PARTIAL_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH]


def test_the_names_are_zlibs() -> None:
    ours = vars(broadloom.zlib)
    for name, value in vars(zlib).items():
        if not name.startswith("_"):
            assert name in ours, name
            assert isinstance(value, (int, str)) <= (ours[name] == value), name
    assert set(broadloom.zlib.__all__) >= {name for name in vars(zlib) if name[0] != "_"}
    for name in ("compress", "decompress", "compressobj", "decompressobj"):
        theirs = inspect.signature(getattr(zlib, name)).parameters.values()
        arguments = list(inspect.signature(getattr(broadloom.zlib, name)).parameters.values())
        assert [(a.name, a.kind) for a in arguments[: len(theirs)]] == [
            (a.name, a.kind) for a in theirs
        ]
    for ours_is, theirs_is in (
        (broadloom.zlib.compressobj(), zlib.compressobj()),
        (broadloom.zlib.decompressobj(), zlib.decompressobj()),
    ):
        assert {name for name in dir(theirs_is) if name[0] != "_"} <= set(dir(ours_is))


@settings(deadline=None, max_examples=50)
@given(
    pieces,
    st.lists(st.sampled_from([*FLUSHES, zlib.Z_NO_FLUSH]), min_size=12, max_size=12),
    st.sampled_from([15, -15, 31]),
    st.integers(1, 3),
    st.integers(-1, 12),
)
def test_a_stream_that_is_flushed_is_whole_so_far(
    pieces: list[tuple[str, int, int]], flushes: list[int], wbits: int, threads: int, level: int
) -> None:
    packer = broadloom.zlib.compressobj(level, wbits=wbits, threads=threads)
    reader = zlib.decompressobj(wbits)
    given_so_far = read = b""
    for (source, start, length), flush in zip(pieces, flushes, strict=False):
        piece = (TEXT if source == "text" else NOISE)[start : start + length]
        read += reader.decompress(packer.compress(piece))
        given_so_far += piece
        flushed = packer.flush(flush)
        read += reader.decompress(flushed)
        if flush == zlib.Z_NO_FLUSH:
            assert flushed == b""
        else:
            assert read == given_so_far
            assert packer.flush(zlib.Z_SYNC_FLUSH) == b""
    read += reader.decompress(packer.flush())
    assert read == given_so_far and reader.eof and reader.unused_data == b""


def test_a_flush_right_behind_a_chunk() -> None:
    # A compression has chunks of 256 KiB, and nothing is left of these.
    for length in (256 << 10, 512 << 10, (256 << 10) - 1, (256 << 10) + 1):
        for threads in (1, 2):
            packer = broadloom.zlib.compressobj(1, threads=threads)
            reader = zlib.decompressobj()
            for _ in range(3):
                packed = packer.compress(NOISE[:length]) + packer.flush(zlib.Z_SYNC_FLUSH)
                assert reader.decompress(packed) == NOISE[:length]
            assert reader.decompress(packer.flush()) == b"" and reader.eof


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=20) | st.just(TEXT[:3000]), max_size=4),
    st.sampled_from([(15, 15), (-15, -15), (31, 31), (15, 47), (31, 47), (9, 9), (25, 31)]),
    st.integers(0, 30),
    st.randoms(use_true_random=False),
)
def test_decompression_in_pieces(
    pieces: list[bytes], wbits: tuple[int, int], behind: int, draw: random.Random
) -> None:
    draw = random.Random(draw.getrandbits(32))
    longest = draw.choice([3, 100, 3000])
    theirs = zlib.compressobj(1, zlib.DEFLATED, wbits[0])
    packed = b"".join(map(theirs.compress, pieces)) + theirs.flush() + bytes(range(behind))
    one, other = broadloom.zlib.decompressobj(wbits[1]), zlib.decompressobj(wbits[1])
    plain = b""
    while not one.eof:
        size, most = draw.randint(1, longest), draw.choice([0, 0, 100, 700, 4000])
        piece, packed = one.unconsumed_tail + packed[:size], packed[size:]
        found = one.decompress(piece, most)
        assert found == other.decompress(piece, most)
        plain += found
        assert (one.eof, one.unused_data, one.unconsumed_tail) == (
            other.eof,
            other.unused_data,
            other.unconsumed_tail,
        )
        if draw.random() < 0.1:
            one, other = one.copy(), other.copy()
    assert one.decompress(packed) == other.decompress(packed) == b""
    assert plain == b"".join(pieces) and one.unused_data == other.unused_data
    assert one.flush() == other.flush() == b"" and one.eof


@pytest.mark.parametrize("wbits", [15, -15])
def test_dictionaries(wbits: int) -> None:
    zdict = TEXT[:20_000]
    packer = broadloom.zlib.compressobj(9, wbits=wbits, zdict=zdict)
    packed = packer.compress(TEXT[:10_000]) + packer.copy().flush()
    assert len(packed) < 200
    assert zlib.decompressobj(wbits, zdict).decompress(packed) == TEXT[:10_000]
    assert broadloom.zlib.decompressobj(wbits, zdict).decompress(packed) == TEXT[:10_000]
    if wbits == 15:
        with pytest.raises(broadloom.zlib.error, match="Error 2"):
            broadloom.zlib.decompressobj().decompress(packed)


@pytest.mark.parametrize("wbits", [*range(9, 15), *range(-14, -8), *range(25, 31)])
@pytest.mark.parametrize("strategy", [zlib.Z_DEFAULT_STRATEGY, zlib.Z_RLE, zlib.Z_FIXED])
def test_small_windows_and_strategies(wbits: int, strategy: int) -> None:
    packer = broadloom.zlib.compressobj(6, zlib.DEFLATED, wbits, 8, strategy)
    theirs = zlib.compressobj(6, zlib.DEFLATED, wbits, 8, strategy)
    packed = packer.compress(TEXT) + packer.flush()
    assert packed == theirs.compress(TEXT) + theirs.flush()
    assert broadloom.zlib.decompress(packed, wbits) == TEXT
    assert zlib.decompress(broadloom.zlib.compress(TEXT, 6, wbits), wbits) == TEXT


def test_limits_of_a_stream() -> None:
    packed = zlib.compress(bytes(1_000_000))
    exact = broadloom.zlib.decompressobj(limit=1_000_000)
    plain = exact.decompress(packed, 400_000)
    while exact.unconsumed_tail:
        plain += exact.decompress(exact.unconsumed_tail, 400_000)
    assert plain + exact.flush() == bytes(1_000_000) and exact.eof
    short = broadloom.zlib.decompressobj(limit=999_999)
    with pytest.raises(broadloom.zlib.error, match="limit"):
        short.decompress(packed)
    late = broadloom.zlib.decompressobj(limit=500_000)
    assert late.decompress(packed, 300_000) == bytes(300_000)
    with pytest.raises(ValueError, match="limit"):
        late.flush()
    with pytest.raises(ValueError, match="limit is -1"):
        broadloom.zlib.decompressobj(limit=-1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"wbits": 7}, "wbits is 7; valid: 9 to 15"),
        ({"method": 9}, "method is 9; valid: 8"),
        ({"memLevel": 10}, "memLevel is 10; valid: 1 to 9"),
        ({"strategy": 5}, "strategy is 5; valid: 0 to 4"),
        ({"level": 13}, "level is 13; valid: 0 to 12"),
        ({"level": 12, "zdict": b"warp"}, "level is 12; valid: -1 to 9 with zdict"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        broadloom.zlib.compressobj(**arguments)


def test_what_a_compression_on_threads_does_not_have() -> None:
    packer = broadloom.zlib.compressobj()
    with pytest.raises(ValueError, match=r"mode is 5 \(Z_BLOCK\); valid: Z_NO_FLUSH"):
        packer.flush(zlib.Z_BLOCK)
    with pytest.raises(NotImplementedError, match="has no copy"):
        packer.copy()
    packer.flush()
    with pytest.raises(broadloom.zlib.error, match="the stream is finished"):
        packer.flush()


def test_an_input_that_goes_on_in_another_stream() -> None:
    """Two streams, one behind the other, as protocols have them."""
    packed = broadloom.zlib.compress(TEXT) + broadloom.zlib.compress(NOISE)
    first = broadloom.zlib.decompressobj()
    assert first.decompress(packed) == TEXT
    second = broadloom.zlib.decompressobj()
    assert second.decompress(first.unused_data) == NOISE
    assert second.eof and second.unused_data == b""
