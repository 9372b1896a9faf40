"""Names of algorithms, as type checkers know them.

>>> from broadloom.names import HashName
>>> chosen: HashName = "sha3-256"

Names that come from elsewhere, as settings do, are checked when they are used: another one is a
ValueError that lists the valid names. ``typing.cast`` tells a type checker so. Names are valid in
capital letters, too, which type checkers do not know.
"""

from typing import Literal, TypeAlias

__all__ = [
    "AeadName",
    "CipherName",
    "FormatName",
    "HashName",
    "HmacHashName",
    "KemName",
    "SignatureName",
]

#: Hashes that have an HMAC, as this package or as hashlib writes them.
HmacHashName: TypeAlias = Literal[
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sm3",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "sha3_224",
    "sha3_256",
    "sha3_384",
    "sha3_512",
]
#: All hashes.
HashName: TypeAlias = (
    HmacHashName
    | Literal["blake3", "shake128", "shake256", "shake_128", "shake_256"]
)
#: Authenticated encryption with associated data.
AeadName: TypeAlias = Literal[
    "aes-128-gcm",
    "aes-192-gcm",
    "aes-256-gcm",
    "aes-128-ccm",
    "aes-192-ccm",
    "aes-256-ccm",
    "chacha20-poly1305",
    "xchacha20-poly1305",
]
#: Ciphers without authentication.
CipherName: TypeAlias = Literal[
    "aes-128-cbc",
    "aes-192-cbc",
    "aes-256-cbc",
    "aes-128-ctr",
    "aes-192-ctr",
    "aes-256-ctr",
    "aes-128-ctr32",
    "aes-192-ctr32",
    "aes-256-ctr32",
    "aes-128-cfb",
    "aes-192-cfb",
    "aes-256-cfb",
    "aes-128-ofb",
    "aes-192-ofb",
    "aes-256-ofb",
    "aes-128-ecb",
    "aes-192-ecb",
    "aes-256-ecb",
    "aes-128-xts",
    "aes-256-xts",
    "chacha20",
    "3des-cbc",
    "3des-ctr",
    "3des-ecb",
    "des-cbc",
    "des-ctr",
    "des-ecb",
    "kasumi-f8",
    "rc4",
]
#: Key encapsulation.
KemName: TypeAlias = Literal[
    "ml-kem-512",
    "ml-kem-768",
    "ml-kem-1024",
    "x25519-ml-kem-768",
    "p256-ml-kem-768",
]
#: Signatures whose keys ``generate_keys`` makes.
SignatureName: TypeAlias = Literal[
    "ml-dsa-44",
    "ml-dsa-65",
    "ml-dsa-87",
    "slh-dsa-sha2-128s",
    "slh-dsa-sha2-128f",
    "slh-dsa-sha2-192s",
    "slh-dsa-sha2-192f",
    "slh-dsa-sha2-256s",
    "slh-dsa-sha2-256f",
    "slh-dsa-shake-128s",
    "slh-dsa-shake-128f",
    "slh-dsa-shake-192s",
    "slh-dsa-shake-192f",
    "slh-dsa-shake-256s",
    "slh-dsa-shake-256f",
]
#: Formats of compressed data.
FormatName: TypeAlias = Literal["gzip", "bgzf", "zlib", "raw"]
