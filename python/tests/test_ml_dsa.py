"""generate_keys, and sign_many and verify_many with keys of ML-DSA."""

import asyncio
import hashlib
import pathlib

import pytest

import broadloom

MESSAGES = [bytes([i]) * i for i in range(20)]
#: Bytes of a private key, of a public key and of a signature.
LENGTHS = {
    "ml-dsa-44": (2560, 1312, 2420),
    "ml-dsa-65": (4032, 1952, 3309),
    "ml-dsa-87": (4896, 2592, 4627),
}
#: What OpenSSL 3.5 made: public keys, and signatures of a message.
OPENSSL = pathlib.Path(__file__).parents[2] / "crates/cli/tests/ml_dsa"


@pytest.mark.parametrize("algorithm", LENGTHS)
def test_new_keys_sign(algorithm: str) -> None:
    seeds = [b"", bytes(range(32)), bytes(range(32)), b""]
    pairs = broadloom.generate_keys(seeds, algorithm, threads=2)  # type: ignore[arg-type]
    assert pairs[1] == pairs[2]
    assert len(set(pairs)) == 3
    private_len, public_len, signature_len = LENGTHS[algorithm]
    for private, public in pairs:
        assert len(private) > private_len
        assert public_len < len(public) < public_len + 30
        signatures = broadloom.sign_many(MESSAGES, private)
        assert {len(signature) for signature in signatures} == {signature_len}
        assert broadloom.verify_many(MESSAGES, signatures, public) == [True] * 20
        assert broadloom.verify_many(MESSAGES[1:], signatures[:-1], public) == [False] * 19
    other = pairs[0][1]
    signatures = broadloom.sign_many(MESSAGES, pairs[1][0])
    assert broadloom.verify_many(MESSAGES, signatures, other) == [False] * 20


@pytest.mark.parametrize("algorithm", LENGTHS)
def test_signatures_are_those_of_openssl(algorithm: str) -> None:
    public = (OPENSSL / f"{algorithm}.pub.pem").read_text()
    message = (OPENSSL / "message.txt").read_bytes()
    signature = (OPENSSL / f"{algorithm}.sig").read_bytes()
    wrong = signature[:-1] + bytes([signature[-1] ^ 1])
    right = broadloom.verify_many([message] * 3, [signature, wrong, b""], public)
    assert right == [True, False, False]


@pytest.mark.parametrize("algorithm", LENGTHS)
def test_mu_stands_for_the_message(algorithm: str) -> None:
    [(private, public)] = broadloom.generate_keys([b""], algorithm)  # type: ignore[arg-type]
    # The public key is the end of its DER.
    digest = hashlib.shake_256(public[-LENGTHS[algorithm][1] :]).digest(64)
    context = b"a realm"
    prefix = digest + bytes([0, len(context)]) + context
    mus = [hashlib.shake_256(prefix + message).digest(64) for message in MESSAGES]
    signatures = broadloom.sign_many(mus, private, external_mu=True)
    assert signatures == broadloom.sign_many(MESSAGES, private, context=context)
    assert broadloom.verify_many(mus, signatures, public, external_mu=True) == [True] * 20
    assert broadloom.verify_many(MESSAGES, signatures, public, context=context) == [True] * 20
    wrong = broadloom.verify_many(mus[1:], signatures[:-1], public, external_mu=True)
    assert wrong == [False] * 19
    signer = broadloom.Session.sign(private, external_mu=True)
    verifier = broadloom.Session.verify(public, external_mu=True)

    async def both() -> tuple[bytes, bool]:
        made = await signer.process(mus[3])
        return made, await verifier.process(mus[3], signature=made)

    assert asyncio.run(both()) == (signatures[3], True)
    with pytest.raises(ValueError, match="context string in it already"):
        broadloom.sign_many(mus, private, context=context, external_mu=True)
    with pytest.raises(ValueError, match="only ML-DSA takes mu"):
        key = bytes.fromhex("302e020100300506032b657004220420" + 32 * "07")
        broadloom.sign_many(mus, key, external_mu=True)
    with pytest.raises(ValueError, match=r"buffers\[0\]: .*63"):
        broadloom.sign_many([bytes(63)], private, external_mu=True)


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="ml-dsa-65"):
        broadloom.generate_keys([b""], "ml-dsa-66")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"seeds\[1\]: .*31"):
        broadloom.generate_keys([b"", bytes(31)], "ml-dsa-44")
    [(private, _)] = broadloom.generate_keys([b""], "ml-dsa-44")
    with pytest.raises(ValueError, match="padding"):
        broadloom.sign_many([b""], private, padding="pss")
