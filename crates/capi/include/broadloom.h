/*
 * Broadloom in C. README.md beside the library's source is the guide, broadloom.h(3) the manual.
 *
 * What holds for all functions:
 *
 * - A structure's first member is its size: bl_job job = { sizeof(bl_job) }; sets the others to
 *   zero, which is their default.
 * - A function returns a bl_status, or a value that cannot fail. bl_status_text says it in general,
 *   and bl_last_error what it was this time.
 * - A pointer is null only where its description allows it; else the call fails with
 *   BL_E_ARGUMENT. It points to so many bytes or structures as its length says. Texts are UTF-8 and
 *   end with a zero byte.
 * - What a function opens, the function of the same name with _close closes. Closing null does
 *   nothing.
 * - Sessions and flows may be used by all threads at once, processors and queue pairs by one at a
 *   time, workers by all. Each description says so.
 * - No function calls back, and no C++ exception or Rust panic leaves one: after a defect of the
 *   library the process ends.
 */

#ifndef BROADLOOM_H
#define BROADLOOM_H

#include <stddef.h>
#include <stdint.h>

/*
 `bl_extras.has`: the cipher works on the range `cipher`, not on all data.
 */
#define BL_HAS_CIPHER_RANGE 1

/*
 `bl_extras.has`: the hash or the MAC reads the range `mac`, not all data.
 */
#define BL_HAS_MAC_RANGE 2

/*
 `bl_extras.has`: the tag lies in the data, at `tag_at`.
 */
#define BL_HAS_TAG_AT 4

/*
 `bl_extras.has`: the text has `bits` bits (KASUMI).
 */
#define BL_HAS_BITS 8

/*
 `bl_extras.has`: a decompression fails where more than `limit` bytes would come out.
 */
#define BL_HAS_LIMIT 16

/*
 `bl_extras.has`: a queue pair processes the job within `wait_ns` nanoseconds, at its next call.
 */
#define BL_HAS_WAIT 32

/*
 `bl_extras.has`: the source is in pieces.
 */
#define BL_HAS_SOURCE_PIECES 64

/*
 `bl_extras.has`: the destination is in pieces.
 */
#define BL_HAS_DESTINATION_PIECES 128

/*
 The first number of the header's version, 1 of "1.2.3": of the library it is that of
 `bl_version`.
 */
#define BL_VERSION_MAJOR 0

/*
 The second number.
 */
#define BL_VERSION_MINOR 1

/*
 The third number.
 */
#define BL_VERSION_PATCH 0

/*
 `bl_esp_config.flags`: sequence numbers have 64 bits, of which the low 32 are sent (RFC 4303,
 2.2.1).
 */
#define BL_ESP_EXTENDED 1

/*
 `bl_esp_config.flags`: packets travel in UDP (RFC 3948).
 */
#define BL_ESP_UDP 2

/*
 `bl_esp_config.flags`: outer headers have the DSCP that is given, rather than that of the inner
 packet.
 */
#define BL_ESP_SET_DSCP 4

/*
 `bl_esp_config.flags`: outer headers of IPv4 forbid fragments, whatever the inner packet does.
 */
#define BL_ESP_SET_DONT_FRAGMENT 8

/*
 `bl_esp_config.flags`: outer headers of IPv4 permit fragments, whatever the inner packet does.
 */
#define BL_ESP_CLEAR_DONT_FRAGMENT 16

/*
 `bl_esp_config.flags`: outer headers of IPv6 have the flow label that is given, rather than that
 of the inner packet.
 */
#define BL_ESP_SET_FLOW_LABEL 32

/*
 `bl_esp_config.flags`: a flow that unprotects takes packets in UDP from any port to any port.
 */
#define BL_ESP_ANY_PORTS 64

/*
 `bl_esp_config.flags`: a flow that unprotects has no replay window, and takes packets that it
 has received before (RFC 4303, 3.4.3). Not with `BL_ESP_EXTENDED`.
 */
#define BL_ESP_NO_WINDOW 128

/*
 `bl_esp_config.flags`: a flow that protects takes the IV of each packet from `bl_packet.iv`. The
 caller must never give an IV twice under one key and, for CBC, none that can be predicted.
 */
#define BL_ESP_GIVEN_IVS 256

/*
 QUIC version 1 (RFC 9001).
 */
#define BL_QUIC_V1 1

/*
 QUIC version 2 (RFC 9369).
 */
#define BL_QUIC_V2 1798521807

/*
 `bl_quic_config.flags`: the caller says the number of each packet that is protected, in
 `bl_packet.number`; else the flow counts from 0 on.
 */
#define BL_QUIC_GIVEN_NUMBERS 1

/*
 `bl_quic_config.flags`: the fixed bit of packets may be zero (RFC 9287).
 */
#define BL_QUIC_GREASED_BIT 2

/*
 `bl_quic_packet.kind`: an Initial packet.
 */
#define BL_QUIC_INITIAL 0

/*
 `bl_quic_packet.kind`: a 0-RTT packet.
 */
#define BL_QUIC_ZERO_RTT 1

/*
 `bl_quic_packet.kind`: a Handshake packet.
 */
#define BL_QUIC_HANDSHAKE 2

/*
 `bl_quic_packet.kind`: a 1-RTT packet.
 */
#define BL_QUIC_ONE_RTT 3

/*
 `bl_quic_packet.kind`: a Retry.
 */
#define BL_QUIC_RETRY 4

/*
 `bl_quic_packet.kind`: a Version Negotiation packet.
 */
#define BL_QUIC_VERSION_NEGOTIATION 5

/*
 `bl_quic_packet.kind`: a packet of a version that the library does not know.
 */
#define BL_QUIC_OTHER_VERSION 6

/*
 `bl_records_config.flags`: the numbers of our records of DTLS 1.3 have 8 bits on the wire,
 rather than 16.
 */
#define BL_RECORDS_SHORT_NUMBERS 1

/*
 `bl_records_config.flags`: our records of DTLS 1.3 do not say how long they are, so that each is
 the last of its datagram.
 */
#define BL_RECORDS_NO_LENGTHS 2

/*
 `bl_packet.kind`: RTP and RTCP come to one port, and the second byte of a packet says which it
 is (RFC 5761).
 */
#define BL_SRTP_MUXED 0

/*
 `bl_packet.kind`: the packet is RTP.
 */
#define BL_SRTP_RTP 1

/*
 `bl_packet.kind`: the packet is RTCP.
 */
#define BL_SRTP_RTCP 2

/*
 `bl_srtp_config.flags`: RTCP that is sent is authenticated alone. Packets that are received say
 themselves whether they are encrypted.
 */
#define BL_SRTP_PLAIN_RTCP 1

/*
 `bl_srtp_config.flags`: header extensions and contributing sources are encrypted as a whole
 (Cryptex, RFC 9335).
 */
#define BL_SRTP_CRYPTEX 2

/*
 `bl_queue_config.max_wait_ns` and `bl_workers_config.max_wait_ns`: jobs wait until their batch
 is full or the queue pair is flushed.
 */
#define BL_WAIT_FOR_EVER UINT64_MAX

/*
 How many statuses `BL_PACKET_...` there are, from `BL_PACKET_REPLAY` on.
 */
#define BL_PACKET_KINDS 17

/*
 `bl_compression.level` and `bl_stream_options.level`: level 0 of the provider.
 */
#define BL_LEVEL_ZERO -1

/*
 `bl_transform.flags`: takes a key of triple DES that is as weak as DES.
 */
#define BL_ALLOW_WEAK_KEYS 1

/*
 A connection or an association of a protocol, or one direction of it: its keys, its sequence
 numbers, its replay window and its counters. A function `bl_..._open` of its protocol opens it.
 */
typedef struct bl_flow bl_flow;

/*
 A Unix socket at which the process gives its metrics.
 */
typedef struct bl_metrics bl_metrics;

/*
 What one thread has open at every provider, to process many jobs or packets within a call.
 */
typedef struct bl_processor bl_processor;

/*
 Takes jobs in bursts and gives them back as they complete.
 */
typedef struct bl_queue_pair bl_queue_pair;

/*
 A transform opened at a provider, its keys expanded.
 */
typedef struct bl_session bl_session;

/*
 The session keys of one direction of an SRTP session, which all its streams share.
 */
typedef struct bl_srtp_context bl_srtp_context;

/*
 Threads that process jobs, each with a queue pair of its own.
 */
typedef struct bl_workers bl_workers;

/*
 What a function returns, and how a job or a packet went: `BL_OK`, or what was wrong.
 */
typedef int bl_status;

/*
 How an input is compressed or decompressed. Members that are 0 mean the default.
 */
