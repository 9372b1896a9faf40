/*
 * Public-key ops become jobs of the library. What is translated: the block type 1 of PKCS #1 v1.5
 * around a message, as cryptodev has messages that the caller has encoded; and the two numbers of a
 * signature by a curve, which the library has in DER.
 */
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

#include "asymmetric.h"

/* The fewest bytes that PKCS #1 v1.5 adds to a message. */
#define LEAST_PADDING 11

/* Where a signature lies in the numbers of a job, behind the digest, and its room. */
#define SIGNATURE_AT P256_LEN
#define SIGNATURE_ROOM 80

/* The object identifiers of hashes, in DER, and the lengths of digests (RFC 8017, 9.2). */
struct hash {
    uint8_t digest_len;
    uint8_t oid_len;
    uint8_t oid[9];
};

#define NIST_HASH(number) 9, { 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, number }

static const struct hash md5 = { 16, 8, { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05 } };
static const struct hash sha1 = { 20, 5, { 0x2b, 0x0e, 0x03, 0x02, 0x1a } };
static const struct hash sha224 = { 28, NIST_HASH(4) };
static const struct hash sha256 = { 32, NIST_HASH(1) };
static const struct hash sha384 = { 48, NIST_HASH(2) };
static const struct hash sha512 = { 64, NIST_HASH(3) };

static const struct hash *hash_of(enum rte_crypto_auth_algorithm hash)
{
    switch (hash) {
    case RTE_CRYPTO_AUTH_MD5:
        return &md5;
    case RTE_CRYPTO_AUTH_SHA1:
        return &sha1;
    case RTE_CRYPTO_AUTH_SHA224:
        return &sha224;
    case RTE_CRYPTO_AUTH_SHA256:
        return &sha256;
    case RTE_CRYPTO_AUTH_SHA384:
        return &sha384;
    case RTE_CRYPTO_AUTH_SHA512:
        return &sha512;
    default:
        return NULL;
    }
}

/* Whether an op names no hash: then its message is signed as it is. */
static bool is_encoded(enum rte_crypto_auth_algorithm hash)
{
    return hash == 0 || hash == RTE_CRYPTO_AUTH_NULL;
}

/* The digest's algorithm in DER, which stands before the digest; returns its length. */
static size_t put_digest_info(uint8_t *place, const struct hash *hash)
{
    uint8_t oid_len = hash->oid_len, digest_len = hash->digest_len, *at = place;

    *at++ = 0x30;
    *at++ = 8 + oid_len + digest_len;
    *at++ = 0x30;
    *at++ = 4 + oid_len;
    *at++ = 0x06;
    *at++ = oid_len;
    memcpy(at, hash->oid, oid_len);
    at += oid_len;
    *at++ = 0x05;
    *at++ = 0;
    *at++ = 0x04;
    *at++ = digest_len;
    return at - place;
}

/* How the message of an op is padded. */
static const struct rte_crypto_rsa_padding *padding_of(const struct rte_crypto_rsa_op_param *rsa,
                                                       const struct asymmetric_session *session)
{
#if OPS_HAVE_KEYS
    RTE_SET_USED(session);
    return &rsa->padding;
#else
    RTE_SET_USED(rsa);
    return &session->padding;
#endif
}

/* Pads an op's message to the length of the modulus: 00 01 FF ... 00, algorithm, message. */
static enum filled pad(const struct rte_crypto_rsa_op_param *rsa,
                       const struct asymmetric_session *session, uint8_t *place)
{
    enum rte_crypto_auth_algorithm named = padding_of(rsa, session)->hash;
    size_t len = session->modulus_len;
    uint8_t info[32];
    size_t info_len = 0, message_len = rsa->message.length;

    if (!rsa->message.data)
        return BAD_ARGUMENTS;
    if (!is_encoded(named)) {
        const struct hash *hash = hash_of(named);

        if (!hash || message_len != hash->digest_len)
            return BAD_ARGUMENTS;
        info_len = put_digest_info(info, hash);
    }
    if (message_len > len - LEAST_PADDING - info_len)
        return BAD_ARGUMENTS;
    memset(place, 0xff, len);
    place[0] = 0;
    place[1] = 1;
    memcpy(place + len - message_len, rsa->message.data, message_len);
    memcpy(place + len - message_len - info_len, info, info_len);
    place[len - message_len - info_len - 1] = 0;
    return FILLED;
}

