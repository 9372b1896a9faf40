/*
 * Ops become jobs of the library: places, lengths, nonces and tags. Nothing is computed here.
 *
 * This is what most ops need. It is compiled into the loop over a burst, as a call for each op
 * would cost more than some of it. job.c has the rest.
 */
#ifndef BROADLOOM_JOB_H
#define BROADLOOM_JOB_H

#include <rte_mbuf.h>

#include "crypto.h"
#include "pieces.h"

enum filled { FILLED, BAD_ARGUMENTS, NO_ROOM };

/* job.c */
enum filled broadloom_place_pieces(struct queue_pair *qp, uint32_t at, bl_job *job,
                                   const struct rte_mbuf *from, const struct rte_mbuf *to,
                                   struct span bytes);
enum filled broadloom_fill_f9(struct queue_pair *qp, uint32_t at, bl_job *job,
                              const struct rte_mbuf *from, struct span *bytes);
enum filled broadloom_fill_first(struct queue_pair *qp, uint32_t at, bl_job *job,
                                 struct rte_crypto_op *op, const struct session *session,
                                 const struct rte_mbuf *from, struct rte_mbuf *to);
enum filled broadloom_fill_second(struct queue_pair *qp, uint32_t at, bl_job *job);
void broadloom_wipe_first(struct rte_crypto_op *op, const struct session *session);
bool broadloom_has_digest_at(const struct rte_crypto_op *op, const struct rte_mbuf *packet,
                             uint32_t at);

static inline bool has_wrapped(struct span span)
{
    return span.end < span.start;
}

static inline uint8_t *in_op(struct rte_crypto_op *op, struct iv iv)
{
    return rte_crypto_op_ctod_offset(op, uint8_t *, iv.offset);
}

static inline bl_extras *extras_of(struct queue_pair *qp, uint32_t at, bl_job *job)
{
    bl_extras *extras = &qp->extras[at];

    if (!job->extras) {
        extras->has = 0;
        job->extras = extras;
    }
    return extras;
}

/* Gives a job its data; `to` is null where nothing is written. */
static inline enum filled place(struct queue_pair *qp, uint32_t at, bl_job *job,
                                const struct rte_mbuf *from, const struct rte_mbuf *to,
                                struct span bytes)
{
    uint32_t len = bytes.end - bytes.start;

    if (unlikely(has_wrapped(bytes)))
        return BAD_ARGUMENTS;
    if (unlikely(bytes.end > from->data_len || (to && bytes.end > to->data_len)))
        return broadloom_place_pieces(qp, at, job, from, to, bytes);
    job->source = rte_pktmbuf_mtod_offset(from, uint8_t *, bytes.start);
    job->len = len;
    job->destination = to ? rte_pktmbuf_mtod_offset(to, uint8_t *, bytes.start) : NULL;
    job->room = to ? len : 0;
    return FILLED;
}

/* An op's span for the cipher; KASUMI counts bits, and begins and ends where it likes. */
static inline enum filled cipher_span(const struct rte_crypto_op *op, const struct session *session,
                                      struct span *bytes, uint32_t *odd_bits)
{
    uint32_t start = op->sym->cipher.data.offset, len = op->sym->cipher.data.length;

    *odd_bits = 0;
    if (unlikely(session->cipher_in_bits)) {
        if (start % 8 != 0)
            return BAD_ARGUMENTS;
        if (len % 8 != 0)
            *odd_bits = len;
        start /= 8;
        len = len / 8 + (len % 8 != 0);
    }
    *bytes = span(start, len);
    return has_wrapped(*bytes) ? BAD_ARGUMENTS : FILLED;
}

static inline enum filled auth_span(const struct rte_crypto_op *op, const struct session *session,
                                    struct span *bytes)
{
    uint32_t start = op->sym->auth.data.offset, len = op->sym->auth.data.length;

    if (unlikely(session->auth_in_bits)) {
        if (start % 8 != 0 || len % 8 != 0)
            return BAD_ARGUMENTS;
        start /= 8;
        len /= 8;
    }
    *bytes = span(start, len);
    return has_wrapped(*bytes) ? BAD_ARGUMENTS : FILLED;
}

static inline void no_tag(bl_job *job)
{
    job->tag = NULL;
    job->tag_len = 0;
}

static inline enum filled fill_cipher(struct queue_pair *qp, uint32_t at, bl_job *job,
                                      struct rte_crypto_op *op, const struct session *session,
                                      const struct rte_mbuf *from, const struct rte_mbuf *to)
{
    struct span bytes;
    uint32_t odd_bits;

    if (unlikely(cipher_span(op, session, &bytes, &odd_bits) != FILLED))
        return BAD_ARGUMENTS;
    job->nonce = in_op(op, session->cipher_iv);
    job->nonce_len = session->cipher_iv.len;
    no_tag(job);
    if (unlikely(odd_bits)) {
        bl_extras *extras = extras_of(qp, at, job);
        extras->has |= BL_HAS_BITS;
        extras->bits = odd_bits;
    }
    return place(qp, at, job, from, to, bytes);
}