typedef struct bl_stream_options {
  /*
   sizeof(bl_stream_options)
   */
  size_t size;
  /*
   "gzip", "zlib", "raw", "bgzf" or "parcomp". Null: gzip; of a decompression, gzip, BGZF or
   zlib, as the first bytes tell.
   */
  const char *format;
  /*
   The provider, perhaps with options; null: the first that can.
   */
  const char *provider;
  /*
   The provider's level; 0: level 1, and `BL_LEVEL_ZERO`: level 0. A decompression ignores it.
   */
  int32_t level;
  /*
   Threads that share the chunks; 0: the calling one.
   */
  size_t threads;
  /*
   Bytes of a chunk; 0: 64 KiB. A decompression ignores it.
   */
  size_t chunk;
} bl_stream_options;

/*
 A number in big-endian order, with or without zero bytes in front; without bytes it is left out.
 */
typedef struct bl_number {
  /*
   The highest byte.
   */
  const uint8_t *bytes;
  /*
   How many there are.
   */
  size_t len;
} bl_number;

/*
 The numbers of a key. Set all members to zero but those that there are; `size` always is.

 RSA, private: `n`, `e`, and `d` or both of `p` and `q`; what else is there is checked. RSA,
 public: `n` and `e`. A curve, private: `d`; public: `x` and `y`. ML-DSA, private: `d`, a seed of
 32 bytes or an expanded private key; public: `x`, the public key; both are bytes in the order of
 the standard, and no numbers.
 */
typedef struct bl_key_parts {
  /*
   sizeof(bl_key_parts)
   */
  size_t size;
  /*
   What the key is of: "rsa", "p256", "p384", "p521", "secp256k1", "k283", "b283", "ml-dsa-44",
   "ml-dsa-65" or "ml-dsa-87".
   */
  const char *kind;
  /*
   The modulus.
   */
  struct bl_number n;
  /*
   The public exponent.
   */
  struct bl_number e;
  /*
   The private exponent; of a curve, the private scalar; of ML-DSA, the private key.
   */
  struct bl_number d;
  /*
   The first prime.
   */
  struct bl_number p;
  /*
   The second prime.
   */
  struct bl_number q;
  /*
   The private exponent modulo `p - 1`.
   */
  struct bl_number dp;
  /*
   The private exponent modulo `q - 1`.
   */
  struct bl_number dq;
  /*
   The inverse of `q` modulo `p`.
   */
  struct bl_number qinv;
  /*
   The point's first coordinate; of ML-DSA, the public key.
   */
  struct bl_number x;
  /*
   The point's second coordinate.
   */
  struct bl_number y;
} bl_key_parts;

/*
 Bytes of a job's data, from `start` on, up to `end` and without it.
 */
typedef struct bl_range {
  /*
   The first byte.
   */
  size_t start;
  /*
   The byte behind the last one.
   */
  size_t end;
} bl_range;

/*
 Bytes in one piece, of several.
 */
typedef struct bl_piece {
  /*
   The first byte. Pieces of a source are only read.
   */
  uint8_t *bytes;
  /*
   How many there are.
   */
  size_t len;
} bl_piece;

/*
 What few jobs need. Only the members that `has` names count.
 */
typedef struct bl_extras {
  /*
   sizeof(bl_extras)
   */
  size_t size;
  /*
   Which members count: `BL_HAS_...`, or-ed.
   */
  uint32_t has;
  /*
   The bytes that the cipher is for.
   */
  struct bl_range cipher;
  /*
   The bytes that are hashed or authenticated.
   */
  struct bl_range mac;
  /*
   Where in the data the tag goes, or is.
   */
  size_t tag_at;
  /*
   The length of the text in bits.
   */
  size_t bits;
  /*
   The most bytes that may come out of a decompression.
   */
  uint64_t limit;
  /*
   The longest wait for other jobs.
   */
  uint64_t wait_ns;
  /*
   The source in pieces; the job's `source` is null and its `len` 0.
   */
  const struct bl_piece *source_pieces;
  /*
   How many pieces the source has.
   */
  size_t source_count;
  /*
   The destination in pieces; the job's `destination` is null. The same array as
   `source_pieces` is in place.
   */
  const struct bl_piece *destination_pieces;
  /*
   How many pieces the destination has.
   */
  size_t destination_count;
} bl_extras;

/*
 One buffer's work. Set all members to zero but those that are needed; `size` always is.

 From the call that takes a job until the job comes back, the job and everything that it points
 to belong to the library: nobody else reads or writes them. Jobs of one call may read the same
 bytes; what one job writes no other job reads or writes.
 */
typedef struct bl_job {
  /*
   sizeof(bl_job)
   */
  size_t size;
  /*
   What to do. Null for the functions `bl_..._many`, which say it themselves.
   */
  const struct bl_session *session;
  /*
   The bytes to read.
   */
  const uint8_t *source;
  /*
   How many there are.
   */
  size_t len;
  /*
   Where the output goes: the same as `source` is in place. Null where there is none: for
   hashes, MACs and signatures. It must not overlap the source otherwise, nor the associated
   data.
   */
  uint8_t *destination;
  /*
   Bytes of room at the destination. A cipher, an AEAD and a chain write `len` bytes.
   */
  size_t room;
  /*
   The nonce, the IV or the first counter block.
   */
  const uint8_t *nonce;
  /*
   Bytes of the nonce.
   */
  size_t nonce_len;
  /*
   The associated data of an AEAD.
   */
  const uint8_t *associated;
  /*
   Bytes of associated data.
   */
  size_t associated_len;
  /*
   Where a digest, a tag or a signature goes; or, where one is checked, where it is. May be
   null where the tag lies in the data.
   */
  uint8_t *tag;
  /*
   Bytes of room at `tag`; where a tag or a signature is checked, its length.
   */
  size_t tag_len;
  /*
   What few jobs need; may be null.
   */
  const struct bl_extras *extras;
  /*
   For the caller.
   */
  void *user;
  /*
   Out: how it went.
   */
  bl_status status;
  /*
   Out: the session's checksum of the uncompressed bytes.
   */
  uint32_t checksum;
  /*
   Out: bytes of output or of a signature, of an algorithm that decides on its own how many
   there are: compression, decompression, public key. With `BL_E_ROOM`, how many there would
   be. Else the bytes of the digest or tag that was made.
   */
  size_t produced;
  /*
   Out: bytes of input that a decompression has read.
   */
  size_t consumed;
} bl_job;

/*
 How a public-key algorithm makes a number of a message.
 */
typedef struct bl_scheme {
  /*
   sizeof(bl_scheme)
   */
  size_t size;
  /*
   The hash: "sha256"; null: SHA-256.
   */
  const char *hash;
  /*
   The padding of RSA: "pkcs1" (null is the same), "pss", "oaep", or "none" for the bare
   operation.
   */
  const char *padding;
  /*
   Bytes of the salt of PSS.
   */
  size_t salt_len;
  /*
   Not 0: the data are digests of messages. Of ML-DSA and SLH-DSA, these are HashML-DSA and
   HashSLH-DSA.
   */
  int prehashed;
  /*
   Not 0: signatures of ML-DSA, SLH-DSA and ECDSA are made with fresh randomness, so that a
   message has another one each time.
   */
  int hedged;
  /*
   The context string of ML-DSA and SLH-DSA, which names a use of the key: a signature is right
   only under the one that it was made under.
   */
  const uint8_t *context;
  /*
   Bytes of the context string: up to 255.
   */
  size_t context_len;
  /*
   Not 0: the data are mu of ML-DSA, 64 bytes that are hashed of the public key, the context
   string and a message (FIPS 204, algorithm 7, line 6). No context string may be given then.
   */
  int external_mu;
} bl_scheme;

/*
 A packet in a buffer that has room before and behind it, for headers, padding and tags
 (`bl_flow_room` says how much). Set all members to zero but those that are needed; `size` always
 is.

 During the call that takes a packet, all of its buffer belongs to the library, and the buffers
 of the packets of one burst do not overlap.

 A packet that is refused has its `status`, and its other members are as they were. The bytes of
 one that is not authentic may have been wiped.
 */
