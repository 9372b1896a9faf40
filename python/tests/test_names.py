"""The names that type checkers know are those that the engine has."""

import hashlib
from collections.abc import Callable
from typing import get_args

import pytest

import broadloom
from broadloom import names


def literals(alias: object) -> set[str]:
    """The strings of a type alias, which may be a union."""
    return {
        name
        for part in get_args(alias)
        for name in ([part] if isinstance(part, str) else literals(part))
    }


def valid(call: Callable[[str], object]) -> set[str]:
    """The names that an error lists for one that stands for nothing."""
    with pytest.raises(ValueError, match="; valid: ") as caught:
        call("no such name")
    return set(str(caught.value).partition("; valid: ")[2].split(", "))


def hashlibs(hashes: set[str]) -> set[str]:
    """The names by which hashlib has them, where these are others."""
    names = {name.replace("-", "_").replace("shake", "shake_") for name in hashes}
    # hashlib has no BLAKE3, and SM3 where OpenSSL has it.
    assert names - {"blake3", "sm3"} <= hashlib.algorithms_available
    return names


def test_hashes() -> None:
    hashes = valid(lambda name: broadloom.hash_many([], name))  # type: ignore[call-overload]
    assert literals(names.HashName) == hashes | hashlibs(hashes)
    for name in literals(names.HashName):
        assert broadloom.new(name).digest() == broadloom.hash_many([b""], name)[0]  # type: ignore
    assert literals(names.HmacHashName) == {
        name
        for name in literals(names.HashName)
        if not name.startswith(("blake", "shake"))
    }
    for name in literals(names.HmacHashName):
        assert len(broadloom.hmac_many([b""], b"key", name)) == 1  # type: ignore[call-overload]


def test_ciphers() -> None:
    seal = valid(lambda name: broadloom.Session.seal(bytes(32), name))  # type: ignore[arg-type]
    assert literals(names.AeadName) == seal
    encrypt = valid(lambda name: broadloom.Session.encrypt(bytes(32), name))  # type: ignore
    assert literals(names.CipherName) == encrypt


def test_key_encapsulation() -> None:
    sets = valid(lambda name: broadloom.kem_many([], name, "generate"))  # type: ignore
    assert literals(names.KemName) == sets


def test_signatures() -> None:
    sets = valid(lambda name: broadloom.generate_keys([], name))  # type: ignore[arg-type]
    assert literals(names.SignatureName) == sets


def test_formats() -> None:
    formats = valid(lambda name: broadloom.compress_many([], name))  # type: ignore[call-overload]
    assert literals(names.FormatName) == formats
