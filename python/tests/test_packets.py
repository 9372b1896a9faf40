"""broadloom.packets against scapy, libsrtp, and the standards written down with cryptography."""

import hashlib
import hmac
import importlib
import os
import struct
import warnings
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from broadloom import packets
from broadloom.packets import Flow, PacketError

SPI = 0xC0DE1234
SSRC = 0xFEEDBEEF


def peer(name: str) -> Any:
    """A library to compare with. It may be absent, but not in CI."""
    try:
        with warnings.catch_warnings():
            # scapy imports ciphers that cryptography deprecates.
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        assert os.environ.get("CI") != "true", f"{name} is missing"
        pytest.skip(f"{name} is missing")


def noise(length: int) -> bytes:
    """Bytes that are the same in every run."""
    return hashlib.shake_128(length.to_bytes(4, "big")).digest(length)


def secret(name: str, length: int) -> bytes:
    """A key that is the same in every run."""
    return hashlib.shake_128(name.encode()).digest(length)


def protected(flow: Flow, texts: list[bytes], **more: Any) -> list[bytes]:
    """Packets that a flow protects, none of which it refuses."""
    sent = flow.protect_many(texts, **more)
    assert all(isinstance(packet, bytes) for packet in sent), sent
    return [packet for packet in sent if isinstance(packet, bytes)]


def reasons(results: list[Any]) -> list[str | None]:
    """Why packets were refused; None for those that were not."""
    return [result.reason if isinstance(result, PacketError) else None for result in results]


def expand(key: bytes, label: bytes, length: int) -> bytes:
    """HKDF-Expand-Label with SHA-256 and without a context (RFC 8446, 7.1)."""
    label = b"tls13 " + label
    info = struct.pack("!HB", length, len(label)) + label + b"\0"
    return hmac.digest(key, info + b"\1", "sha256")[:length]