typedef struct bl_packet {
  /*
   sizeof(bl_packet)
   */
  size_t size;
  /*
   The packet's flow: that of a `bl_..._open` of its protocol.
   */
  const struct bl_flow *flow;
  /*
   The buffer.
   */
  uint8_t *buffer;
  /*
   Bytes of the buffer.
   */
  size_t room;
  /*
   Where the packet begins in its buffer. Out: where the result begins, which may be earlier or
   later.
   */
  size_t begin;
  /*
   Bytes of the packet. Out: bytes of the result.
   */
  size_t len;
  /*
   Out: the packet's whole number: the sequence number of ESP (64 bits where it is extended),
   the index of SRTP and SRTCP, the packet number of QUIC, the counter of WireGuard, the
   number of a record. In: the number that a packet of QUIC gets, where its flow has
   `BL_QUIC_GIVEN_NUMBERS`.
   */
  uint64_t number;
  /*
   Out: the epoch of a record of DTLS.
   */
  uint64_t epoch;
  /*
   Of records that hide how long their content is: how many zeros to put behind it. Out: how
   many there were.
   */
  size_t padding;
  /*
   The IV of a packet that is to be protected, where its flow of ESP has `BL_ESP_GIVEN_IVS`: 16
   bytes of AES-CBC, 8 of every other cipher. Otherwise null.
   */
  const uint8_t *iv;
  /*
   What the packet is, by its protocol:

   - ESP: the protocol of what is protected, as IP numbers it, which is called next header.
     Out: of an unprotected packet. In: of a payload that is to be protected in mode "payload";
     in mode "tunnel", 59 asks for a dummy packet, and every other value is replaced.
   - SRTP: `BL_SRTP_MUXED`, `BL_SRTP_RTP` or `BL_SRTP_RTCP`.
   - QUIC: out: the key phase, 0 or 1.
   - Records: the type of the content; 0 is application data, which is 23. Out: of an
     unprotected record.
   */
  uint32_t kind;
  /*
   Out: how it went: `BL_OK`, a status `BL_PACKET_...`, or `BL_E_ARGUMENT` where a member is
   wrong.
   */
  bl_status status;
  /*
   For the caller.
   */
  void *user;
} bl_packet;

/*
 One direction of a security association of IPsec ESP (RFC 4303). Set all members to zero but
 those that are needed; `size` always is.
 */
typedef struct bl_esp_config {
  /*
   sizeof(bl_esp_config)
   */
  size_t size;
  /*
   The algorithm: "esp-aes-128-gcm", "esp-aes-128-cbc-hmac-sha1" and so on;
   `bl_packet_algorithm_name` lists all.
   */
  const char *algorithm;
  /*
   "protect" (null is the same) for a flow whose packets are sent, "unprotect" for one whose
   packets are received.
   */
  const char *direction;
  /*
   The key of the cipher or of the AEAD.
   */
  const uint8_t *key;
  /*
   Bytes of the key.
   */
  size_t key_len;
  /*
   The salt, which key exchanges deliver behind the key: 4 bytes of AES-GCM, AES-GMAC, AES-CTR
   and ChaCha20-Poly1305, 3 of AES-CCM, else none.
   */
  const uint8_t *salt;
  /*
   Bytes of the salt.
   */
  size_t salt_len;
  /*
   The key of HMAC, as long as the hash's digest.
   */
  const uint8_t *integrity_key;
  /*
   Bytes of that key.
   */
  size_t integrity_key_len;
  /*
   The security parameters index, from 1 on. No key exchange gives one up to 255.
   */
  uint32_t spi;
  /*
   `BL_ESP_EXTENDED` and so on, or 0.
   */
  uint32_t flags;
  /*
   What packets are, before they are protected and after they are unprotected: "payload" (null
   is the same), without an IP header; "transport", IP packets of which the payload is
   protected; "tunnel", IP packets that are protected as a whole.
   */
  const char *mode;
  /*
   Of a tunnel: the address of this end, in network order.
   */
  const uint8_t *source;
  /*
   Of a tunnel: the address of the other end.
   */
  const uint8_t *destination;
  /*
   Bytes of both addresses: 4 or 16; 0 where there is no tunnel.
   */
  size_t address_len;
  /*
   The source port of UDP; 0: 4500, and a flow that unprotects takes packets from any port.
   */
  uint16_t udp_source;
  /*
   The destination port of UDP; 0: 4500.
   */
  uint16_t udp_destination;
  /*
   Of a tunnel: the time to live or hop limit of outer headers; 0: 64.
   */
  uint8_t hop_limit;
  /*
   Of a tunnel with `BL_ESP_SET_DSCP`: the differentiated services code point, up to 63.
   */
  uint8_t dscp;
  /*
   Packets of the replay window of a flow that unprotects, 32 to 65536; 0: 64.
   */
  uint32_t window;
  /*
   Of a tunnel with `BL_ESP_SET_FLOW_LABEL`: the flow label, of 20 bits.
   */
  uint32_t flow_label;
  /*
   The number of the first packet; 0: 1. No two flows may protect packets with the same numbers
   under the same key.
   */
  uint64_t first_number;
  /*
   The hard limit: a flow refuses packets with `BL_PACKET_KEY_USED_UP` after so many; 0: none
   but the end of the sequence numbers.
   */
  uint64_t packet_limit;
  /*
   Of a tunnel: shorter packets are padded to so many bytes before they are encrypted, which
   hides how long they are; 0: none are.
   */
  size_t pad_to;
} bl_esp_config;

/*
 What a flow has counted, and where its sequence numbers stand.
 */
typedef struct bl_flow_statistics {
  /*
   sizeof(bl_flow_statistics)
   */
  size_t size;
  /*
   Packets that were protected, or unprotected and delivered.
   */
  uint64_t packets;
  /*
   Bytes of these packets before they were protected, or after they were unprotected.
   */
  uint64_t bytes;
  /*
   Packets that were refused, by the status that they had:
   `refused[status - BL_PACKET_REPLAY]`.
   */
  uint64_t refused[BL_PACKET_KINDS];
  /*
   The number that the next packet gets which is protected. 0 where the flow does not protect
   packets, or does not number them in one row: SRTP, and QUIC with given numbers.
   */
  uint64_t next_number;
  /*
   The highest number of an authentic packet that was received; 0 where there was none, and in
   SRTP, where each stream has its own.
   */
  uint64_t highest_number;
} bl_flow_statistics;

/*
 The keys of one type of packets of a connection of QUIC, in both directions. Set all members to
 zero but those that are needed; `size` always is.
 */
typedef struct bl_quic_config {
  /*
   sizeof(bl_quic_config)
   */
  size_t size;
  /*
   The suite: "quic-aes-128-gcm", "quic-chacha20-poly1305" and so on;
   `bl_packet_algorithm_name` lists all.
   */
  const char *suite;
  /*
   The type of all packets: "1-rtt" (null is the same), "handshake", "0-rtt", "initial".
   */
  const char *packets;
  /*
   The traffic secret of packets that are sent, of TLS; null where none are.
   */
  const uint8_t *send_secret;
  /*
   Bytes of that secret: as many as the suite's hash has.
   */
  size_t send_secret_len;
  /*
   The traffic secret of packets that are received; null where none are.
   */
  const uint8_t *receive_secret;
  /*
   Bytes of that secret.
   */
  size_t receive_secret_len;
  /*
   The version: `BL_QUIC_V1` (0 is the same) or `BL_QUIC_V2`.
   */
  uint32_t version;
  /*
   `BL_QUIC_GIVEN_NUMBERS`, `BL_QUIC_GREASED_BIT`, or 0.
   */
  uint32_t flags;
  /*
   Bytes of the connection ID in short headers that are sent, which the peer chose: 0 to 20.
   */
  size_t peer_id_len;
  /*
   Bytes of the connection ID in short headers that are received, which this end chose.
   */
  size_t own_id_len;
  /*
   How far below the highest number a packet may arrive: 32 to 65536; 0: 2048.
   */
  uint32_t window;
  /*
   How many packets one key may protect; 0: the suite's limit.
   */
  uint64_t confidentiality_limit;
  /*
   How many packets that are not authentic may come, under all keys; 0: the suite's limit.
   */
  uint64_t integrity_limit;
  /*
   A flow of which this one shares the packet numbers, as 0-RTT and 1-RTT packets do; may be
   null.
   */
  const struct bl_flow *numbers_of;
} bl_quic_config;

/*
 The part of a packet's header that is not masked.
 */
typedef struct bl_quic_packet {
  /*
   `BL_QUIC_INITIAL` and so on.
   */
  uint32_t kind;
  /*
   The version of a long header; 0 in a short one.
   */
  uint32_t version;
  /*
   Where the packet begins in its datagram.
   */
  size_t begin;
  /*
   Bytes of the packet.
   */
  size_t len;
  /*
   The Destination Connection ID, in the datagram.
   */
  const uint8_t *destination;
  /*
   Bytes of it.
   */
  size_t destination_len;
  /*
   The Source Connection ID of a long header, in the datagram; null in a short one.
   */
  const uint8_t *source;
  /*
   Bytes of it.
   */
  size_t source_len;
  /*
   The token of an Initial packet, in the datagram; null where there is none.
   */
  const uint8_t *token;
  /*
   Bytes of it.
   */
  size_t token_len;
} bl_quic_packet;

/*
 The keys of one direction of a connection. Set all members to zero but those that are needed;
 `size` always is.
 */
