"""sign_many and verify_many against cryptography."""

from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, x25519

import broadloom

MESSAGES = [bytes([i]) * i for i in range(20)]
RSA = rsa.generate_private_key(65537, 2048)
P256 = ec.generate_private_key(ec.SECP256R1())
P384 = ec.generate_private_key(ec.SECP384R1())
P521 = ec.generate_private_key(ec.SECP521R1())
K1 = ec.generate_private_key(ec.SECP256K1())
ED25519 = ed25519.Ed25519PrivateKey.generate()
PSS = padding.PSS(padding.MGF1(hashes.SHA256()), 32)


def private_pem(key: Any) -> bytes:
    none = serialization.NoEncryption()
    pem: bytes = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, none
    )
    return pem


def public_pem(key: Any) -> str:
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    pem: bytes = key.public_key().public_bytes(serialization.Encoding.PEM, spki)
    return pem.decode()


CASES = [
    (RSA, None, lambda s, m: RSA.public_key().verify(s, m, padding.PKCS1v15(), hashes.SHA256())),
    (RSA, "pss", lambda s, m: RSA.public_key().verify(s, m, PSS, hashes.SHA256())),
    (P256, None, lambda s, m: P256.public_key().verify(s, m, ec.ECDSA(hashes.SHA256()))),
    (P384, None, lambda s, m: P384.public_key().verify(s, m, ec.ECDSA(hashes.SHA256()))),
    (P521, None, lambda s, m: P521.public_key().verify(s, m, ec.ECDSA(hashes.SHA256()))),
    (K1, None, lambda s, m: K1.public_key().verify(s, m, ec.ECDSA(hashes.SHA256()))),
    (ED25519, None, lambda s, m: ED25519.public_key().verify(s, m)),
]


@pytest.mark.parametrize(("key", "name", "verify"), CASES)
@pytest.mark.parametrize("threads", [1, 3])
def test_signatures_that_cryptography_takes(key: Any, name: Any, verify: Any, threads: int) -> None:
    signatures = broadloom.sign_many(MESSAGES, private_pem(key), padding=name, threads=threads)
    for signature, message in zip(signatures, MESSAGES, strict=True):
        verify(signature, message)
    wrong = [*signatures]
    wrong[7] = signatures[6]
    wrong[8] = b""
    right = broadloom.verify_many(MESSAGES, wrong, public_pem(key), padding=name, threads=threads)
    assert right == [place not in (7, 8) for place in range(20)]


def test_der_and_another_hash() -> None:
    der = RSA.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    [signature] = broadloom.sign_many([b"m"], der, hash="sha512", padding="pkcs1v15")
    RSA.public_key().verify(signature, b"m", padding.PKCS1v15(), hashes.SHA512())


def test_wrong_keys_and_paddings() -> None:
    with pytest.raises(ValueError, match="PEM|DER|key"):
        broadloom.sign_many([b"m"], b"no key")
    with pytest.raises(ValueError, match="X25519"):
        broadloom.sign_many([b"m"], private_pem(x25519.X25519PrivateKey.generate()))
    with pytest.raises(ValueError, match='"oaep" is no padding; valid: pkcs1v15, pss'):
        broadloom.sign_many([b"m"], private_pem(RSA), padding="oaep")
    with pytest.raises(ValueError, match="has none; leave it out"):
        broadloom.sign_many([b"m"], private_pem(ED25519), padding="pss")
    with pytest.raises(ValueError, match="1 signatures for 2 buffers"):
        broadloom.verify_many([b"a", b"b"], [b"s"], public_pem(RSA))


def pss(salt_length: Any) -> padding.PSS:
    return padding.PSS(padding.MGF1(hashes.SHA256()), salt_length)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (None, padding.PSS.DIGEST_LENGTH),
        ("digest", padding.PSS.DIGEST_LENGTH),
        ("max", padding.PSS.MAX_LENGTH),
        (0, 0),
        (20, 20),
        (222, padding.PSS.MAX_LENGTH),
    ],
)
def test_salts_of_pss(ours: Any, theirs: Any) -> None:
    arguments = {"padding": "pss", "salt_length": ours}
    signatures = broadloom.sign_many(MESSAGES, private_pem(RSA), **arguments)
    for signature, message in zip(signatures, MESSAGES, strict=True):
        RSA.public_key().verify(signature, message, pss(theirs), hashes.SHA256())
    foreign = [RSA.sign(message, pss(theirs), hashes.SHA256()) for message in MESSAGES]
    assert broadloom.verify_many(MESSAGES, foreign, public_pem(RSA), **arguments) == [True] * 20
    session = broadloom.Session.verify(public_pem(RSA), **arguments)
    job = broadloom.Job(session, MESSAGES[3], signature=foreign[3])
    queue = broadloom.QueuePair()
    queue.enqueue([job])
    queue.flush()
    assert queue.dequeue()[0].result() is True


def test_the_salt_that_other_programs_take() -> None:
    """The longest and that of the digest are right, unless one is asked for."""
    longest = [RSA.sign(m, pss(padding.PSS.MAX_LENGTH), hashes.SHA256()) for m in MESSAGES]
    usual = [RSA.sign(m, pss(padding.PSS.DIGEST_LENGTH), hashes.SHA256()) for m in MESSAGES]
    mixed = [*longest[:10], *usual[10:]]
    mixed[4], mixed[14] = mixed[5], b"no signature"
    expected = [place not in (4, 14) for place in range(20)]
    for threads in (1, 3):
        right = broadloom.verify_many(
            MESSAGES, mixed, public_pem(RSA), padding="pss", threads=threads
        )
        assert right == expected
    right = broadloom.verify_many(
        MESSAGES, mixed, public_pem(RSA), padding="pss", salt_length="digest"
    )
    assert right == [place >= 10 and place != 14 for place in range(20)]


def test_wrong_salts() -> None:
    for salt_length in (-1, "longest", 1.5):
        with pytest.raises(ValueError, match="salt_length is .*valid: a number of bytes, 'digest'"):
            broadloom.sign_many([b"m"], private_pem(RSA), padding="pss", salt_length=salt_length)
    with pytest.raises(ValueError, match="do not fit into the modulus"):
        broadloom.sign_many([b"m"], private_pem(RSA), padding="pss", salt_length=223)
    for key, name in ((RSA, None), (RSA, "pkcs1v15"), (ED25519, None)):
        with pytest.raises(ValueError, match="only padding='pss' has a salt"):
            broadloom.sign_many([b"m"], private_pem(key), padding=name, salt_length=32)
