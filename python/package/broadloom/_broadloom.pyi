"""The native module. Users import ``broadloom``."""

from asyncio import Future
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, final, overload

from _typeshed import ReadableBuffer, StrPath, WriteableBuffer

from broadloom.names import (
    AeadName,
    CipherName,
    FormatName,
    HashName,
    HmacHashName,
    KemName,
    SignatureName,
)

__version__: str

_Out = TypeVar("_Out", bound=WriteableBuffer)

class _ArrowArray(Protocol):
    """An object that exports an Arrow array."""
    def __arrow_c_array__(self, requested_schema: Any = None, /) -> tuple[Any, Any]: ...

class _ArrowStream(Protocol):
    """An object that exports a stream of Arrow arrays."""
    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...

_ArrowArrayLike: TypeAlias = _ArrowArray | _ArrowStream
# A bytes-like object with two dimensions has its rows for buffers.
_Buffers: TypeAlias = Iterable[ReadableBuffer] | ReadableBuffer

# Bytes of the salt of PSS.
_SaltLength: TypeAlias = int | Literal["digest", "max"]

class InvalidTag(Exception):
    indices: list[int]

class InternalError(RuntimeError): ...

class PacketError(Exception):
    reason: str

@final
class Flow:
    def protect_many(
        self,
        packets: _Buffers,
        *,
        kind: int | None = None,
        numbers: Sequence[int] | None = None,
    ) -> list[bytes | PacketError]: ...
    @overload
    def unprotect_many(
        self, packets: _Buffers, *, with_kinds: Literal[False] = False
    ) -> list[bytes | PacketError]: ...
    @overload
    def unprotect_many(
        self, packets: _Buffers, *, with_kinds: Literal[True]
    ) -> list[tuple[bytes, int] | PacketError]: ...
    def statistics(self) -> dict[str, int]: ...