static inline enum filled fill_auth(struct queue_pair *qp, uint32_t at, bl_job *job,
                                    struct rte_crypto_op *op, const struct session *session,
                                    const struct rte_mbuf *from)
{
    struct span bytes;

    if (unlikely(auth_span(op, session, &bytes) != FILLED))
        return BAD_ARGUMENTS;
    job->nonce = in_op(op, session->auth_iv);
    job->nonce_len = session->auth_iv.len;
    if (unlikely(session->auth_in_bits) && broadloom_fill_f9(qp, at, job, from, &bytes) != FILLED)
        return BAD_ARGUMENTS;
    if (unlikely(!op->sym->auth.digest.data))
        return BAD_ARGUMENTS;
    job->tag = op->sym->auth.digest.data;
    job->tag_len = session->digest_len;
    if (session->own_digest) {
        job->tag = qp->digests[at];
        job->tag_len = MAX_DIGEST;
        qp->unusual = true;
    }
    return place(qp, at, job, from, NULL, bytes);
}

static inline enum filled fill_aead(struct queue_pair *qp, uint32_t at, bl_job *job,
                                    struct rte_crypto_op *op, const struct session *session,
                                    const struct rte_mbuf *from, const struct rte_mbuf *to)
{
    const struct rte_crypto_sym_op *sym = op->sym;

    job->nonce = in_op(op, session->cipher_iv);
    job->nonce_len = session->cipher_iv.len;
    job->associated_len = session->aad_len;
    job->associated = sym->aead.aad.data + session->aad_skip;
    if (unlikely(!sym->aead.digest.data || (session->aad_len && !sym->aead.aad.data)))
        return BAD_ARGUMENTS;
    job->tag = sym->aead.digest.data;
    job->tag_len = session->digest_len;
    return place(qp, at, job, from, to, span(sym->aead.data.offset, sym->aead.data.length));
}

static inline enum filled fill_chain(struct queue_pair *qp, uint32_t at, bl_job *job,
                                     struct rte_crypto_op *op, const struct session *session,
                                     const struct rte_mbuf *from, const struct rte_mbuf *to)
{
    struct span cipher, auth, all;
    uint32_t odd_bits;

    if (unlikely(cipher_span(op, session, &cipher, &odd_bits) != FILLED ||
                 auth_span(op, session, &auth) != FILLED || !op->sym->auth.digest.data))
        return BAD_ARGUMENTS;
    job->nonce = in_op(op, session->cipher_iv);
    job->nonce_len = session->cipher_iv.len;
    job->tag = op->sym->auth.digest.data;
    job->tag_len = session->digest_len;
    all = span(RTE_MIN(cipher.start, auth.start), 0);
    all.end = RTE_MAX(cipher.end, auth.end);
    if (cipher.start != auth.start || cipher.end != auth.end) {
        bl_extras *extras = extras_of(qp, at, job);
        extras->has |= BL_HAS_CIPHER_RANGE | BL_HAS_MAC_RANGE;
        extras->cipher = (bl_range){ cipher.start - all.start, cipher.end - all.start };
        extras->mac = (bl_range){ auth.start - all.start, auth.end - all.start };
        if (session->covers_tag && cipher.end > auth.end &&
            (broadloom_has_digest_at(op, to, auth.end) ||
             broadloom_has_digest_at(op, from, auth.end))) {
            extras->has |= BL_HAS_TAG_AT;
            extras->tag_at = auth.end - all.start;
            no_tag(job);
        }
    }
    return place(qp, at, job, from, to, all);
}

/* Makes a job of an op, or of its first step. */
static __rte_always_inline enum filled fill(struct queue_pair *qp, uint32_t at,
                                            struct rte_crypto_op *op,
                                            const struct session *session)
{
    bl_job *job = &qp->jobs[at];
    struct rte_mbuf *from = op->sym->m_src;
    struct rte_mbuf *to = op->sym->m_dst;

    if (unlikely(!from))
        return BAD_ARGUMENTS;
    if (!to)
        to = from;
    job->session = session->first;
    job->associated = NULL;
    job->associated_len = 0;
    job->extras = NULL;
    switch (session->kind) {
    case SESSION_CIPHER:
        return fill_cipher(qp, at, job, op, session, from, to);
    case SESSION_AUTH:
        return fill_auth(qp, at, job, op, session, from);
    case SESSION_AEAD:
        return fill_aead(qp, at, job, op, session, from, to);
    case SESSION_CHAIN:
        return fill_chain(qp, at, job, op, session, from, to);
    case SESSION_STEPS:
        return broadloom_fill_first(qp, at, job, op, session, from, to);
    }
    return BAD_ARGUMENTS;
}

#endif
