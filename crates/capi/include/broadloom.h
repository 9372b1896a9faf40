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
 * - Sessions may be used by all threads at once, processors and queue pairs by one at a time,
 *   workers by all. Each description says so.
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
 `bl_queue_config.max_wait_ns` and `bl_workers_config.max_wait_ns`: jobs wait until their batch
 is full or the queue pair is flushed.
 */
#define BL_WAIT_FOR_EVER UINT64_MAX

/*
 `bl_compression.level` and `bl_stream_options.level`: level 0 of the provider.
 */
#define BL_LEVEL_ZERO -1

/*
 `bl_transform.flags`: takes a key of triple DES that is as weak as DES.
 */
#define BL_ALLOW_WEAK_KEYS 1

/*
 What one thread has open at every provider, to process many jobs within a call.
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
 Threads that process jobs, each with a queue pair of its own.
 */
typedef struct bl_workers bl_workers;

/*
 What a function returns, and how a job went: `BL_OK`, or what was wrong.
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
 public: `n` and `e`. A curve, private: `d`; public: `x` and `y`.
 */
typedef struct bl_key_parts {
  /*
   sizeof(bl_key_parts)
   */
  size_t size;
  /*
   What the key is of: "rsa", "p256", "k283" or "b283".
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
   The private exponent; of a curve, the private scalar.
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
   The point's first coordinate.
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
   Not 0: the data are digests of messages.
   */
  int prehashed;
} bl_scheme;

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
   "compress", "decompress", "sign", "agree". Null is the algorithm's first: what makes
   something, not what checks or undoes it.
   */
  const char *direction;
  /*
   The key, of a chain the cipher's. Of a public-key algorithm PEM or DER: a private key to
   sign, decrypt and agree, a public one to verify and encrypt.
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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Compresses an input of any length, in chunks that go side by side.

 `options`: may be null: gzip, level 1, the calling thread. `produced`: out: bytes of output;
 with `BL_E_ROOM`, how many there would be. Nothing else is written where the call fails.

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
 or cut short, and `bl_last_error` tells the offset and the cause.

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
 4096 bytes are enough for every key.

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
 Opens a processor. Nothing is opened at providers before their first job.

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

 A child that a fork made has none of the threads: there, the jobs stay as they are, and the other
 functions of workers fail with `BL_E_SYSTEM`.

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
