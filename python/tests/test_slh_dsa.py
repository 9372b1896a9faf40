"""SLH-DSA by sign_many and verify_many, with keys that another program made."""

import pytest

import broadloom

MESSAGES = [bytes([i]) * i for i in range(9)]
# Bytes of a signature (FIPS 205, table 2).
SETS = {"slh-dsa-sha2-128f": 17088, "slh-dsa-shake-128f": 17088, "slh-dsa-sha2-192f": 35664}
#: The private key (PKCS #8) of each set, whose end is its public key.
PRIVATE = {
    "slh-dsa-sha2-128f": (
        "3052020100300b06096086480165030403150440992550ee4216e4ce5e4b35d86c37b5589c79bd37"
        "87f0a250afdf416acbe979a29080611b6cc67d6938e12448515e646b299870fbc98dae8d6773e30f"
        "10b82efb"
    ),
    "slh-dsa-shake-128f": (
        "3052020100300b060960864801650304031b0440e5fb7a2d0c9f04c30b73c7699c8252b9116a4a70"
        "8ce8a0369e627765e30d46c5a29aeae2d8034111f76d2e3cf5d6dbbf82e5620d65c64a9f30deb8f2"
        "cbe560fa"
    ),
    "slh-dsa-sha2-192f": (
        "3072020100300b06096086480165030403170460c038b762b42f4cafd6fab8858fa65a67a55a0107"
        "7e0bb5be7bf196a1cdddecad97455877957f06f610ddf00fc91eb058ed6a43f5b59fb38b81eec791"
        "0ad738ce9238cab96e4611518393d5b29a12faf85f325668a92ae09b761d4329afcec2c7"
    ),
}
#: What stands before a public key (SubjectPublicKeyInfo).
PUBLIC = {
    "slh-dsa-sha2-128f": "3030300b0609608648016503040315032100",
    "slh-dsa-shake-128f": "3030300b060960864801650304031b032100",
    "slh-dsa-sha2-192f": "3040300b0609608648016503040317033100",
}


def keys(name: str) -> tuple[bytes, bytes]:
    """The private and the public key of a set, in DER."""
    private, head = bytes.fromhex(PRIVATE[name]), bytes.fromhex(PUBLIC[name])
    # The last byte of the head stands before the key; the one before it counts both.
    return private, head + private[1 - head[-2] :]


@pytest.mark.parametrize("name", SETS)
def test_signatures_hold_under_their_context_alone(name: str) -> None:
    private, public = keys(name)
    signatures = broadloom.sign_many(MESSAGES, private, context=b"a loom", threads=2)
    assert {len(signature) for signature in signatures} == {SETS[name]}
    right = broadloom.verify_many(MESSAGES, signatures, public, context=b"a loom")
    assert right == [True] * 9
    for context in (None, b"", b"a wheel"):
        right = broadloom.verify_many(MESSAGES, signatures, public, context=context)
        assert right == [False] * 9
    wrong = [signatures[1], signatures[1][:-1], *signatures[2:]]
    right = broadloom.verify_many(MESSAGES, wrong, public, context=bytearray(b"a loom"), threads=2)
    assert right == [False, False, *[True] * 7]


def test_hedged_signatures_differ() -> None:
    private, public = keys("slh-dsa-sha2-128f")
    plain = broadloom.sign_many([b"warp"] * 2, private)
    assert plain[0] == plain[1]
    hedged = broadloom.sign_many([b"warp"] * 2, private, hedged=True)
    assert len({*plain, *hedged}) == 3
    assert broadloom.verify_many([b"warp"] * 4, plain + hedged, public) == [True] * 4


@pytest.mark.parametrize("name", SETS)
def test_new_keys_sign(name: str) -> None:
    private, public = keys(name)
    # The bytes of a private key are three seeds, and the root that follows from them.
    node = (len(private) - 20) // 4
    seed = private[-4 * node : -node]
    pairs = broadloom.generate_keys([seed, b"", b""], name, threads=2)  # type: ignore[arg-type]
    assert pairs[0] == (private, public)
    assert len({private for private, _ in pairs}) == 3
    signatures = [broadloom.sign_many([b"warp"], private)[0] for private, _ in pairs]
    for index, (_, public) in enumerate(pairs):
        right = broadloom.verify_many([b"warp"] * 3, signatures, public)
        assert right == [index == other for other in range(3)]


def test_a_seed_of_another_length_is_refused() -> None:
    for wrong in (b"s", bytes(32), bytes(47), bytes(49)):
        with pytest.raises(ValueError, match=rf"seeds\[1\]: .*{len(wrong)}.*48"):
            broadloom.generate_keys([b"", wrong], "slh-dsa-shake-128f")


def process(job: broadloom.Job) -> list[object]:
    queue = broadloom.QueuePair()
    queue.enqueue([job])
    queue.flush()
    return [done.result() for done in queue.dequeue()]


def test_sessions_have_a_context() -> None:
    private, public = keys("slh-dsa-shake-128f")
    session = broadloom.Session.sign(private, context=b"a loom", hedged=True)
    [signature] = process(broadloom.Job(session, b"warp"))
    assert isinstance(signature, bytes)
    for context, right in ((b"a loom", True), (b"a wheel", False)):
        session = broadloom.Session.verify(public, context=context)
        assert process(broadloom.Job(session, b"warp", signature=signature)) == [right]


def test_what_is_wrong_is_named() -> None:
    ed25519 = bytes.fromhex("302e020100300506032b657004220420" + 32 * "07")
    with pytest.raises(ValueError, match="takes no context string; SLH-DSA"):
        broadloom.sign_many([b"m"], ed25519, context=b"a loom")
    with pytest.raises(ValueError, match="only signatures of SLH-DSA.* can be hedged"):
        broadloom.sign_many([b"m"], ed25519, hedged=True)
    private, public = keys("slh-dsa-sha2-128f")
    with pytest.raises(ValueError, match="256 bytes does not fit slh-dsa-sha2-128f"):
        broadloom.sign_many([b"m"], private, context=bytes(256))
    with pytest.raises(ValueError, match="has none; leave it out"):
        broadloom.sign_many([b"m"], private, padding="pss")
    with pytest.raises(TypeError, match="context"):
        broadloom.verify_many([b"m"], [b""], public, context="a loom")  # type: ignore[arg-type]
