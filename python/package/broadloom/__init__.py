"""Hash, authenticate, encrypt, sign and compress many independent buffers at once.

Every buffer gets a lane of the CPU's vectors, and all lanes advance together. One call with many
buffers also costs Python less than many calls with one.

>>> import broadloom
>>> digests = broadloom.hash_many([b"one", b"two", b"three"], "sha256")
>>> digests[0].hex()[:16]
'7692c3ad3540bb80'

The functions ``*_many`` take a list or any other iterable of bytes-like objects, or an array of two
dimensions, whose rows are the buffers. They release the GIL. Read-only objects are read where they
are; objects that can be written to are copied first, so that a change during the call does no
harm. The README says more.
"""

from broadloom import _asyncio as _asyncio
from broadloom._broadloom import (
    __version__ as __version__,
)
from broadloom._broadloom import (
    Hasher,
    InternalError,
    InvalidTag,
    Job,
    QueuePair,
    Session,
    compress_many,
    decompress_many,
    generate_keys,
    hash_chunks,
    hash_files,
    hash_many,
    hmac_many,
    kem_many,
    open_many,
    seal_many,
    sign_many,
    verify_many,
)
from broadloom._files import hash_tree, new

__all__ = [
    "Hasher",
    "InternalError",
    "InvalidTag",
    "Job",
    "QueuePair",
    "Session",
    "compress_many",
    "decompress_many",
    "generate_keys",
    "hash_chunks",
    "hash_files",
    "hash_many",
    "hash_tree",
    "hmac_many",
    "kem_many",
    "new",
    "open_many",
    "seal_many",
    "sign_many",
    "verify_many",
]