typedef struct bl_record_keys {
  /*
   sizeof(bl_record_keys)
   */
  size_t size;
  /*
   The traffic secret of TLS 1.3 or DTLS 1.3, of which key and IV are derived; then the
   following members are zero.
   */
  const uint8_t *secret;
  /*
   Bytes of the secret: as many as the suite's hash has.
   */
  size_t secret_len;
  /*
   The key of the AEAD or of AES-CBC.
   */
  const uint8_t *key;
  /*
   Bytes of the key.
   */
  size_t key_len;
  /*
   The IV of an AEAD: 12 bytes; with AES-GCM and AES-CCM in version 1.2 it is the salt of 4
   bytes.
   */
  const uint8_t *iv;
  /*
   Bytes of the IV.
   */
  size_t iv_len;
  /*
   The key of HMAC, of suites with AES-CBC: as long as the hash's digest.
   */
  const uint8_t *mac_key;
  /*
   Bytes of that key.
   */
  size_t mac_key_len;
  /*
   The number of the next record: 0 for a new key, 1 after Finished in version 1.2. Of records
   of DTLS that are received it is 0.
   */
  uint64_t number;
  /*
   The epoch, of DTLS: 1 after the first handshake in DTLS 1.2, where both directions have the
   same, and 3 for application data in DTLS 1.3.
   */
  uint64_t epoch;
} bl_record_keys;

/*
 A connection of TLS or DTLS after its handshake. Set all members to zero but those that are
 needed; `size` always is.
 */
typedef struct bl_records_config {
  /*
   sizeof(bl_records_config)
   */
  size_t size;
  /*
   Version and suite: "tls13-aes-128-gcm", "dtls12-chacha20-poly1305" and so on;
   `bl_packet_algorithm_name` lists all.
   */
  const char *suite;
  /*
   The keys of records that we send.
   */
  const struct bl_record_keys *write;
  /*
   The keys of records that the peer sends.
   */
  const struct bl_record_keys *read;
  /*
   Of DTLS: records in the replay window of an epoch, 32 to 65536; 0: 64.
   */
  uint32_t window;
  /*
   Of DTLS 1.3: `BL_RECORDS_SHORT_NUMBERS`, `BL_RECORDS_NO_LENGTHS`, or 0.
   */
  uint32_t flags;
  /*
   Of DTLS: the connection ID that the peer wants in our records; may be null, as it is with
   AES-CBC.
   */
  const uint8_t *write_id;
  /*
   Bytes of that ID, up to 255.
   */
  size_t write_id_len;
  /*
   Of DTLS: the connection ID that the peer's records have; may be null.
   */
  const uint8_t *read_id;
  /*
   Bytes of that ID, up to 255.
   */
  size_t read_id_len;
} bl_records_config;

/*
 A master key of SRTP.
 */
typedef struct bl_srtp_key {
  /*
   The master key: 16, 24 or 32 bytes, as the profile's name says.
   */
  const uint8_t *key;
  /*
   Bytes of the key.
   */
  size_t key_len;
  /*
   The master salt: 12 bytes with AES-GCM, else 14.
   */
  const uint8_t *salt;
  /*
   Bytes of the salt.
   */
  size_t salt_len;
  /*
   The identifier that packets carry (MKI), up to 128 bytes; may be null where there is one
   key.
   */
  const uint8_t *mki;
  /*
   Bytes of the identifier; the same for all keys.
   */
  size_t mki_len;
} bl_srtp_key;

/*
 The keys of one direction of an SRTP session. Set all members to zero but those that are needed;
 `size` always is.
 */
typedef struct bl_srtp_config {
  /*
   sizeof(bl_srtp_config)
   */
  size_t size;
  /*
   Cipher, MAC and tag: "srtp-aes-128-cm-hmac-sha1-80", "srtp-aes-128-gcm" and so on;
   `bl_packet_algorithm_name` lists all.
   */
  const char *profile;
  /*
   The master keys, 1 to 256. Packets are sent under the first, until `bl_srtp_send_with`.
   */
  const struct bl_srtp_key *keys;
  /*
   How many there are.
   */
  size_t key_count;
  /*
   Packets of the replay window of each stream, 32 to 65536; 0: 128.
   */
  uint32_t window;
  /*
   `BL_SRTP_PLAIN_RTCP`, `BL_SRTP_CRYPTEX`, or 0.
   */
  uint32_t flags;
  /*
   The identifiers of the elements of header extensions that are encrypted (RFC 6904).
   */
  const uint8_t *encrypted_extensions;
  /*
   How many there are.
   */
  size_t encrypted_extension_count;
} bl_srtp_config;

/*
 How a queue pair behaves. Members that are 0 mean the default.
 */
typedef struct bl_queue_config {
  /*
   sizeof(bl_queue_config)
   */
  size_t size;
  /*
   Jobs that it holds at most; 0: 1024.
   */
  size_t capacity;
  /*
   Not 0: jobs come back in the order in which they were enqueued.
   */
  int in_order;
  /*
   Jobs that share lanes are processed when so many have come; 0: the provider decides.
   */
  size_t batch;
  /*
   How many nanoseconds a job waits for others at most, before a call of enqueue or dequeue has
   it processed; 0: 100,000. `BL_WAIT_FOR_EVER`: no bound.
   */
  uint64_t max_wait_ns;
} bl_queue_config;

/*
 How to compress.
 */
typedef struct bl_compression {
  /*
   sizeof(bl_compression)
   */
  size_t size;
  /*
   The provider's level; 0: level 1, and `BL_LEVEL_ZERO`: level 0.
   */
  int32_t level;
  /*
   How far back matches may lie: the logarithm, to base 2, of a number of bytes, 8 to 15; 0:
   15.
   */
  uint32_t window;
  /*
   The Huffman codes of DEFLATE: "dynamic" (null is the same) or "static".
   */
  const char *huffman;
  /*
   The checksum of the uncompressed bytes: "none" (null is the same), "crc32" or "adler32".
   */
  const char *checksum;
  /*
   "final" (null is the same): a whole stream; "open": ends on a byte boundary, without a final
   block.
   */
  const char *ending;
} bl_compression;

/*
 What a session does. Set all members to zero but those that are needed; `size` always is.
 */
typedef struct bl_transform {
  /*
   sizeof(bl_transform)
   */
  size_t size;
  /*
   The algorithm: "sha256", "hmac-sha1", "aes-128-gcm", "aes-128-cbc+hmac-sha1", "deflate".
   Null for a key of a public-key algorithm, which says it itself. `bl_algorithm_name` lists
   all.
   */
  const char *algorithm;
  /*
   The direction: "digest", "generate", "verify", "encrypt", "decrypt", "seal", "open",
   "compress", "decompress", "sign", "agree", "encapsulate", "decapsulate". Null is the
   algorithm's first: what makes something, not what checks or undoes it.
   */
  const char *direction;
  /*
   The key, of a chain the cipher's. Of a public-key algorithm PEM or DER: a private key to
   sign, decrypt, agree and decapsulate, a public one to verify and encrypt. With the algorithm
   "ml-kem-768", say, "generate" and "encapsulate" take no key, and "decapsulate" takes bytes:
   a seed of 64 bytes, or an expanded decapsulation key.

   ML-KEM: a job to generate has a seed as its source, or nothing; its output is an expanded
   key. A job to encapsulate has the encapsulation key as its source, with or without 32 random
   bytes behind it; its output is the ciphertext and then the secret of 32 bytes. What is left
   out is drawn at random.

   "x25519-ml-kem-768" and "p256-ml-kem-768", X25519MLKEM768 and SecP256r1MLKEM768 of TLS 1.3,
   go the same way: a seed of 96 bytes or a private key of 2432, shares and secrets as TLS has
   them, and 64 random bytes. A new key's public share stands behind it.

   With the algorithm "ml-dsa-65", say, "generate" takes no key: a job has a seed of 32 bytes
   as its source, or nothing, and its output is the private key, and then the public key. To
   sign and to verify, the key is DER, which `bl_key_from_parts` makes of these, and the
   algorithm is null.
   */
  const uint8_t *key;
  /*
   Bytes of the key.
   */
  size_t key_len;
  /*
   The key of a chain's MAC.
   */
  const uint8_t *mac_key;
  /*
   Bytes of that key.
   */
  size_t mac_key_len;
  /*
   Bytes of the digest or tag; 0: all.
   */
  size_t tag_len;
  /*
   `BL_ALLOW_WEAK_KEYS`, or 0.
   */
  uint32_t flags;
  /*
   The provider, perhaps with options: "native", "openssl", "native:isa=avx2". Null: the first
   that can.
   */
  const char *provider;
  /*
   Of a public-key algorithm: hash and padding. Null: SHA-256, and PKCS #1 v1.5 for RSA.
   */
  const struct bl_scheme *scheme;
  /*
   Of a compression: level and more; of a decompression, the checksum alone counts. Null: level
   1, no checksum.
   */
  const struct bl_compression *compression;
} bl_transform;

/*
 How workers behave. Members that are 0 mean the default.
 */
