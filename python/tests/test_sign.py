"""sign_many and verify_many against cryptography."""

from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, x25519

import broadloom

MESSAGES = [bytes([i]) * i for i in range(20)]
RSA = rsa.generate_private_key(65537, 2048)
P256 = ec.generate_private_key(ec.SECP256R1())
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