static void set_input(bl_job *job, const uint8_t *bytes, size_t len)
{
    job->source = bytes;
    job->len = len;
}

static void set_output(bl_job *job, uint8_t *bytes, size_t room)
{
    job->destination = bytes;
    job->room = room;
}

static enum filled fill_rsa(uint8_t *numbers, bl_job *job, struct rte_crypto_op *op,
                            const struct asymmetric_session *session)
{
    const struct rte_crypto_rsa_op_param *rsa = &op->asym->rsa;
    enum rte_crypto_rsa_padding_type padding = padding_of(rsa, session)->type;
    bool pads = padding == RTE_CRYPTO_RSA_PADDING_PKCS1_5;
    size_t len = session->modulus_len;

    if (!pads && padding != RTE_CRYPTO_RSA_PADDING_NONE)
        return BAD_ARGUMENTS;
    switch (rsa->op_type) {
    case RTE_CRYPTO_ASYM_OP_ENCRYPT:
        job->session = pads ? session->encrypt : session->raise_public;
        set_input(job, rsa->message.data, rsa->message.length);
        set_output(job, rsa->cipher.data, len);
        break;
    case RTE_CRYPTO_ASYM_OP_DECRYPT:
        job->session = pads ? session->decrypt : session->raise_private;
        set_input(job, rsa->cipher.data, rsa->cipher.length);
        set_output(job, rsa->message.data, len);
        break;
    case RTE_CRYPTO_ASYM_OP_SIGN:
        job->session = session->raise_private;
        set_input(job, rsa->message.data, rsa->message.length);
        if (pads && pad(rsa, session, numbers) != FILLED)
            return BAD_ARGUMENTS;
        if (pads)
            set_input(job, numbers, len);
        set_output(job, rsa->sign.data, len);
        break;
    case RTE_CRYPTO_ASYM_OP_VERIFY:
        job->session = session->raise_public;
        set_input(job, rsa->sign.data, rsa->sign.length);
        set_output(job, pads ? numbers : rsa->cipher.data, len);
        break;
    default:
        return BAD_ARGUMENTS;
    }
    /* Without a session, the transform had no private key. */
    return job->session && job->destination ? FILLED : BAD_ARGUMENTS;
}

/* Puts a number into so many bytes, with zeros in front. */
static enum filled put_number(uint8_t *place, size_t len, const rte_crypto_param *number)
{
    const uint8_t *bytes = number->data;
    size_t given = number->length;

    if (!bytes)
        return BAD_ARGUMENTS;
    while (given > len && *bytes == 0) {
        bytes++;
        given--;
    }
    if (given > len)
        return BAD_ARGUMENTS;
    memset(place, 0, len - given);
    memcpy(place + len - given, bytes, given);
    return FILLED;
}

/* The key of an op or of a transform: a private one with zeros behind it, or both coordinates. */
enum filled broadloom_put_key(uint8_t key[2 * P256_LEN], bool verifies,
                              const rte_crypto_param *secret,
                              const struct rte_crypto_ec_point *point)
{
    memset(key, 0, 2 * P256_LEN);
    if (!verifies)
        return put_number(key, P256_LEN, secret);
    if (put_number(key, P256_LEN, &point->x) != FILLED)
        return BAD_ARGUMENTS;
    return put_number(key + P256_LEN, P256_LEN, &point->y);
}

/* The leftmost 256 bits of a digest, as a number in so many bits (FIPS 186-5, 6.4.1). */
static enum filled put_digest(uint8_t place[P256_LEN], const rte_crypto_param *digest)
{
    rte_crypto_param cut = *digest;

    cut.length = RTE_MIN(cut.length, (size_t)P256_LEN);
    return cut.length == 0 ? BAD_ARGUMENTS : put_number(place, P256_LEN, &cut);
}