typedef struct bl_workers_config {
  /*
   sizeof(bl_workers_config)
   */
  size_t size;
  /*
   How many threads; 0: as many as the process may use cores.
   */
  size_t threads;
  /*
   Null: threads run wherever the system puts them. "packed": pinned, neighbours first, which
   share caches; "spread": pinned, as far apart as can be.
   */
  const char *placement;
  /*
   Jobs for each of them at most; 0: 1024.
   */
  size_t capacity;
  /*
   Jobs that share lanes are processed when so many have come; 0: the provider decides.
   */
  size_t batch;
  /*
   How many nanoseconds a job waits for others at most, while more keep coming; 0: 100,000.
   */
  uint64_t max_wait_ns;
  /*
   How many nanoseconds a worker waits for more jobs, when none come, before it processes the
   jobs that it has; 0: none.
   */
  uint64_t patience_ns;
} bl_workers_config;

/*
 All went well.
 */
#define BL_OK 0

/*
 The job is not complete.
 */
#define BL_PENDING 1

/*
 An argument is wrong: a null pointer, a structure of another size, buffers that overlap.
 */
#define BL_E_ARGUMENT 2

/*
 A name stands for nothing: of an algorithm, a direction, a format, a padding.
 */
#define BL_E_NAME 3

/*
 A key or a tag has a length that the algorithm does not have, or an option does not fit it.
 */
#define BL_E_TRANSFORM 4

/*
 A private or a public key cannot be read, or breaks a rule.
 */
#define BL_E_KEY 5

/*
 No provider can do it, or the one that was named is absent.
 */
#define BL_E_PROVIDER 6

/*
 At least one job failed; each job says how it went.
 */
#define BL_E_JOBS 7

/*
 The system has no more threads, descriptors or cores.
 */
#define BL_E_SYSTEM 8

/*
 The output needs more room; `produced` says how many bytes.
 */
#define BL_E_ROOM 9

/*
 The compressed data are wrong or cut short.
 */
#define BL_E_DATA 10

/*
 At least one packet was refused; each packet says how it went.
 */
#define BL_E_PACKETS 11

/*
 The tag is wrong. What was deciphered is wiped.
 */
#define BL_E_TAG_MISMATCH 32

/*
 A tag of another length than the session's.
 */
#define BL_E_TAG_LENGTH 33

/*
 A nonce or IV of a length that the algorithm does not have.
 */
#define BL_E_NONCE_LENGTH 34

/*
 A nonce with bits set that are no part of any of its fields.
 */
#define BL_E_NONCE_BITS 35

/*
 The bytes to be ciphered are no multiple of the block length.
 */
#define BL_E_DATA_LENGTH 36

/*
 More data than one nonce allows, or than the provider takes at once.
 */
#define BL_E_TOO_LONG 37

/*
 More associated data than the provider takes at once.
 */
#define BL_E_ASSOCIATED_TOO_LONG 38

/*
 Less data than the algorithm takes.
 */
#define BL_E_TOO_SHORT 39

/*
 A length in bits that does not end in the last byte of the text.
 */
#define BL_E_BIT_LENGTH 40

/*
 A counter of 32 bits would pass zero, so that key stream would be used twice.
 */
#define BL_E_COUNTER_WRAPS 41

/*
 A range, or the place of a tag, is not within the data.
 */
#define BL_E_RANGE 42

/*
 The place of a tag overlaps the bytes that it is the tag of, or ciphertext.
 */
#define BL_E_TAG_OVERLAP 43

/*
 The job was given something that its session has no use for.
 */
#define BL_E_NOT_TAKEN 44

/*
 The output needs a destination.
 */
#define BL_E_READ_ONLY 45

/*
 The source and the destination, in pieces, have different lengths.
 */
#define BL_E_LENGTHS 46

/*
 The provider has no queue for this thread just now.
 */
#define BL_E_NO_QUEUE 47

/*
 A call of the provider's own library failed.
 */
#define BL_E_PROVIDER_CALL 48

/*
 The compressed data are malformed.
 */
#define BL_E_MALFORMED 49

/*
 The compressed data end too early.
 */
#define BL_E_TRUNCATED 50

/*
 The decompressed data are more than the limit.
 */
#define BL_E_OUTPUT_LIMIT 51

/*
 The compressed data do not fit into several times their worst case.
 */
#define BL_E_NEVER_FITS 52

/*
 The signature is wrong.
 */
#define BL_E_SIGNATURE_MISMATCH 53

/*
 The ciphertext cannot be decrypted.
 */
#define BL_E_DECRYPTION 54

/*
 Data of another length than the public-key algorithm takes.
 */
#define BL_E_INPUT_LENGTH 55

/*
 A number that is not less than the modulus of the RSA key.
 */
#define BL_E_NOT_BELOW_MODULUS 56

/*
 The other side's public key is not valid.
 */
#define BL_E_PUBLIC_KEY 57

/*
 An accelerator failed.
 */
#define BL_E_DEVICE 58

/*
 The provider gave the job back without having done it.
 */
#define BL_E_NOT_DONE 59

/*
 The provider panicked while it worked on the job, or on others beside it.
 */
#define BL_E_PANICKED 60

/*
 The job was not processed.
 */
#define BL_E_CANCELLED 61

/*
 The output of a compression or a public-key algorithm was to go to pieces; it goes to
 `destination`, or a signature to `tag`.
 */
#define BL_E_OWN_OUTPUT 62

/*
 The job failed in a way that this version of the library has no number for.
 */
#define BL_E_OTHER 63

/*
 There is no memory for the output of a compression, a decompression or a public-key algorithm.
 */
#define BL_E_NO_MEMORY 64

/*
 The packet's number was received before, or is older than the replay window.
 */
#define BL_PACKET_REPLAY 96

/*
 The packet is too short for what its protocol puts into it.
 */
#define BL_PACKET_RUNT 97

/*
 The packet is longer than its protocol or its flow allows.
 */
#define BL_PACKET_TOO_LONG 98

/*
 The padding of an authentic packet is not as the protocol prescribes.
 */
#define BL_PACKET_BAD_PADDING 99

/*
 The buffer has too little room before the packet.
 */
#define BL_PACKET_NO_HEAD_ROOM 100

/*
 The buffer has too little room behind the packet.
 */
#define BL_PACKET_NO_TAIL_ROOM 101

/*
 The flow has used all its sequence numbers, and needs another key.
 */
#define BL_PACKET_SEQUENCE_CYCLED 102

/*
 The packet is a fragment, which its protocol does not take.
 */
#define BL_PACKET_FRAGMENT 103

/*
 The packet is not authentic: it was damaged or forged, or the key is another.
 */
#define BL_PACKET_INTEGRITY 104

/*
 The packet belongs to another flow, as its SPI, SSRC, connection or key identifier says; or its
 flow is of the other direction.
 */
#define BL_PACKET_WRONG_FLOW 105

/*
 A field of the packet has a value that its protocol does not allow.
 */
#define BL_PACKET_MALFORMED 106

/*
 The provider could not do the work; `bl_last_error` says why.
 */
#define BL_PACKET_JOB 107

/*
 An earlier packet of the flow was wrong, or ended the connection: this direction of the flow
 accepts no more.
 */
#define BL_PACKET_ENDED 108

/*
 An earlier packet may change the flow's keys. This packet is as it was: give it again after that
 one was read.
 */
#define BL_PACKET_DEFERRED 109

/*
 The packet is authentic and carries nothing: its sender hides when there is traffic.
 */
#define BL_PACKET_DUMMY 110

/*
 The key has been used for as many packets as its algorithm or its flow allows.
 */
#define BL_PACKET_KEY_USED_UP 111

/*
 The flow has no key for this direction.
 */
#define BL_PACKET_NO_KEY 112

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Compresses an input of any length, in chunks that go side by side.

 `options`: may be null: gzip, level 1, the calling thread. `produced`: out: bytes of output;
 with `BL_E_ROOM`, how many there would be. Nothing else is written where the call fails, with
 `BL_E_NO_MEMORY` for instance.

 Threads: any, at once.
 */
bl_status bl_compress(const struct bl_stream_options *options,
                      const uint8_t *input,
                      size_t len,
                      uint8_t *output,
                      size_t room,
                      size_t *produced);

/*
 Decompresses an input of any length, side by side where the format allows it. Checksums and
 lengths are checked.

 `options`: may be null. `produced`: out: bytes of output. `BL_E_ROOM` where there would be more
 than `room`: nothing is written then, and `produced` is 0. `BL_E_DATA` where the input is wrong
 or cut short, and `bl_last_error` tells the offset and the cause. `BL_E_NO_MEMORY` where there
 is no memory for the output.

 Threads: any, at once.
 */
bl_status bl_decompress(const struct bl_stream_options *options,
                        const uint8_t *input,
                        size_t len,
                        uint8_t *output,
                        size_t room,
                        size_t *produced);

