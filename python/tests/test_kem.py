"""kem_many: both sides, and what it refuses."""

import hashlib
from typing import Literal

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import broadloom
from broadloom.names import KemName

LENGTHS: dict[KemName, tuple[int, int, int]] = {
    "ml-kem-512": (1632, 800, 768),
    "ml-kem-768": (2400, 1184, 1088),
    "ml-kem-1024": (3168, 1568, 1568),
}
#: The object identifiers end with these (RFC 9935, 3).
ARCS: dict[KemName, int] = {"ml-kem-512": 1, "ml-kem-768": 2, "ml-kem-1024": 3}
SEED = bytes(range(64))


def pkcs8(name: KemName, choice: bytes) -> bytes:
    """A private key in DER: PKCS #8 around the choice of RFC 9935, section 6."""

    def der(tag: int, body: bytes) -> bytes:
        size = len(body)
        length = [size] if size < 128 else [0x82, size >> 8, size & 0xFF]
        return bytes([tag, *length]) + body

    oid = bytes.fromhex("06096086480165030404") + bytes([ARCS[name]])
    return der(0x30, b"\x02\x01\x00" + der(0x30, oid) + der(0x04, choice))


@pytest.mark.parametrize("name", LENGTHS)
@pytest.mark.parametrize("threads", [1, 3])
def test_both_sides_have_the_secrets(name: KemName, threads: int) -> None:
    private_length, public_length, ciphertext_length = LENGTHS[name]
    pairs = broadloom.kem_many([b""] * 9, name, "generate", threads=threads)
    assert len({private for private, _ in pairs}) == 9
    for private, public in pairs:
        assert (len(private), len(public)) == (private_length, public_length)
        assert private[-64:-32] == hashlib.sha3_256(public).digest()
    publics = [public for _, public in pairs]
    sent = broadloom.kem_many(publics, name, "encapsulate", threads=threads)
    assert len({secret for _, secret in sent}) == 9
    for (private, _), (ciphertext, secret) in zip(pairs, sent, strict=True):
        assert (len(ciphertext), len(secret)) == (ciphertext_length, 32)
        wrong = bytes([ciphertext[0] ^ 1]) + ciphertext[1:]
        both = [ciphertext, wrong]
        right, rejected = broadloom.kem_many(both, name, "decapsulate", private_key=private)
        assert right == secret
        # SHAKE256 of z and the ciphertext (FIPS 203, section 7.3).
        assert rejected == hashlib.shake_256(private[-32:] + wrong).digest(32)


@pytest.mark.parametrize("name", LENGTHS)
def test_a_seed_and_randomness_determine_everything(name: KemName) -> None:
    [(private, public)] = broadloom.kem_many([SEED], name, "generate")
    assert broadloom.kem_many([SEED], name, "generate") == [(private, public)]
    assert private[-32:] == SEED[32:]
    same = broadloom.kem_many([public + bytes(32)] * 2, name, "encapsulate")
    [other] = broadloom.kem_many([public + b"\x01" * 32], name, "encapsulate")
    assert same[0] == same[1] != other
    ciphertext, secret = other
    seed, expanded = b"\x80\x40" + SEED, len(private).to_bytes(2, "big") + private
    both = b"\x04\x40" + SEED + b"\x04\x82" + expanded
    for key in [
        SEED,
        private,
        bytearray(private),
        pkcs8(name, seed),
        pkcs8(name, b"\x04\x82" + expanded),
        pkcs8(name, b"\x30\x82" + len(both).to_bytes(2, "big") + both),
    ]:
        found = broadloom.kem_many([ciphertext], name, "decapsulate", private_key=key)
        assert found == [secret]


def test_what_is_wrong_is_named() -> None:
    name: KemName = "ml-kem-768"
    [(private, public)] = broadloom.kem_many([SEED], name, "generate")
    with pytest.raises(ValueError, match="to decapsulate takes a private_key"):
        broadloom.kem_many([], name, "decapsulate")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="to encapsulate takes no private_key"):
        broadloom.kem_many([], name, "encapsulate", private_key=SEED)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="no direction; valid: generate, encapsulate, decapsulate"):
        broadloom.kem_many([], name, "agree")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"buffers\[1\]: 63 bytes .* valid: 0 or 64"):
        broadloom.kem_many([SEED, SEED[1:]], name, "generate")
    with pytest.raises(ValueError, match=r"buffers\[0\]: 1183 bytes .* valid: 1184 or 1216"):
        broadloom.kem_many([public[1:]], name, "encapsulate")
    with pytest.raises(ValueError, match=r"buffers\[2\]: the other side's public key"):
        broadloom.kem_many([public, public, b"\xff" * 1184], name, "encapsulate")
    with pytest.raises(ValueError, match=r"buffers\[0\]: 3 bytes .* valid: 1088"):
        broadloom.kem_many([b"abc"], name, "decapsulate", private_key=private)
    damaged = private[:-64] + bytes(32) + private[-32:]
    with pytest.raises(ValueError, match="digest"):
        broadloom.kem_many([], name, "decapsulate", private_key=damaged)
    other = pkcs8("ml-kem-512", b"\x80\x40" + SEED)
    with pytest.raises(ValueError, match="a private key of ml-kem-512, and the algorithm is"):
        broadloom.kem_many([], name, "decapsulate", private_key=other)


