"""Protects or unprotects packets with libsrtp2.

Usage: libsrtp.py LIBRARY MODE PROFILE KEY MKI EXTENSIONS

MODE is protect or unprotect. PROFILE is CIPHER and the bytes of the tag, such as cm-128-10. KEY is
the master key and its salt, MKI is empty or an identifier, and EXTENSIONS are the identifiers of
encrypted elements of header extensions, all in hexadecimal digits. Packets come from the standard
input, each with its length before it in four bytes, and what they become goes to the standard
output in the same form. A packet that the library refuses becomes an empty one.
"""

import ctypes
import struct
import sys


class CryptoPolicy(ctypes.Structure):
    _fields_ = [
        ("cipher_type", ctypes.c_uint32),
        ("cipher_key_len", ctypes.c_int),
        ("auth_type", ctypes.c_uint32),
        ("auth_key_len", ctypes.c_int),
        ("auth_tag_len", ctypes.c_int),
        ("sec_serv", ctypes.c_int),
    ]


class MasterKey(ctypes.Structure):
    _fields_ = [
        ("key", ctypes.c_char_p),
        ("mki_id", ctypes.c_char_p),
        ("mki_size", ctypes.c_uint),
    ]


class Policy(ctypes.Structure):
    _fields_ = [
        ("ssrc_type", ctypes.c_int),
        ("ssrc_value", ctypes.c_uint),
        ("rtp", CryptoPolicy),
        ("rtcp", CryptoPolicy),
        ("key", ctypes.c_char_p),
        ("keys", ctypes.POINTER(ctypes.POINTER(MasterKey))),
        ("num_master_keys", ctypes.c_ulong),
        ("deprecated_ekt", ctypes.c_void_p),
        ("window_size", ctypes.c_ulong),
        ("allow_repeat_tx", ctypes.c_int),
        ("enc_xtn_hdr", ctypes.POINTER(ctypes.c_int)),
        ("enc_xtn_hdr_count", ctypes.c_int),
        ("next", ctypes.c_void_p),
    ]


SETTERS = {
    "cm-128": "srtp_crypto_policy_set_rtp_default",
    "cm-192": "srtp_crypto_policy_set_aes_cm_192_hmac_sha1_80",
    "cm-256": "srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80",
    "gcm-128": "srtp_crypto_policy_set_aes_gcm_128_16_auth",
    "gcm-256": "srtp_crypto_policy_set_aes_gcm_256_16_auth",
    "null-128": "srtp_crypto_policy_set_null_cipher_hmac_sha1_80",
}


def session(library, mode, profile, key, mki, extensions):
    """Returns a session for any SSRC."""
    policy = Policy()
    cipher, tag = profile.rsplit("-", 1)
    for part in (policy.rtp, policy.rtcp):
        getattr(library, SETTERS[cipher])(ctypes.byref(part))
    policy.rtp.auth_tag_len = int(tag)
    policy.ssrc_type = 3 if mode == "protect" else 2
    policy.window_size = 128
    if mki:
        master = MasterKey(key, mki, len(mki))
        policy.keys = (ctypes.POINTER(MasterKey) * 1)(ctypes.pointer(master))
        policy.num_master_keys = 1
    else:
        policy.key = key
    if extensions:
        policy.enc_xtn_hdr = (ctypes.c_int * len(extensions))(*extensions)
        policy.enc_xtn_hdr_count = len(extensions)
    made = ctypes.c_void_p()
    status = library.srtp_create(ctypes.byref(made), ctypes.byref(policy))
    if status:
        sys.exit(f"srtp_create: {status}")
    return made


def main():
    name, mode, profile, key, mki, extensions = sys.argv[1:]
    library = ctypes.CDLL(name)
    library.srtp_init()
    key, mki, extensions = (bytes.fromhex(text) for text in (key, mki, extensions))
    made = session(library, mode, profile, key, mki, extensions)
    data, at, output = sys.stdin.buffer.read(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        packet = ctypes.create_string_buffer(data[at + 4 : at + 4 + length], length + 200)
        at += 4 + length
        suffix = "_rtcp_mki" if 192 <= packet.raw[1] <= 223 else "_mki"
        size = ctypes.c_int(length)
        arguments = [made, packet, ctypes.byref(size), ctypes.c_uint(bool(mki))]
        if mode == "protect":
            arguments.append(ctypes.c_uint(0))
        status = getattr(library, f"srtp_{mode}{suffix}")(*arguments)
        result = b"" if status else packet.raw[: size.value]
        output.append(struct.pack(">I", len(result)) + result)
    sys.stdout.buffer.write(b"".join(output))


main()