/*
 Why the last call that failed on this thread did so, in words that name the value and what would
 be right. Empty where none has failed. Valid until the next call that fails on this thread. In
 the destructor of a thread's key (`pthread_key_create`) a call only has its status.

 Threads: any, at once; each has words of its own.
 */
const char *bl_last_error(void);

/*
 Makes a key of its numbers, in the form that `bl_transform.key` takes: DER, PKCS #8 of a private
 key, SubjectPublicKeyInfo of a public one. Numbers of an RSA key that are left out are computed;
 with `d` alone, the primes are searched, which takes as long as several signatures.

 `key`: room for the key, which the caller wipes when it is private; may be null where `room` is
 0. `len`: out: how long the key is, also where there is too little room, with `BL_E_ROOM`.
 5120 bytes are enough for every key.

 `BL_E_KEY`: the numbers break a rule, and `bl_last_error` names it. Whether a point is on its
 curve is found when a session is opened.

 Threads: any, at once.
 */
bl_status bl_key_from_parts(const struct bl_key_parts *parts,
                            uint8_t *key,
                            size_t room,
                            size_t *len);

/*
 The version of the library, for ever valid: "0.1.0".

 Threads: any, at once. The same holds for the functions that follow.
 */
const char *bl_version(void);

/*
 The name of an algorithm, by its number from 0 on, for ever valid; null where there are no more.
 Chains are not listed: they are any cipher and any MAC without a nonce, "aes-128-cbc+hmac-sha1"
 or "hmac-sha1+aes-128-cbc".
 */
const char *bl_algorithm_name(size_t number);

/*
 The name of a provider, by its number from 0 on, for ever valid; null where there are no more.
 They are asked in this order. Whether the library of a provider is there is found out when the
 provider is first asked.
 */
const char *bl_provider_name(size_t number);

/*
 Hashes `count` messages: `source`, `len`; the digests go to `tag`, which has room for `tag_len`
 bytes. The session of each job is null.

 `algorithm`: "sha256", "md5", "sha3-256" and so on.

 Threads: any, at once. The same holds for all functions `bl_..._many`.
 */
bl_status bl_hash_many(const char *algorithm, struct bl_job *jobs, size_t count);

/*
 Authenticates `count` messages by HMAC with one key: `source`, `len`; the tags go to `tag`. For
 messages that each have a key of their own, open sessions and call `bl_process`.

 `hash`: "sha1", "sha256" and so on.
 */
bl_status bl_hmac_many(const char *hash,
                       const uint8_t *key,
                       size_t key_len,
                       struct bl_job *jobs,
                       size_t count);

/*
 Encrypts and authenticates `count` buffers with one key of an AEAD: `source`, `len`,
 `destination`, `nonce`, `associated`; the tags go to `tag`. No nonce may be used twice with one
 key.

 `algorithm`: "aes-128-gcm", "chacha20-poly1305" and so on.
 */
bl_status bl_seal_many(const char *algorithm,
                       const uint8_t *key,
                       size_t key_len,
                       struct bl_job *jobs,
                       size_t count);

/*
 Checks and decrypts `count` buffers with one key of an AEAD. `tag` is the tag to check, whole. A
 buffer whose tag is wrong fails with `BL_E_TAG_MISMATCH`, and its output is wiped.
 */
bl_status bl_open_many(const char *algorithm,
                       const uint8_t *key,
                       size_t key_len,
                       struct bl_job *jobs,
                       size_t count);

/*
 Encrypts or decrypts `count` buffers with one key of a cipher: `source`, `len`, `destination`,
 `nonce` (the IV).

 `algorithm`: "aes-128-cbc", "3des-cbc" and so on. `direction`: "encrypt" or "decrypt".
 */
bl_status bl_cipher_many(const char *algorithm,
                         const char *direction,
                         const uint8_t *key,
                         size_t key_len,
                         struct bl_job *jobs,
                         size_t count);

/*
 Signs `count` messages with one private key, in PEM or DER: `source`, `len`; the signatures go
 to `tag`, which has room for `tag_len` bytes, and `produced` says how long they are.

 `scheme`: hash and padding; null: SHA-256, and PKCS #1 v1.5 for RSA.
 */
bl_status bl_sign_many(const struct bl_scheme *scheme,
                       const uint8_t *key,
                       size_t key_len,
                       struct bl_job *jobs,
                       size_t count);

/*
 Checks `count` signatures with one public key, in PEM or DER: `source`, `len`, and the signature
 in `tag`, `tag_len`. One that is wrong fails with `BL_E_SIGNATURE_MISMATCH`.
 */
bl_status bl_verify_many(const struct bl_scheme *scheme,
                         const uint8_t *key,
                         size_t key_len,
                         struct bl_job *jobs,
                         size_t count);

/*
 The metrics of this process: what all its processors, queue pairs and workers have done since
 the first call of this function or of `bl_metrics_open`, those that were closed included. No
 queue waits for this.

 `format`: "openmetrics" or "prometheus" for the two text formats of Prometheus, "json" for what
 `broadloom top` reads. `produced`: out: bytes of text, which no zero byte ends; with
 `BL_E_ROOM`, how many there are now, and nothing else is written. Later there may be more.

 Threads: any, at once.
 */
bl_status bl_metrics_text(const char *format, uint8_t *output, size_t room, size_t *produced);

/*
 Listens at a Unix socket, where each connection gets the metrics as one line of JSON. A thread
 of its own answers. Only the user who runs the process can connect.

 `path`: where; null: `PID.sock` in the directory `broadloom` of `$XDG_RUNTIME_DIR`, or in
 `/tmp/broadloom-UID` if that is not set, where `broadloom top PID` looks. With a path, the
 directory decides who can connect. `listener`: out. `BL_E_SYSTEM` if the process listens there
 already, or cannot.

 Threads: any, at once.
 */
bl_status bl_metrics_open(const char *path, struct bl_metrics **listener);

/*
 Stops listening, and removes the socket. In a child that a fork made, the parent keeps both.
 */
void bl_metrics_close(struct bl_metrics *listener);

/*
 Protects `count` packets: encrypts them, authenticates them, and puts them into the form in
 which they are sent. The packets may be of any flows and protocols, and are processed side by
 side. Each packet then has its status. `BL_E_PACKETS` where at least one was refused, and
 `bl_last_error` tells of the first.

 Whatever fails, no number is used for a second packet. A packet that is refused for its form has
 used none.

 Threads: one at a time for a processor. Several threads may protect packets of one flow, each
 with its own processor; only flows of TLS want one thread at a time.
 */
bl_status bl_protect_burst(struct bl_processor *processor, struct bl_packet *packets, size_t count);

/*
 Unprotects `count` packets: checks them, decrypts them, and takes them out of the form in which
 they came. Each packet then has its status, as with `bl_protect_burst`. A packet that is refused
 changes neither its neighbours nor its flow: a replay window moves after a packet was
 authenticated.

 Threads: as `bl_protect_burst`.
 */
bl_status bl_unprotect_burst(struct bl_processor *processor,
                             struct bl_packet *packets,
                             size_t count);

/*
 Opens one direction of a security association. The keys are copied; the caller may wipe its own.

 `flow`: out: the flow; unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_esp_open(const struct bl_esp_config *config, struct bl_flow **flow);

/*
 Says which number the next packet gets that a flow of ESP protects, for example where another
 flow ended. It is not below the next number, unless the flow has `BL_ESP_GIVEN_IVS`: an IV that
 the library makes never comes twice. Where it fails, the flow is as it was.

 Threads: any, at once. Packets that are protected at the same time have numbers from before or
 from then on.
 */
bl_status bl_esp_set_next(const struct bl_flow *flow, uint64_t number);

/*
 The SPI of an IP packet with ESP, or with ESP in UDP from or to port 4500, by which its flow is
 found. 0 where it is neither, or a fragment, or the pointer is null.

 Threads: any, at once.
 */
uint32_t bl_esp_spi(const uint8_t *packet, size_t len);

/*
 The SPI at the beginning of an ESP packet without an IP header, such as the payload of a UDP
 datagram. 0 where it is a keepalive, a message of a key exchange or too short, or the pointer is
 null.

 Threads: any, at once.
 */
uint32_t bl_esp_payload_spi(const uint8_t *packet, size_t len);

/*
 Closes a flow and wipes its keys. Null is allowed. Keys that flows share, as streams of SRTP
 share those of their context, are wiped with the last of them.

 Threads: one; no other uses the flow any more.
 */
void bl_flow_close(struct bl_flow *flow);

/*
 Says how many bytes of room a packet needs at most, before it and behind it, so that it is never
 refused for want of room, in either direction. The zeros of `bl_packet.padding` come on top.

 `head`, `tail`: out: bytes before the packet and behind it.

 Threads: any, at once.
 */
bl_status bl_flow_room(const struct bl_flow *flow, size_t *head, size_t *tail);