HybridName = Literal["x25519-ml-kem-768", "p256-ml-kem-768"]
#: Bytes of a point of the curve.
HYBRIDS: dict[HybridName, int] = {"x25519-ml-kem-768": 32, "p256-ml-kem-768": 65}


def parts(name: HybridName, data: bytes, curve: int) -> tuple[bytes, bytes]:
    """The part of ML-KEM, and that of the curve, as draft-ietf-tls-ecdhe-mlkem orders them."""
    if name == "p256-ml-kem-768":
        return data[curve:], data[:curve]
    return data[:-curve], data[-curve:]


def curve_secrets(name: HybridName, scalar: bytes, point: bytes) -> tuple[bytes, bytes]:
    """The public key of a private key, and the secret with the other side's point."""
    if name == "p256-ml-kem-768":
        key = ec.derive_private_key(int.from_bytes(scalar, "big"), ec.SECP256R1())
        other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        own = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return own, key.exchange(ec.ECDH(), other)
    x_key = x25519.X25519PrivateKey.from_private_bytes(scalar)
    x_other = x25519.X25519PublicKey.from_public_bytes(point)
    return x_key.public_key().public_bytes_raw(), x_key.exchange(x_other)


@pytest.mark.parametrize("name", HYBRIDS)
@pytest.mark.parametrize("threads", [1, 3])
def test_hybrids_are_put_together_of_their_parts(name: HybridName, threads: int) -> None:
    length = HYBRIDS[name]
    pairs = broadloom.kem_many([b""] * 9, name, "generate", threads=threads)
    assert len(set(pairs)) == 9
    publics = [public for _, public in pairs]
    sent = broadloom.kem_many(publics, name, "encapsulate", threads=threads)
    for (private, public), (ciphertext, secret) in zip(pairs, sent, strict=True):
        assert (len(private), len(public)) == (2432, 1184 + length)
        assert (len(ciphertext), len(secret)) == (1088 + length, 64)
        opened = broadloom.kem_many([ciphertext], name, "decapsulate", private_key=private)
        assert opened == [secret]
        key, scalar = parts(name, private, 32)
        text, point = parts(name, ciphertext, length)
        own, agreed = curve_secrets(name, scalar, point)
        assert parts(name, public, length) == (key[1152 : 1152 + 1184], own)
        [encapsulated] = broadloom.kem_many([text], "ml-kem-768", "decapsulate", private_key=key)
        assert parts(name, secret, 32) == (encapsulated, agreed)


@pytest.mark.parametrize("name", HYBRIDS)
def test_what_is_wrong_of_a_hybrid_is_named(name: HybridName) -> None:
    seed = bytes(range(1, 97))
    [(private, public)] = broadloom.kem_many([seed], name, "generate")
    [(ciphertext, secret)] = broadloom.kem_many([public + seed[:64]], name, "encapsulate")
    for key in (seed, private, bytearray(private)):
        found = broadloom.kem_many([ciphertext], name, "decapsulate", private_key=key)
        assert found == [secret]
    with pytest.raises(ValueError, match=r"buffers\[0\]: 95 bytes .* valid: 0 or 96"):
        broadloom.kem_many([seed[1:]], name, "generate")
    with pytest.raises(ValueError, match=r"buffers\[0\]: the other side's public key"):
        broadloom.kem_many([bytes(len(ciphertext))], name, "decapsulate", private_key=seed)
    with pytest.raises(ValueError, match="a private key of a hybrid.*2432"):
        broadloom.kem_many([], name, "decapsulate", private_key=seed[1:])
    with pytest.raises(ValueError, match="no PEM has keys of hybrids"):
        pem = "-----BEGIN PRIVATE KEY-----"
        broadloom.kem_many([], name, "decapsulate", private_key=pem)
