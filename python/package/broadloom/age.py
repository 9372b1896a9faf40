"""Files of age (age-encryption.org/v1), encrypted and decrypted on all cores.

age and rage read what is written here, and the other way round.

>>> import broadloom.age
>>> identity, recipient = broadloom.age.keygen()
>>> sealed = broadloom.age.encrypt(b"the warp, the weft", [recipient])
>>> broadloom.age.decrypt(sealed, [identity])
b'the warp, the weft'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadloom import _broadloom

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import ReadableBuffer

__all__ = ["decrypt", "encrypt", "keygen"]


def keygen() -> tuple[str, str]:
    """A new identity (``AGE-SECRET-KEY-1...``, a secret), and its recipient (``age1...``)."""
    return _broadloom.age_keygen()


def encrypt(
    data: ReadableBuffer,
    recipients: Iterable[str],
    *,
    threads: int | None = None,
    armor: bool = False,
) -> bytes:
    """Encrypts data for recipients, each of whom can decrypt.

    Raises ValueError where there is no recipient, or one is wrong.
    """
    return _broadloom.age_encrypt(data, list(recipients), threads=threads, armor=armor)


def decrypt(
    data: ReadableBuffer, identities: Iterable[str], *, threads: int | None = None
) -> bytes:
    """Decrypts a file, armoured or not, with the identities that fit.

    Raises InvalidTag for a file that was changed, EOFError for one that ends too early, ValueError
    for another file, or where no identity fits.
    """
    return _broadloom.age_decrypt(data, list(identities), threads=threads)
