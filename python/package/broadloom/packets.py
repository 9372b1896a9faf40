"""Packets of ESP, SRTP, QUIC and WireGuard, and records of TLS and DTLS, many at once.

A flow has the keys and the state of a connection, or of one direction of it. Its packets go through
the lanes together. The module is for tests, and for tools that make and read packets: a gateway
needs buffers with room of their own, which Rust and C have.

>>> from broadloom import packets
>>> key, salt = bytes(16), bytes(4)
>>> ours = packets.esp(key, 0x1234, salt=salt)
>>> theirs = packets.esp(key, 0x1234, salt=salt, direction="unprotect")
>>> sent = ours.protect_many([b"warp", b"weft"], kind=17)
>>> [len(packet) for packet in sent]
[40, 40]
>>> theirs.unprotect_many(sent)
[b'warp', b'weft']

Each packet has a result of its own: bytes, or the PacketError why it was refused. It is given, and
not raised, so that one wrong packet does no harm to the others.

>>> [replayed] = theirs.unprotect_many(sent[:1])
>>> replayed.reason
'replay'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from broadloom import _broadloom
from broadloom._broadloom import Flow, PacketError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    #: A traffic secret, or a key with its IV or with the key of HMAC.
    RecordKeys: TypeAlias = ReadableBuffer | tuple[ReadableBuffer, ReadableBuffer]

__all__ = [
    "Flow",
    "PacketError",
    "esp",
    "quic",
    "quic_initial",
    "records",
    "srtp",
    "wireguard",
]


def esp(
    key: ReadableBuffer,
    spi: int,
    algorithm: str = "esp-aes-128-gcm",
    *,
    salt: ReadableBuffer | None = None,
    integrity_key: ReadableBuffer | None = None,
    direction: Literal["protect", "unprotect"] = "protect",
    mode: Literal["payload", "transport", "tunnel"] = "payload",
    source: str | None = None,
    destination: str | None = None,
    udp: bool = False,
    extended: bool = False,
    window: int = 64,
    first_number: int = 1,
) -> Flow:
    """One direction of a security association of ESP.

    In mode "payload" packets have no IP header, and the `kind` of a packet is its next header. In
    mode "transport" the payload of an IP packet is protected, and in mode "tunnel" all of it,
    behind a header from `source` to `destination`. With `udp` the packets travel in UDP, with port
    4500.

    Raises ValueError for another algorithm, with the names of all, and for keys of other lengths.
    """
    return _broadloom.packets_esp(
        key,
        spi,
        algorithm,
        salt=salt,
        integrity_key=integrity_key,
        direction=direction,
        mode=mode,
        source=source,
        destination=destination,
        udp=udp,
        extended=extended,
        window=window,
        first_number=first_number,
    )


def srtp(
    key: ReadableBuffer,
    salt: ReadableBuffer,
    profile: str = "srtp-aes-128-cm-hmac-sha1-80",
    *,
    mki: bytes = b"",
    window: int = 128,
    max_streams: int = 1024,
    cryptex: bool = False,
    plain_rtcp: bool = False,
) -> Flow:
    """All streams of one direction of an SRTP session, under a master key.

    A stream begins with the first packet of its SSRC. Packets of RTP and of RTCP may be mixed.

    Raises ValueError for another profile, with the names of all, and for keys of other lengths.
    """
    return _broadloom.packets_srtp(
        key,
        salt,
        profile,
        mki=mki,
        window=window,
        max_streams=max_streams,
        cryptex=cryptex,
        plain_rtcp=plain_rtcp,
    )


def quic(
    suite: str,
    *,
    send: ReadableBuffer | None = None,
    receive: ReadableBuffer | None = None,
    version: Literal[1, 2] = 1,
    packets: Literal["1-rtt", "handshake", "0-rtt", "initial"] = "1-rtt",
    peer_id_len: int = 8,
    own_id_len: int = 8,
    given_numbers: bool = False,
    window: int = 2048,
) -> Flow:
    """The packets of one type of a connection of QUIC, under traffic secrets of TLS.

    A packet that is to be protected has its whole header, with any bytes where the packet number
    goes. What comes out of a packet is its payload. With `given_numbers`, `protect_many` takes the
    numbers.

    Raises ValueError for another suite, with the names of all, and for secrets of other lengths.
    """
    return _broadloom.packets_quic(
        suite,
        send=send,
        receive=receive,
        version=version,
        packets=packets,
        peer_id_len=peer_id_len,
        own_id_len=own_id_len,
        given_numbers=given_numbers,
        window=window,
    )


def quic_initial(
    connection_id: bytes, *, is_server: bool = False, version: Literal[1, 2] = 1
) -> Flow:
    """The Initial packets of a connection of QUIC.

    Their keys follow from the Destination Connection ID of the client's first packet.
    """
    return _broadloom.packets_quic_initial(connection_id, is_server=is_server, version=version)


def wireguard(
    send_key: ReadableBuffer, peer_index: int, receive_key: ReadableBuffer, own_index: int
) -> Flow:
    """The transport data of a peer of WireGuard, in both directions.

    What comes out of a packet has its padding, as the protocol has it.
    """
    return _broadloom.packets_wireguard(send_key, peer_index, receive_key, own_index)


def records(
    suite: str,
    write: RecordKeys,
    read: RecordKeys,
    *,
    write_number: int = 0,
    read_number: int = 0,
    epoch: int = 0,
    window: int = 64,
) -> Flow:
    """The records of a connection of TLS or DTLS, in both directions.

    The keys of a direction are a traffic secret (TLS 1.3, DTLS 1.3), or a key with its IV or its
    salt, or a key of AES with a key of HMAC. The `kind` of a record is its content type, and
    without one it carries data of the application. `epoch` and `window` are for DTLS.

    Raises ValueError for another suite, with the names of all, and for keys of other lengths.
    """
    return _broadloom.packets_records(
        suite,
        write,
        read,
        write_number=write_number,
        read_number=read_number,
        epoch=epoch,
        window=window,
    )