/* An integer of DER; returns the place behind it. */
static uint8_t *put_integer(uint8_t *at, const uint8_t number[P256_LEN])
{
    uint32_t zeros = 0, len;

    while (zeros < P256_LEN - 1 && number[zeros] == 0)
        zeros++;
    len = P256_LEN - zeros;
    *at++ = 0x02;
    *at++ = len + (number[zeros] >> 7);
    if (number[zeros] >> 7)
        *at++ = 0;
    memcpy(at, number + zeros, len);
    return at + len;
}

/* The signature of both numbers in DER (RFC 3279, 2.2.3); its length in `len`. */
static enum filled put_signature(uint8_t *place, const struct rte_crypto_ecdsa_op_param *ecdsa,
                                 size_t *len)
{
    uint8_t r[P256_LEN], s[P256_LEN], *end;

    if (put_number(r, P256_LEN, &ecdsa->r) != FILLED ||
        put_number(s, P256_LEN, &ecdsa->s) != FILLED)
        return BAD_ARGUMENTS;
    end = put_integer(put_integer(place + 2, r), s);
    place[0] = 0x30;
    place[1] = end - place - 2;
    *len = end - place;
    return FILLED;
}

/* Takes an integer of DER that the library wrote out of a signature, as so many bytes. */
static const uint8_t *take_integer(const uint8_t *at, rte_crypto_param *number)
{
    rte_crypto_param integer = { .data = (uint8_t *)(uintptr_t)(at + 2), .length = at[1] };

    put_number(number->data, P256_LEN, &integer);
    number->length = P256_LEN;
    return at + 2 + at[1];
}

/* The session of the key of an op; null where there is no key. */
static bl_session *session_of(struct queue_pair *qp, uint32_t at, bool verifies,
                              const struct rte_crypto_ecdsa_op_param *ecdsa,
                              const struct asymmetric_session *session)
{
#if OPS_HAVE_KEYS
    bl_session *found = NULL;
    uint8_t key[2 * P256_LEN];

    RTE_SET_USED(session);
    if (broadloom_put_key(key, verifies, &ecdsa->pkey, &ecdsa->q) == FILLED)
        found = broadloom_curve_session(qp->asymmetric, at, verifies, key);
    explicit_bzero(key, sizeof(key));
    return found;
#else
    RTE_SET_USED(qp);
    RTE_SET_USED(at);
    RTE_SET_USED(ecdsa);
    return verifies ? session->verify : session->sign;
#endif
}

static enum filled fill_ecdsa(struct queue_pair *qp, uint32_t at, bl_job *job,
                              struct rte_crypto_op *op, const struct asymmetric_session *session)
{
    const struct rte_crypto_ecdsa_op_param *ecdsa = &op->asym->ecdsa;
    bool verifies = ecdsa->op_type == RTE_CRYPTO_ASYM_OP_VERIFY;
    uint8_t *numbers = qp->asymmetric->numbers[at];

    if (put_digest(numbers, &ecdsa->message) != FILLED)
        return BAD_ARGUMENTS;
    set_input(job, numbers, P256_LEN);
    job->tag = numbers + SIGNATURE_AT;
    job->tag_len = SIGNATURE_ROOM;
    if (verifies) {
        if (put_signature(job->tag, ecdsa, &job->tag_len) != FILLED)
            return BAD_ARGUMENTS;
    } else {
        /* The library makes the secret number of a signature itself, and takes none. */
        bool has_secret = ecdsa->k.data && ecdsa->k.length > 0;

        if (ecdsa->op_type != RTE_CRYPTO_ASYM_OP_SIGN || has_secret || !ecdsa->r.data ||
            !ecdsa->s.data)
            return BAD_ARGUMENTS;
    }
    job->session = session_of(qp, at, verifies, ecdsa, session);
    return job->session ? FILLED : BAD_ARGUMENTS;
}

enum filled broadloom_fill_asymmetric(struct queue_pair *qp, uint32_t at, struct rte_crypto_op *op,
                                      struct asymmetric_session *session)
{
    bl_job *job = &qp->jobs[at];
    enum filled filled;