@final
class Array:
    def __len__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def null_count(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

@final
class ChunkedArray:
    def __len__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def num_chunks(self) -> int: ...
    @property
    def null_count(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

@final
class Hasher:
    def __new__(
        cls,
        name: HashName,
        data: ReadableBuffer | None = None,
        *,
        key: ReadableBuffer | None = None,
    ) -> Hasher: ...
    def update(self, data: ReadableBuffer) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> Hasher: ...
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...

@final
class Session:
    @staticmethod
    def hash(algorithm: HashName = "sha256") -> Session: ...
    @staticmethod
    def hmac(key: ReadableBuffer, algorithm: HmacHashName = "sha256") -> Session: ...
    @staticmethod
    def seal(key: ReadableBuffer, algorithm: AeadName = "aes-256-gcm") -> Session: ...
    @staticmethod
    def open(key: ReadableBuffer, algorithm: AeadName = "aes-256-gcm") -> Session: ...
    @staticmethod
    def encrypt(key: ReadableBuffer, algorithm: CipherName) -> Session: ...
    @staticmethod
    def decrypt(key: ReadableBuffer, algorithm: CipherName) -> Session: ...
    @staticmethod
    def sign(
        private_key: str | ReadableBuffer,
        *,
        hash: HashName = "sha256",
        padding: Literal["pkcs1v15", "pss"] | None = None,
        salt_length: _SaltLength | None = None,
        context: ReadableBuffer | None = None,
        hedged: bool = False,
        external_mu: bool = False,
    ) -> Session: ...
    @staticmethod
    def verify(
        public_key: str | ReadableBuffer,
        *,
        hash: HashName = "sha256",
        padding: Literal["pkcs1v15", "pss"] | None = None,
        salt_length: _SaltLength | None = None,
        context: ReadableBuffer | None = None,
        external_mu: bool = False,
    ) -> Session: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def provider(self) -> str: ...
    # A job that verifies gives a bool, and any other one bytes.
    def process(
        self,
        data: ReadableBuffer,
        *,
        nonce: ReadableBuffer | None = None,
        associated: ReadableBuffer | None = None,
        signature: ReadableBuffer | None = None,
    ) -> Future[Any]: ...

@final
class Job:
    def __new__(
        cls,
        session: Session,
        data: ReadableBuffer,
        *,
        nonce: ReadableBuffer | None = None,
        associated: ReadableBuffer | None = None,
        signature: ReadableBuffer | None = None,
        user: Any = None,
    ) -> Job: ...
    @property
    def user(self) -> Any: ...
    @property
    def done(self) -> bool: ...
    def result(self) -> Any: ...

@final
class QueuePair:
    def __new__(cls, capacity: int = 1024) -> QueuePair: ...
    def enqueue(self, jobs: Iterable[Job]) -> int: ...
    def flush(self) -> None: ...
    def dequeue(self, limit: int | None = None) -> list[Job]: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def capacity(self) -> int: ...

@final
class Workers:
    def __new__(cls, threads: int | None = None) -> Workers: ...
    def submit(self, jobs: Iterable[Job]) -> int: ...
    def poll(self) -> list[Job]: ...
    def fileno(self) -> int: ...
    @property
    def is_here(self) -> bool: ...

@final
class Coder:
    @staticmethod
    def compress(format: FormatName, level: int, *, threads: int | None, mtime: int) -> Coder: ...
    @staticmethod
    def decompress(
        format: FormatName | None, *, threads: int | None, limit: int | None, at_once: bool = False
    ) -> Coder: ...
    @staticmethod
    def encrypt(recipients: list[str], *, threads: int | None) -> Coder: ...
    @staticmethod
    def decrypt(identities: list[str], *, threads: int | None) -> Coder: ...
    def feed(self, data: ReadableBuffer) -> list[bytes]: ...
    def push(self, data: ReadableBuffer) -> None: ...
    def flush(self) -> list[bytes]: ...
    def read_into(self, buffer: WriteableBuffer) -> int | None: ...
    def finish(self) -> list[bytes]: ...
    def end(self) -> None: ...
    def pull(self) -> list[bytes] | None: ...
    def abandon(self) -> None: ...
    @property
    def is_here(self) -> bool: ...

@final
class Repository:
    @staticmethod
    def open(address: str, password: ReadableBuffer, create: bool) -> Repository: ...
    def keep_lock(self, keeps: bool) -> None: ...
    def backup(
        self,
        paths: Sequence[StrPath],
        *,
        tags: list[str],
        parent: str | None,
        threads: int | None,
        memory: int,
    ) -> tuple[str | None, list[tuple[Path, str]]]: ...
    def merge(
        self, snapshots: list[str], *, paths: list[str], tags: list[str]
    ) -> str: ...
    def tagged(self, tag: str) -> list[str]: ...
    def forget(self, snapshots: list[str]) -> None: ...

@overload
def hash_many(
    buffers: _Buffers,
    algorithm: HashName = "sha256",
    *,
    threads: int | None = 1,
    result: Literal["bytes"] | None = None,
    out: None = None,
) -> list[bytes]: ...
@overload
def hash_many(
    buffers: _Buffers,
    algorithm: HashName = "sha256",
    *,
    threads: int | None = 1,
    result: Literal["numpy"],
) -> Any: ...
@overload
def hash_many(
    buffers: _Buffers,
    algorithm: HashName = "sha256",
    *,
    threads: int | None = 1,
    result: Literal["arrow"],
) -> Array: ...
@overload
def hash_many(
    buffers: _Buffers,
    algorithm: HashName = "sha256",
    *,
    threads: int | None = 1,
    out: _Out,
) -> _Out: ...
@overload
def hmac_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    algorithm: HmacHashName = "sha256",
    *,
    threads: int | None = 1,
    result: Literal["bytes"] | None = None,
    out: None = None,
) -> list[bytes]: ...
@overload
def hmac_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    algorithm: HmacHashName = "sha256",
    *,
    threads: int | None = 1,
    result: Literal["numpy"],
) -> Any: ...
@overload
def hmac_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    algorithm: HmacHashName = "sha256",
    *,
    threads: int | None = 1,
    result: Literal["arrow"],
) -> Array: ...
@overload
def hmac_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    algorithm: HmacHashName = "sha256",
    *,
    threads: int | None = 1,
    out: _Out,
) -> _Out: ...
@overload
def seal_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    nonces: _Buffers,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | Iterable[ReadableBuffer] | None = None,
    threads: int | None = 1,
    result: Literal["bytes"] | None = None,
    out: None = None,
) -> list[bytes]: ...
@overload
def seal_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    nonces: _Buffers,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | Iterable[ReadableBuffer] | None = None,
    threads: int | None = 1,
    result: Literal["numpy"],
) -> Any: ...
@overload
def seal_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    nonces: _Buffers,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | Iterable[ReadableBuffer] | None = None,
    threads: int | None = 1,
    result: Literal["arrow"],
) -> Array: ...
@overload
def seal_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    nonces: _Buffers,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | Iterable[ReadableBuffer] | None = None,
    threads: int | None = 1,
    out: _Out,
) -> _Out: ...
@overload
def open_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    nonces: _Buffers,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | Iterable[ReadableBuffer] | None = None,
    threads: int | None = 1,
    result: Literal["bytes"] | None = None,
    out: None = None,
) -> list[bytes]: ...
@overload
def open_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    nonces: _Buffers,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | Iterable[ReadableBuffer] | None = None,
    threads: int | None = 1,
    result: Literal["numpy"],
) -> Any: ...
@overload
def open_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    nonces: _Buffers,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | Iterable[ReadableBuffer] | None = None,
    threads: int | None = 1,
    result: Literal["arrow"],
) -> Array: ...
@overload
def open_many(
    buffers: _Buffers,
    key: ReadableBuffer,
    nonces: _Buffers,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | Iterable[ReadableBuffer] | None = None,
    threads: int | None = 1,
    out: _Out,
) -> _Out: ...
@overload
def sign_many(
    buffers: _Buffers,
    private_key: str | ReadableBuffer,
    *,
    hash: HashName = "sha256",
    padding: Literal["pkcs1v15", "pss"] | None = None,
    salt_length: _SaltLength | None = None,
    context: ReadableBuffer | None = None,
    hedged: bool = False,
    external_mu: bool = False,
    threads: int | None = 1,
    result: Literal["bytes"] | None = None,
) -> list[bytes]: ...
@overload
def sign_many(
    buffers: _Buffers,
    private_key: str | ReadableBuffer,
    *,
    hash: HashName = "sha256",
    padding: Literal["pkcs1v15", "pss"] | None = None,
    salt_length: _SaltLength | None = None,
    context: ReadableBuffer | None = None,
    hedged: bool = False,
    external_mu: bool = False,
    threads: int | None = 1,
    result: Literal["numpy"],
) -> Any: ...
@overload
def sign_many(
    buffers: _Buffers,
    private_key: str | ReadableBuffer,
    *,
    hash: HashName = "sha256",
    padding: Literal["pkcs1v15", "pss"] | None = None,
    salt_length: _SaltLength | None = None,
    context: ReadableBuffer | None = None,
    hedged: bool = False,
    external_mu: bool = False,
    threads: int | None = 1,
    result: Literal["arrow"],
) -> Array: ...
@overload
def hash_files(
    paths: Iterable[StrPath],
    algorithm: HashName = "sha256",
    *,
    threads: int | None = None,
    result: Literal["bytes"] | None = None,
) -> list[bytes]: ...
@overload
def hash_files(
    paths: Iterable[StrPath],
    algorithm: HashName = "sha256",
    *,
    threads: int | None = None,
    result: Literal["numpy"],
) -> Any: ...
@overload
def hash_files(
    paths: Iterable[StrPath],
    algorithm: HashName = "sha256",
    *,
    threads: int | None = None,
    result: Literal["arrow"],
) -> Array: ...
@overload
def hash_chunks(
    file: StrPath,
    size: int,
    algorithm: HashName = "sha256",
    *,
    threads: int | None = None,
    result: Literal["bytes"] | None = None,
) -> list[bytes]: ...
@overload
def hash_chunks(
    file: StrPath,
    size: int,
    algorithm: HashName = "sha256",
    *,
    threads: int | None = None,
    result: Literal["numpy"],
) -> Any: ...
@overload
def hash_chunks(
    file: StrPath,
    size: int,
    algorithm: HashName = "sha256",
    *,
    threads: int | None = None,
    result: Literal["arrow"],
) -> Array: ...
@overload
def kem_many(
    buffers: _Buffers,
    algorithm: KemName,
    direction: Literal["generate", "encapsulate"],
    *,
    private_key: None = None,
    threads: int | None = 1,
) -> list[tuple[bytes, bytes]]: ...
@overload
def kem_many(
    buffers: _Buffers,
    algorithm: KemName,
    direction: Literal["decapsulate"],
    *,
    private_key: str | ReadableBuffer,
    threads: int | None = 1,
) -> list[bytes]: ...
def generate_keys(
    seeds: _Buffers,
    algorithm: SignatureName,
    *,
    threads: int | None = 1,
) -> list[tuple[bytes, bytes]]: ...
def verify_many(
    buffers: _Buffers,
    signatures: _Buffers,
    public_key: str | ReadableBuffer,
    *,
    hash: HashName = "sha256",
    padding: Literal["pkcs1v15", "pss"] | None = None,
    salt_length: _SaltLength | None = None,
    context: ReadableBuffer | None = None,
    external_mu: bool = False,
    threads: int | None = 1,
) -> list[bool]: ...
@overload
def compress_many(
    buffers: _Buffers,
    format: FormatName = "gzip",
    level: int = 6,
    *,
    threads: int | None = 1,
    result: Literal["bytes"] | None = None,
) -> list[bytes]: ...
@overload
def compress_many(
    buffers: _Buffers,
    format: FormatName = "gzip",
    level: int = 6,
    *,
    threads: int | None = 1,
    result: Literal["numpy"],
) -> Any: ...
@overload
def compress_many(
    buffers: _Buffers,
    format: FormatName = "gzip",
    level: int = 6,
    *,
    threads: int | None = 1,
    result: Literal["arrow"],
) -> Array: ...
@overload
def decompress_many(
    buffers: _Buffers,
    format: FormatName | None = None,
    *,
    limit: int | None = None,
    threads: int | None = 1,
    result: Literal["bytes"] | None = None,
) -> list[bytes]: ...
@overload
def decompress_many(
    buffers: _Buffers,
    format: FormatName | None = None,
    *,
    limit: int | None = None,
    threads: int | None = 1,
    result: Literal["numpy"],
) -> Any: ...
@overload
def decompress_many(
    buffers: _Buffers,
    format: FormatName | None = None,
    *,
    limit: int | None = None,
    threads: int | None = 1,
    result: Literal["arrow"],
) -> Array: ...
def compress(
    data: ReadableBuffer, format: FormatName, level: int, *, threads: int | None, mtime: int
) -> bytes: ...
def decompress(
    data: ReadableBuffer, format: FormatName | None, *, threads: int | None, limit: int | None
) -> bytes: ...
def age_encrypt(
    data: ReadableBuffer, recipients: list[str], *, threads: int | None, armor: bool
) -> bytes: ...
def age_decrypt(
    data: ReadableBuffer, identities: list[str], *, threads: int | None
) -> bytes: ...
def age_keygen() -> tuple[str, str]: ...
def packets_esp(
    key: ReadableBuffer,
    spi: int,
    algorithm: str,
    *,
    salt: ReadableBuffer | None,
    integrity_key: ReadableBuffer | None,
    direction: str,
    mode: str,
    source: str | None,
    destination: str | None,
    udp: bool,
    extended: bool,
    window: int,
    first_number: int,
) -> Flow: ...
def packets_srtp(
    key: ReadableBuffer,
    salt: ReadableBuffer,
    profile: str,
    *,
    mki: bytes,
    window: int,
    max_streams: int,
    cryptex: bool,
    plain_rtcp: bool,
) -> Flow: ...
def packets_quic(
    suite: str,
    *,
    send: ReadableBuffer | None,
    receive: ReadableBuffer | None,
    version: int,
    packets: str,
    peer_id_len: int,
    own_id_len: int,
    given_numbers: bool,
    window: int,
) -> Flow: ...
def packets_quic_initial(connection_id: bytes, *, is_server: bool, version: int) -> Flow: ...
def packets_wireguard(
    send_key: ReadableBuffer, peer_index: int, receive_key: ReadableBuffer, own_index: int
) -> Flow: ...
def packets_records(
    suite: str,
    write: ReadableBuffer | tuple[ReadableBuffer, ReadableBuffer],
    read: ReadableBuffer | tuple[ReadableBuffer, ReadableBuffer],
    *,
    write_number: int,
    read_number: int,
    epoch: int,
    window: int,
) -> Flow: ...
def hash_column(
    array: _ArrowArrayLike, algorithm: HashName, *, threads: int | None
) -> Any: ...
def hmac_column(
    array: _ArrowArrayLike, key: ReadableBuffer, algorithm: HmacHashName, *, threads: int | None
) -> Any: ...
def encrypt_column(
    array: _ArrowArrayLike,
    key: ReadableBuffer,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | None = None,
    threads: int | None = 1,
) -> Any: ...
def decrypt_column(
    array: _ArrowArrayLike,
    key: ReadableBuffer,
    algorithm: AeadName = "aes-256-gcm",
    *,
    associated: ReadableBuffer | None = None,
    text: bool = False,
    threads: int | None = 1,
) -> Any: ...