/*
 Reads what a flow has counted. It costs nothing that bursts would notice.

 `statistics`: its `size` is set; out: the rest.

 Threads: any, at once, also while bursts use the flow.
 */
bl_status bl_flow_read(const struct bl_flow *flow, struct bl_flow_statistics *statistics);

/*
 The name of an algorithm of packets, by its number from 0 on, for ever valid; null where there
 are no more: "esp-aes-128-gcm" and so on. What is before the first hyphen is the protocol.
 WireGuard has one algorithm, which is not listed.

 Threads: any, at once.
 */
const char *bl_packet_algorithm_name(size_t number);

/*
 Opens the flow of one type of packets of a connection, under traffic secrets of TLS. The secrets
 are copied; the caller may wipe its own.

 Write a packet as it is to be before protection: the header is complete, and the lowest two bits
 of its first byte are the bytes of the packet number less one. The flow writes the number, the
 length and the key phase. The payload follows; number and payload together have at least 4
 bytes. An unprotected packet is its payload. Headers are masked and unmasked in the same call.

 `flow`: out: the flow; unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_quic_open(const struct bl_quic_config *config, struct bl_flow **flow);

/*
 Opens the flow of Initial packets, whose keys follow from the Destination Connection ID of the
 client's first Initial packet, or from the ID that the server chose in a Retry.

 `version`: `BL_QUIC_V1` (0 is the same) or `BL_QUIC_V2`. `is_server`: not 0 at the end that
 accepts the connection. `flow`: out: the flow; unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_quic_initial_open(uint32_t version,
                               const uint8_t *connection_id,
                               size_t connection_id_len,
                               int is_server,
                               struct bl_flow **flow);

/*
 Opens the flow after a key update (RFC 9001, 6), which sends with the next keys, and receives
 packets of both phases. It shares numbers and counters with the flow before, which stays usable
 until it is closed.

 Call it once when `bl_quic_peer_has_updated`, or to begin an update.

 `updated`: out: the flow; unchanged where the call fails.

 Threads: any, at once, also while bursts use the flow.
 */
bl_status bl_quic_update(const struct bl_flow *flow, struct bl_flow **updated);

/*
 Opens the same flow without the keys before the last update. Call it three times the probe
 timeout after the update (RFC 9001, 6.5); the keys are wiped when the flows before are closed.

 `newer`: out: the flow; unchanged where the call fails.

 Threads: any, at once, also while bursts use the flow.
 */
bl_status bl_quic_forget(const struct bl_flow *flow, struct bl_flow **newer);

/*
 1 where an authentic packet came under newer keys than the flow sends with, so that it is to be
 updated; else 0. 0 for a null pointer and for flows of other protocols.

 Threads: any, at once, also while bursts use the flow.
 */
int bl_quic_peer_has_updated(const struct bl_flow *flow);

/*
 How many packets the current key of a flow has protected, to begin a key update in time. 0 for a
 null pointer and for flows of other protocols.

 Threads: any, at once, also while bursts use the flow.
 */
uint64_t bl_quic_packets_under_key(const struct bl_flow *flow);

/*
 How many bytes of a packet number are to be sent, 1 to 4, so that a peer that has acknowledged
 the number `acknowledged`, or none where `has_acknowledged` is 0, finds it again. 0 where 4 do
 not suffice, because too many packets are not acknowledged.

 Threads: any, at once.
 */
size_t bl_quic_number_len(uint64_t number, uint64_t acknowledged, int has_acknowledged);

/*
 Finds the packets of a datagram, each of which goes into a burst by itself.

 `own_id_len`: bytes of the connection IDs that the receiver chose, since short headers do not
 say it. `packets`: room for `max` packets. `found`: out: how many there are. Packets with
 another Destination Connection ID than the first one are left out (RFC 9000, 12.2).

 A status `BL_PACKET_...` where the rest of the datagram is no packet; those before it are found
 all the same. `BL_E_ARGUMENT` where there are more than `max`.

 Threads: any, at once.
 */
bl_status bl_quic_split(const uint8_t *datagram,
                        size_t len,
                        size_t own_id_len,
                        struct bl_quic_packet *packets,
                        size_t max,
                        size_t *found);

/*
 Opens the flow of a connection, in both directions. The keys are copied; the caller may wipe its
 own.

 Records of TLS come in the order of their stream: a connection's records are given in their
 order, from one thread at a time, and a record that is refused ends its direction. Those behind
 it are refused with `BL_PACKET_ENDED`. Several records of a connection may be in one burst.

 `flow`: out: the flow; unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_records_open(const struct bl_records_config *config, struct bl_flow **flow);

/*
 Goes on to the next traffic secret for records that we send: in TLS 1.3 after a KeyUpdate of
 ours was protected (RFC 8446, 4.6.3), in DTLS 1.3 when the peer has acknowledged it (RFC 9147,
 8).

 Threads: one; no burst uses the flow meanwhile. The same holds for all functions
 `bl_records_...` that follow and change a flow.
 */
bl_status bl_records_update_write(struct bl_flow *flow);

/*
 Goes on to the next traffic secret for records of the peer, after its KeyUpdate was unprotected.
 In DTLS 1.3 records of epochs before are still accepted, until `bl_records_remove_epochs`.
 */
bl_status bl_records_update_read(struct bl_flow *flow);

/*
 Adds an epoch of records that the peer sends, of DTLS 1.3, with its traffic secret: the epoch of
 application data after that of the handshake, for instance. It takes the place of the epoch four
 before it.
 */
bl_status bl_records_add_epoch(struct bl_flow *flow,
                               uint64_t epoch,
                               const uint8_t *secret,
                               size_t secret_len);

/*
 Removes the epochs of records of the peer before `epoch`, of DTLS 1.3, and wipes their keys.
 */
bl_status bl_records_remove_epochs(struct bl_flow *flow, uint64_t epoch);

/*
 1 where the last record of TLS 1.3 that was unprotected is a KeyUpdate: no more are unprotected
 before `bl_records_update_read`, and those behind it have the status `BL_PACKET_DEFERRED`. Else
 0, also for a null pointer and for flows of other protocols.

 Threads: any, at once.
 */
int bl_records_awaits_update(const struct bl_flow *flow);

/*
 The length of the record of TLS at the beginning of received bytes, with its header, as the
 header says: where the next one begins.

 `record_len`: out. `BL_PACKET_RUNT` where the header is not complete.

 Threads: any, at once.
 */
bl_status bl_records_tls_len(const uint8_t *received, size_t len, size_t *record_len);

/*
 The length of the record of DTLS at the beginning of a datagram, with its header, as the header
 says; a record of DTLS 1.3 without a length goes to the datagram's end.

 `id_len`: bytes of the connection IDs that this end gave out. `record_len`: out.
 `BL_PACKET_RUNT` where the header is not complete.

 Threads: any, at once.
 */
bl_status bl_records_dtls_len(const uint8_t *datagram,
                              size_t len,
                              size_t id_len,
                              size_t *record_len);

/*
 Where a record of DTLS has its connection ID of `id_len` bytes, by which its flow is found; null
 where it carries none, or is too short.

 Threads: any, at once.
 */
const uint8_t *bl_records_connection_id(const uint8_t *record, size_t len, size_t id_len);

/*
 Derives the session keys of one direction of an SRTP session. The keys are copied; the caller
 may wipe its own. The two directions have contexts of their own, under master keys of their own.

 `context`: out: the context; unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_srtp_context_open(const struct bl_srtp_config *config,
                               struct bl_srtp_context **context);

/*
 Closes a context. Null is allowed. Flows that were opened of it live on; its keys are wiped when
 the last of them is closed.

 Threads: one; no other uses the context any more.
 */
void bl_srtp_context_close(struct bl_srtp_context *context);

/*
 Has all flows of a context send further packets under the master key with this identifier.
 `BL_E_TRANSFORM` where no master key has it.

 Threads: any, at once, also while bursts use flows of the context.
 */
bl_status bl_srtp_send_with(const struct bl_srtp_context *context, const uint8_t *mki, size_t len);

/*
 Opens a stream: the packets of one SSRC under the keys of a context. The caller numbers RTP
 packets, and each number is protected once. SRTCP is numbered by the stream.

 `roc`: the roll-over counter of the first packet: 0 unless the stream began before.
 `rtcp_index`: the number of the first SRTCP packet that is sent. `flow`: out: the flow;
 unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_srtp_stream_open(const struct bl_srtp_context *context,
                              uint32_t ssrc,
                              uint32_t roc,
                              uint32_t rtcp_index,
                              struct bl_flow **flow);

/*
 Opens a flow of all streams of a context, to which the first packet of an SSRC adds its stream:
 one that is received after it was authenticated. It has at most `max_streams`; packets of
 further SSRCs are refused with `BL_PACKET_WRONG_FLOW`.

 `flow`: out: the flow; unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_srtp_session_open(const struct bl_srtp_context *context,
                               size_t max_streams,
                               struct bl_flow **flow);

/*
 The roll-over counter of a stream of a flow.

 `roc`: out. `BL_E_ARGUMENT` where the flow has no such stream.

 Threads: any, at once, also while bursts use the flow.
 */