    *job = (bl_job){ .size = sizeof(*job) };
    filled = session->type == RTE_CRYPTO_ASYM_XFORM_RSA
                 ? fill_rsa(qp->asymmetric->numbers[at], job, op, session)
                 : fill_ecdsa(qp, at, job, op, session);
    if (filled == FILLED) {
        qp->asymmetric->sessions[at] = session;
        qp->asymmetric->used = true;
        qp->unusual = true;
    }
    return filled;
}

/* Compares what a signature by PKCS #1 v1.5 was raised to with what it should be. */
static void finish_verification(struct rte_crypto_op *op, const bl_job *job,
                                const struct asymmetric_session *session)
{
    uint8_t right[MAX_MODULUS];

    if (job->status == BL_E_INPUT_LENGTH || job->status == BL_E_NOT_BELOW_MODULUS)
        op->status = RTE_CRYPTO_OP_STATUS_AUTH_FAILED;
    if (job->status != BL_OK)
        return;
    if (pad(&op->asym->rsa, session, right) != FILLED)
        op->status = RTE_CRYPTO_OP_STATUS_INVALID_ARGS;
    else if (!equal_in_constant_time(right, job->destination, session->modulus_len))
        op->status = RTE_CRYPTO_OP_STATUS_AUTH_FAILED;
}

static void finish_rsa(struct rte_crypto_op *op, const bl_job *job,
                       const struct asymmetric_session *session)
{
    struct rte_crypto_rsa_op_param *rsa = &op->asym->rsa;
    bool pads = padding_of(rsa, session)->type == RTE_CRYPTO_RSA_PADDING_PKCS1_5;

    if (rsa->op_type == RTE_CRYPTO_ASYM_OP_VERIFY && pads) {
        finish_verification(op, job, session);
    } else if (job->status == BL_OK) {
        bool decrypts = rsa->op_type == RTE_CRYPTO_ASYM_OP_DECRYPT;
        bool signs = rsa->op_type == RTE_CRYPTO_ASYM_OP_SIGN;

        (decrypts ? &rsa->message : signs ? &rsa->sign : &rsa->cipher)->length = job->produced;
    }
}

/* Hands out what a job made, once its op has its status. */
void broadloom_finish_asymmetric(struct queue_pair *qp, uint32_t at)
{
    const struct asymmetric_session *session = qp->asymmetric->sessions[at];
    struct rte_crypto_op *op = qp->entries[at].op;
    const bl_job *job = &qp->jobs[at];

    if (session->type == RTE_CRYPTO_ASYM_XFORM_RSA) {
        finish_rsa(op, job, session);
    } else if (op->asym->ecdsa.op_type == RTE_CRYPTO_ASYM_OP_SIGN && job->status == BL_OK) {
        const uint8_t *s = take_integer(job->tag + 2, &op->asym->ecdsa.r);

        take_integer(s, &op->asym->ecdsa.s);
    }
}

/* Closes what the ops that were processed brought along. */
void broadloom_release_asymmetric(struct queue_pair *qp)
{
    struct asymmetric *asymmetric = qp->asymmetric;

    if (!asymmetric->used)
        return;
    for (uint32_t at = 0; at < BATCH; at++) {
        struct asymmetric_session *session = asymmetric->sessions[at];

        if (session && session->is_own) {
            broadloom_asymmetric_close(session);
            free(session);
        }
        asymmetric->sessions[at] = NULL;
#if OPS_HAVE_KEYS
        bl_session_close(asymmetric->own_keys[at]);
        asymmetric->own_keys[at] = NULL;
#endif
    }
#if OPS_HAVE_KEYS
    for (uint32_t known = 0; known < KEYS; known++)
        asymmetric->keys[known].in_use = false;
#endif
    asymmetric->used = false;
}

struct asymmetric *broadloom_asymmetric_new(int socket)
{
    return rte_zmalloc_socket("broadloom", sizeof(struct asymmetric), 0, socket);
}

void broadloom_asymmetric_free(struct asymmetric *asymmetric)
{
    if (!asymmetric)
        return;
#if OPS_HAVE_KEYS
    for (uint32_t known = 0; known < KEYS; known++)
        bl_session_close(asymmetric->keys[known].session);
#endif
    explicit_bzero(asymmetric, sizeof(*asymmetric));
    rte_free(asymmetric);
}