def exclusive_or(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


# ESP


ESP = {
    "esp-aes-128-gcm": ("AES-GCM", "NULL", 16, 4, 0),
    "esp-aes-256-gcm": ("AES-GCM", "NULL", 32, 4, 0),
    "esp-aes-128-ccm": ("AES-CCM", "NULL", 16, 3, 0),
    "esp-chacha20-poly1305": ("CHACHA20-POLY1305", "NULL", 32, 4, 0),
    "esp-aes-128-cbc-hmac-sha1": ("AES-CBC", "HMAC-SHA1-96", 16, 0, 20),
    "esp-aes-256-cbc-hmac-sha256": ("AES-CBC", "SHA2-256-128", 32, 0, 32),
    "esp-aes-128-ctr-hmac-sha384": ("AES-CTR", "SHA2-384-192", 16, 4, 48),
}


def esp_pair(algorithm: str, **more: Any) -> tuple[Flow, Flow, dict[str, bytes]]:
    """Both ends of an association, and its keys."""
    _, _, key_len, salt_len, mac_len = ESP[algorithm]
    keys = {
        "key": secret("key", key_len),
        "salt": secret("salt", salt_len),
        "integrity_key": secret("mac", mac_len),
    }
    ends = (
        packets.esp(spi=SPI, algorithm=algorithm, direction=direction, **keys, **more)
        for direction in ("protect", "unprotect")
    )
    ours, theirs = ends
    return ours, theirs, keys


@pytest.mark.parametrize("udp", [False, True])
@pytest.mark.parametrize("mode", ["transport", "tunnel"])
@pytest.mark.parametrize("algorithm", ESP)
def test_esp_with_scapy(algorithm: str, mode: str, udp: bool) -> None:
    ipsec, inet = peer("scapy.layers.ipsec"), peer("scapy.layers.inet")
    cipher, mac, *_ = ESP[algorithm]
    ends = ("203.0.113.1", "203.0.113.200")
    more = {"source": ends[0], "destination": ends[1]} if mode == "tunnel" else {}
    ours, theirs, keys = esp_pair(algorithm, mode=mode, udp=udp, **more)
    association = ipsec.SecurityAssociation(
        ipsec.ESP,
        spi=SPI,
        crypt_algo=cipher,
        crypt_key=keys["key"] + keys["salt"],
        crypt_icv_size=16 if cipher in ("AES-GCM", "AES-CCM") else None,
        auth_algo=mac,
        auth_key=keys["integrity_key"] or None,
        tunnel_header=inet.IP(src=ends[0], dst=ends[1]) if mode == "tunnel" else None,
        nat_t_header=inet.UDP(sport=4500, dport=4500) if udp else None,
    )
    inner = [
        bytes(inet.IP(src="192.0.2.1", dst="192.0.2.2", proto=253) / noise(length))
        for length in (1, 2, 3, 4, 40, 77, 1400)
    ]
    sent = protected(ours, inner)
    assert [bytes(association.decrypt(inet.IP(packet))) for packet in sent] == inner

    made = []
    for number, packet in enumerate(inner, 1):
        answer = association.encrypt(inet.IP(packet), seq_num=number)
        if udp:
            # scapy writes the length of an empty datagram.
            answer[inet.UDP].len = len(bytes(answer[inet.UDP]))
        made.append(bytes(answer))
    assert theirs.unprotect_many(made) == inner
    assert reasons(theirs.unprotect_many(made)) == ["replay"] * len(inner)


def test_esp_of_the_standard() -> None:
    """RFC 4106: the salt and an IV of 8 bytes are the nonce, and the header is authenticated."""
    ours, theirs, keys = esp_pair("esp-aes-128-gcm")
    texts = [noise(length) for length in range(40)]
    sent = protected(ours, texts, kind=17)
    gcm = AESGCM(keys["key"])
    for number, (text, packet) in enumerate(zip(texts, sent, strict=True), 1):
        header, iv, sealed = packet[:8], packet[8:16], packet[16:]
        assert header == struct.pack("!II", SPI, number)
        padding = bytes(range(1, -(len(text) + 2) % 4 + 1))
        trailer = padding + bytes([len(padding), 17])
        assert gcm.decrypt(keys["salt"] + iv, sealed, header) == text + trailer
    ivs = {packet[8:16] for packet in sent}
    assert len(ivs) == len(sent)
    assert theirs.unprotect_many(sent, with_kinds=True) == [(text, 17) for text in texts]


def test_extended_numbers_of_esp_go_over_the_end_of_32_bits() -> None:
    more = {"extended": True, "first_number": (1 << 32) - 3}
    ours, theirs, _ = esp_pair("esp-aes-128-gcm", **more)
    texts = [noise(length) for length in range(1, 7)]
    sent = protected(ours, texts, kind=17)
    numbers = [struct.unpack_from("!I", packet, 4)[0] for packet in sent]
    assert numbers == [0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF, 0, 1, 2]
    assert theirs.unprotect_many(sent) == texts


def test_a_wrong_packet_does_not_disturb_its_neighbours() -> None:
    ours, theirs, _ = esp_pair("esp-aes-128-gcm")
    texts = [noise(64)] * 5
    sent = protected(ours, texts, kind=17)
    damaged = bytearray(sent[1])
    damaged[20] ^= 1
    other = struct.pack("!I", SPI + 1) + sent[2][4:]
    burst = [sent[0], bytes(damaged), other, sent[3], sent[3], sent[4][:10], sent[4]]
    results = theirs.unprotect_many(burst)
    expected = [None, "integrity", "wrong-flow", None, "replay", "runt", None]
    assert reasons(results) == expected
    # A damaged packet does not move the window, so that the packet itself still passes.
    assert theirs.unprotect_many([sent[1], sent[2]]) == texts[:2]
    counts = theirs.statistics()
    assert (counts["packets"], counts["bytes"]) == (5, 5 * 64)
    assert (counts["integrity"], counts["replay"], counts["runt"]) == (1, 1, 1)


# SRTP


SRTP = {
    "srtp-aes-128-cm-hmac-sha1-80": ("SRTP_PROFILE_AES128_CM_SHA1_80", 16, 14),
    "srtp-aes-128-cm-hmac-sha1-32": ("SRTP_PROFILE_AES128_CM_SHA1_32", 16, 14),
    "srtp-aes-128-gcm": ("SRTP_PROFILE_AEAD_AES_128_GCM", 16, 12),
    "srtp-aes-256-gcm": ("SRTP_PROFILE_AEAD_AES_256_GCM", 32, 12),
}


def rtp(sequence: int, payload: bytes, ssrc: int = SSRC) -> bytes:
    return struct.pack("!BBHII", 0x80, 96, sequence & 0xFFFF, 160 * sequence, ssrc) + payload


def rtcp(octets: int) -> bytes:
    """A sender report."""
    return struct.pack("!BBHI", 0x80, 200, 6, SSRC) + struct.pack("!QIII", 1, 2, 3, octets)


@pytest.mark.parametrize("profile", SRTP)
def test_srtp_with_libsrtp(profile: str) -> None:
    libsrtp = peer("pylibsrtp")
    name, key_len, salt_len = SRTP[profile]
    key, salt = secret("key", key_len), secret("salt", salt_len)

    def session(direction: str) -> Any:
        policy = libsrtp.Policy(
            key=key + salt,
            ssrc_type=getattr(libsrtp.Policy, f"SSRC_ANY_{direction}"),
            srtp_profile=getattr(libsrtp.Policy, name),
        )
        return libsrtp.Session(policy)

    # The sequence number rolls over.
    media = [rtp(sequence, noise(sequence % 200)) for sequence in range(65500, 65570)]
    control = [rtcp(octets) for octets in range(5)]

    ours = packets.srtp(key, salt, profile)
    sender, receiver = session("OUTBOUND"), session("INBOUND")
    sent = protected(ours, media)
    assert sent == [sender.protect(packet) for packet in media]
    assert [receiver.unprotect(packet) for packet in sent] == media
    # The roll-over is guessed from the packets of earlier bursts.
    theirs = packets.srtp(key, salt, profile)
    assert theirs.unprotect_many(sent[:1]) + theirs.unprotect_many(sent[1:]) == media

    sent = protected(ours, control)
    assert [receiver.unprotect_rtcp(packet) for packet in sent] == control
    made = [sender.protect_rtcp(packet) for packet in control]
    assert packets.srtp(key, salt, profile).unprotect_many(made) == control


def test_streams_of_srtp_are_told_apart() -> None:
    key, salt = secret("key", 16), secret("salt", 14)
    ours, theirs = packets.srtp(key, salt), packets.srtp(key, salt, max_streams=2)
    media = [rtp(sequence, noise(50), ssrc) for sequence in range(4) for ssrc in (1, 2, 3)]
    sent = protected(ours, media)
    assert len({packet[12:62] for packet in sent}) == len(sent), "no two have one key stream"
    results = theirs.unprotect_many(sent)
    assert reasons(results) == [None, None, "wrong-flow"] * 4
    assert reasons(theirs.unprotect_many(sent[:2])) == ["replay", "replay"]


# QUIC


def quic_packet(key: bytes, header: bytes, number: int, width: int, payload: bytes) -> bytes:
    """A packet with AES-128-GCM, whose header is complete up to the packet number (RFC 9001, 5)."""
    iv, mask_key = expand(key, b"quic iv", 12), expand(key, b"quic hp", 16)
    gcm = AESGCM(expand(key, b"quic key", 16))
    header += number.to_bytes(8, "big")[-width:]
    sealed = gcm.encrypt(exclusive_or(iv, number.to_bytes(12, "big")), payload, header)
    sample = sealed[4 - width : 20 - width]
    ecb = Cipher(algorithms.AES(mask_key), modes.ECB()).encryptor()
    mask = ecb.update(sample)
    bits = 0x0F if header[0] & 0x80 else 0x1F
    first = bytes([header[0] ^ (mask[0] & bits)])
    masked = exclusive_or(header[-width:], mask[1 : 1 + width])
    return first + header[1:-width] + masked + sealed


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_short_headers_of_quic(width: int) -> None:
    ours, theirs = (secret(name, 32) for name in ("ours", "theirs"))
    flow = packets.quic("quic-aes-128-gcm", send=ours, receive=theirs)
    other = packets.quic("quic-aes-128-gcm", send=theirs, receive=ours)
    header = bytes([0x40 | width - 1]) + noise(8)
    payloads = [noise(length) for length in range(4, 100)]
    sent = protected(flow, [header + bytes(width) + payload for payload in payloads])
    assert sent == [
        quic_packet(ours, header, number, width, payload) for number, payload in enumerate(payloads)
    ]
    assert other.unprotect_many(sent) == payloads
    assert reasons(other.unprotect_many(sent)) == ["replay"] * len(sent)


def test_initial_packets_of_quic() -> None:
    identifier = bytes.fromhex("8394c8f03e515708")
    salt = bytes.fromhex("38762cf7f55934b34d179ae6a4c80cadccbb7f0a")
    initial = hmac.digest(salt, identifier, "sha256")
    client = packets.quic_initial(identifier)
    server = packets.quic_initial(identifier, is_server=True)
    header = b"\xc1\0\0\0\1\x08" + identifier + b"\0\0"
    payload = noise(1162)
    [sent] = protected(client, [header + b"\x40\0" + bytes(2) + payload])
    length = struct.pack("!H", 0x4000 | 2 + len(payload) + 16)
    key = expand(initial, b"client in", 32)
    assert sent == quic_packet(key, header + length, 0, 2, payload)
    assert server.unprotect_many([sent]) == [payload]
    assert reasons(client.unprotect_many([sent])) != [None], "it is the client's own"


def test_the_packet_of_rfc_9001_with_chacha20() -> None:
    """RFC 9001, A.5. The caller gives the number."""
    key = bytes.fromhex("9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b")
    flow = packets.quic(
        "quic-chacha20-poly1305", send=key, peer_id_len=0, own_id_len=0, given_numbers=True
    )
    sent = protected(flow, [b"\x42\0\0\0\1"], numbers=[654_360_564])
    assert sent == [bytes.fromhex("4cfe4189655e5cd55c41f69080575d7999c25a5bfb")]
    with pytest.raises(ValueError, match="2 numbers for 1 buffers"):
        flow.protect_many([b"\x42\0\0\0\1"], numbers=[1, 2])


# WireGuard


def test_wireguard_of_its_definition() -> None:
    send, receive = secret("send", 32), secret("receive", 32)
    ours = packets.wireguard(send, 0x12345678, receive, 9)
    theirs = packets.wireguard(receive, 9, send, 0x12345678)
    texts = [noise(length) for length in (0, 1, 15, 16, 17, 1420)]
    padded = [text + bytes(-len(text) % 16) for text in texts]
    sent = protected(ours, texts)
    cipher = ChaCha20Poly1305(send)
    for counter, (packet, text) in enumerate(zip(sent, padded, strict=True)):
        assert packet[:16] == struct.pack("<IIQ", 4, 0x12345678, counter)
        assert packet[16:] == cipher.encrypt(struct.pack("<IQ", 0, counter), text, None)
    assert theirs.unprotect_many(sent) == padded
    with pytest.raises(ValueError, match="send_key has 31 bytes; valid: 32"):
        packets.wireguard(send[1:], 1, receive, 2)


# Records


TLS13 = {"aes-128-gcm": (16, AESGCM), "chacha20-poly1305": (32, ChaCha20Poly1305)}


@pytest.mark.parametrize("name", TLS13)
def test_records_of_tls_1_3(name: str) -> None:
    ours, theirs = (secret(end, 32) for end in ("ours", "theirs"))
    flow = packets.records(f"tls13-{name}", ours, theirs)
    other = packets.records(f"tls13-{name}", theirs, ours)
    texts = [noise(length) for length in (0, 1, 100, 16384)]
    sent = protected(flow, texts)
    key_len, aead = TLS13[name]
    cipher, iv = aead(expand(ours, b"key", key_len)), expand(ours, b"iv", 12)
    for number, (record, text) in enumerate(zip(sent, texts, strict=True)):
        header = b"\x17\3\3" + struct.pack("!H", len(text) + 17)
        nonce = exclusive_or(iv, number.to_bytes(12, "big"))
        assert record == header + cipher.encrypt(nonce, text + b"\x17", header)
    assert other.unprotect_many(sent, with_kinds=True) == [(text, 23) for text in texts]
    alerts = protected(flow, [b"\2\x28"], kind=21)
    assert other.unprotect_many(alerts, with_kinds=True) == [(b"\2\x28", 21)]


def test_records_of_tls_1_2() -> None:
    keys, others = ((secret(end, 16), secret(end + " salt", 4)) for end in ("ours", "theirs"))
    flow = packets.records("tls12-aes-128-gcm", keys, others)
    other = packets.records("tls12-aes-128-gcm", others, keys)
    texts = [noise(length) for length in (0, 1, 100, 16384)]
    sent = protected(flow, texts)
    for number, (record, text) in enumerate(zip(sent, texts, strict=True)):
        assert record[:5] == b"\x17\3\3" + struct.pack("!H", len(text) + 24)
        associated = struct.pack("!QBHH", number, 23, 0x0303, len(text))
        plain = AESGCM(keys[0]).decrypt(keys[1] + record[5:13], record[13:], associated)
        assert plain == text
    assert other.unprotect_many(sent) == texts


SECRETS = (secret("ours", 32), secret("theirs", 32))
WITH_MACS = tuple((secret(end, 16), secret(end + " mac", 20)) for end in ("ours", "theirs"))


@pytest.mark.parametrize(
    ("suite", "keys", "epoch"),
    [
        ("dtls13-aes-128-gcm", SECRETS, 3),
        ("dtls13-chacha20-poly1305", SECRETS, 3),
        ("tls12-aes-128-cbc-hmac-sha1", WITH_MACS, 0),
        ("tls12-aes-128-cbc-hmac-sha1-encrypt-then-mac", WITH_MACS, 0),
        ("dtls12-aes-128-cbc-hmac-sha1", WITH_MACS, 1),
    ],
)
def test_records_come_back(suite: str, keys: tuple[Any, Any], epoch: int) -> None:
    ours = packets.records(suite, *keys, epoch=epoch)
    theirs = packets.records(suite, *reversed(keys), epoch=epoch)
    texts = [noise(length) for length in (1, 16, 100, 16384)]
    sent = protected(ours, texts)
    damaged = sent[3][:-1] + bytes([sent[3][-1] ^ 1])
    results = theirs.unprotect_many([*sent[:3], damaged])
    assert results[:3] == texts[:3]
    assert isinstance(results[3], PacketError)
    if suite.startswith("dtls"):
        # A wrong record ends a stream, and is dropped from a datagram.
        assert theirs.unprotect_many(sent[3:]) == texts[3:]
    else:
        assert reasons(theirs.unprotect_many(sent[3:])) == ["ended"]


# Arguments


def test_what_is_wrong_is_named() -> None:
    key, salt = bytes(16), bytes(4)
    with pytest.raises(ValueError, match="esp-aes-128-gcm"):
        packets.esp(key, SPI, "esp-rot13", salt=salt)
    with pytest.raises(ValueError, match="a key of 15 bytes does not fit esp-aes-128-gcm"):
        packets.esp(key[1:], SPI, salt=salt)
    with pytest.raises(ValueError, match="valid: protect, unprotect"):
        packets.esp(key, SPI, salt=salt, direction="sideways")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="valid: payload, transport, tunnel"):
        packets.esp(key, SPI, salt=salt, mode="bridge")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mode tunnel, which needs both"):
        packets.esp(key, SPI, salt=salt, mode="tunnel", source="192.0.2.1")
    with pytest.raises(ValueError, match='"192.0.2" is no address'):
        packets.esp(key, SPI, salt=salt, mode="tunnel", source="192.0.2", destination="::")
    with pytest.raises(ValueError, match="valid: 1, 2"):
        packets.quic_initial(bytes(8), version=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="DTLS 1.3 takes a secret for each direction"):
        packets.records("dtls13-aes-128-gcm", (key, bytes(12)), (key, bytes(12)))
    with pytest.raises(TypeError, match="salt is int"):
        packets.srtp(key, 14)  # type: ignore[arg-type]

    flow = packets.wireguard(bytes(32), 1, bytes(32), 2)
    with pytest.raises(ValueError, match="packets of WireGuard have no kind"):
        flow.protect_many([b""], kind=1)
    with pytest.raises(ValueError, match="packets of WireGuard have no kind"):
        flow.unprotect_many([b""], with_kinds=True)
    with pytest.raises(ValueError, match="numbers its packets by itself"):
        flow.protect_many([b""], numbers=[1])
    with pytest.raises(TypeError, match=r"packets\[0\] is str"):
        flow.protect_many(["text"])  # type: ignore[list-item]
    assert flow.protect_many([]) == []
    assert repr(flow) == "<broadloom.packets.Flow: WireGuard>"