bl_status bl_srtp_roc(const struct bl_flow *flow, uint32_t ssrc, uint32_t *roc);

/*
 Removes a stream that was received from the flow of a session, when its SSRC has left for good:
 a later packet of the SSRC adds it again, and then packets that were received before pass once
 more. Never remove a stream that was sent.

 `BL_E_ARGUMENT` where the flow has no such stream.

 Threads: any, at once, also while bursts use the flow.
 */
bl_status bl_srtp_remove(const struct bl_flow *flow, uint32_t ssrc);

/*
 The SSRC of a packet of RTP or RTCP, protected or not, by which its stream is found.

 `ssrc`: out. `BL_PACKET_RUNT` where the packet is too short to have one.

 Threads: any, at once.
 */
bl_status bl_srtp_ssrc(const uint8_t *packet, size_t len, uint32_t *ssrc);

/*
 1 where a packet is RTCP, as its second byte says where both come to one port (RFC 5761); else
 0.

 Threads: any, at once.
 */
int bl_srtp_is_rtcp(const uint8_t *packet, size_t len);

/*
 Opens both directions of a peer under the keys of a handshake, which is the caller's. The keys
 are copied; the caller may wipe its own.

 `send_key`, `receive_key`: 32 bytes each. `peer_index`: the index that messages to the peer
 carry. `own_index`: the index that messages from the peer carry. `flow`: out: the flow;
 unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_wireguard_open(const uint8_t *send_key,
                            uint32_t peer_index,
                            const uint8_t *receive_key,
                            uint32_t own_index,
                            struct bl_flow **flow);

/*
 The index that a message of transport data is for, by which its flow is found.

 `index`: out. `BL_PACKET_MALFORMED` where the message carries no data.

 Threads: any, at once.
 */
bl_status bl_wireguard_index(const uint8_t *message, size_t len, uint32_t *index);

/*
 The length of the IP packet in an unprotected message, without its padding, as the IP header
 says.

 `trimmed`: out: 0 for a keepalive. `BL_PACKET_MALFORMED` where it is no whole IP packet.

 Threads: any, at once.
 */
bl_status bl_wireguard_trimmed_len(const uint8_t *packet, size_t len, size_t *trimmed);

/*
 Opens a processor, for jobs and for packets. Nothing is opened at providers before their first
 job.

 Threads: any, at once.
 */
bl_status bl_processor_open(struct bl_processor **processor);

/*
 Closes a processor. Null is allowed.

 Threads: one; no other uses the processor any more.
 */
void bl_processor_close(struct bl_processor *processor);

/*
 Processes `count` jobs to their end, side by side where their kernels allow it: any mix of
 sessions, algorithms, lengths and keys. Each job then has its status. `BL_E_JOBS` where at least
 one failed, and `bl_last_error` tells of the first.

 A job of which a member is wrong is refused with a status of its own, and the others are
 processed.

 Threads: one at a time for a processor.
 */
bl_status bl_process(struct bl_processor *processor, struct bl_job *jobs, size_t count);

/*
 Opens a queue pair. `config` may be null: the defaults.

 Threads: any, at once.
 */
bl_status bl_queue_pair_open(const struct bl_queue_config *config,
                             struct bl_queue_pair **queue_pair);

/*
 Processes the jobs that are left and closes the queue pair. Null is allowed. Jobs that were not
 dequeued have their status then, and are the caller's again.

 Threads: one; no other uses the queue pair any more.
 */
void bl_queue_pair_close(struct bl_queue_pair *queue_pair);

/*
 Takes jobs from the front of a burst, as many as there is room for. The others stay the
 caller's.

 `accepted`: out: how many were taken. Where a job is wrong, those before it are taken, and the
 call fails.

 Threads: one at a time for a queue pair. The same holds for all functions `bl_queue_pair_...`
 that follow.
 */
bl_status bl_queue_pair_enqueue(struct bl_queue_pair *queue_pair,
                                struct bl_job *const *jobs,
                                size_t count,
                                size_t *accepted);

/*
 Gives back complete jobs, at most `max` of them: their pointers go to `jobs`.

 `given`: out: how many.
 */
bl_status bl_queue_pair_dequeue(struct bl_queue_pair *queue_pair,
                                struct bl_job **jobs,
                                size_t max,
                                size_t *given);

/*
 Processes all jobs that wait for others, however few. Call it where nothing more will come for
 now.
 */
bl_status bl_queue_pair_flush(struct bl_queue_pair *queue_pair);

/*
 Jobs that a queue pair holds: accepted, and not given back. 0 for a null pointer.
 */
size_t bl_queue_pair_in_flight(const struct bl_queue_pair *queue_pair);

/*
 Jobs that a queue pair holds at most. 0 for a null pointer.
 */
size_t bl_queue_pair_capacity(const struct bl_queue_pair *queue_pair);

/*
 A file descriptor that is readable exactly while complete jobs wait to be dequeued: for epoll,
 poll and select. It belongs to the queue pair and is closed with it; do not read, write or close
 it. Flush before sleeping on it: a queue pair works within its owner's calls. Linux only.
 */
bl_status bl_queue_pair_event(struct bl_queue_pair *queue_pair, int *descriptor);

/*
 Opens the session of a transform. The keys are copied; the caller may wipe its own.

 `session`: out: the session; unchanged where the call fails.

 Threads: any, at once.
 */
bl_status bl_session_open(const struct bl_transform *transform, struct bl_session **session);

/*
 Closes a session and wipes its keys. Null is allowed. All its jobs must have come back before.

 Threads: one; no other uses the session any more.
 */
void bl_session_close(struct bl_session *session);

/*
 The name of the provider that works for a session, valid as long as the session. Null for a null
 pointer.

 Threads: any, at once.
 */
const char *bl_session_provider(const struct bl_session *session);

/*
 The kernel that works for a session, in words, valid as long as the session. Null for a null
 pointer.

 Threads: any, at once.
 */
const char *bl_session_kernel(const struct bl_session *session);

/*
 Bytes of a session's digests or tags; 0 for a cipher, a compression, a public-key algorithm, and
 for a null pointer.

 Threads: any, at once.
 */
size_t bl_session_tag_len(const struct bl_session *session);

/*
 Room, in bytes, in which the output of `len` bytes of input surely fits: of a compression the
 provider's worst case, of a signature or an encryption with a key pair the longest. 0 for a null
 pointer. A decompression has no such bound.

 Threads: any, at once.
 */
size_t bl_session_bound(const struct bl_session *session, size_t len);

/*
 A status in words, for ever valid. An unknown number has words, too.

 Threads: any, at once.
 */
const char *bl_status_text(bl_status status);

/*
 Starts workers. `config` may be null: the defaults.

 Threads: any, at once.
 */
bl_status bl_workers_open(const struct bl_workers_config *config, struct bl_workers **workers);

/*
 Completes all jobs that were accepted, and ends the threads. Null is allowed. Jobs that were not
 polled have their status then, and are the caller's again.

 A child that a fork made has none of the threads: there, the jobs stay as they are, and the
 other functions of workers fail with `BL_E_SYSTEM`.

 Threads: one; no other uses the workers any more.
 */
void bl_workers_close(struct bl_workers *workers);

/*
 Takes jobs from the front of a burst, as many as there is room for. The others stay the
 caller's.

 `accepted`: out: how many were taken. Where a job is wrong, those before it are taken, and the
 call fails.

 Threads: any, at once. The same holds for all functions `bl_workers_...` that follow.
 */
bl_status bl_workers_submit(const struct bl_workers *workers,
                            struct bl_job *const *jobs,
                            size_t count,
                            size_t *accepted);

/*
 Gives back complete jobs, at most `max` of them: their pointers go to `jobs`.

 `given`: out: how many.
 */
bl_status bl_workers_poll(const struct bl_workers *workers,
                          struct bl_job **jobs,
                          size_t max,
                          size_t *given);

/*
 Waits until complete jobs can be polled, until none are in flight, or for `timeout_ns`
 nanoseconds.

 `ready`: out: how many jobs can be polled; may be null.
 */
bl_status bl_workers_wait(const struct bl_workers *workers, uint64_t timeout_ns, size_t *ready);

/*
 Jobs that workers hold: accepted, and not given back. 0 for a null pointer, and in a child that
 a fork made.
 */
size_t bl_workers_in_flight(const struct bl_workers *workers);

/*
 A file descriptor that is readable exactly while complete jobs wait to be polled. It belongs to
 the workers and is closed with them; do not read, write or close it. Linux only.
 */
bl_status bl_workers_event(const struct bl_workers *workers, int *descriptor);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BROADLOOM_H */
