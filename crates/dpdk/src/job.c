/* Ops become jobs of the library: places, lengths, nonces and tags. Nothing is computed here. */
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "crypto.h"
#include "pieces.h"

static inline bool has_wrapped(struct span span)
{
    return span.end < span.start;
}

static inline uint8_t *in_op(struct rte_crypto_op *op, struct iv iv)
{
    return rte_crypto_op_ctod_offset(op, uint8_t *, iv.offset);
}

/* Room for so many pieces more; null where the jobs that wait need theirs first. */
static bl_piece *room_for_pieces(struct queue_pair *qp, uint32_t count)
{
    bl_piece *pieces;

    if (qp->pieces_used + count > qp->pieces_room) {
        if (qp->pieces_used > 0)
            return NULL;
        free(qp->pieces);
        qp->pieces = calloc(count, sizeof(*qp->pieces));
        qp->pieces_room = qp->pieces ? count : 0;
        if (!qp->pieces)
            return NULL;
    }
    pieces = qp->pieces + qp->pieces_used;
    qp->pieces_used += count;
    return pieces;
}

static bl_extras *extras_of(struct queue_pair *qp, uint32_t at, bl_job *job)
{
    bl_extras *extras = &qp->extras[at];

    if (!job->extras) {
        extras->has = 0;
        job->extras = extras;
    }
    return extras;
}

/* Gives a job data that are in several segments. */
static __rte_noinline enum filled place_pieces(struct queue_pair *qp, uint32_t at, bl_job *job,
                                               const struct rte_mbuf *from,
                                               const struct rte_mbuf *to, struct span bytes)
{
    bl_piece *pieces;
    bl_extras *extras;

    if (bytes.end > from->pkt_len || (to && bytes.end > to->pkt_len))
        return BAD_ARGUMENTS;
    pieces = room_for_pieces(qp, from->nb_segs + (to && to != from ? to->nb_segs : 0));
    if (!pieces)
        return NO_ROOM;
    extras = extras_of(qp, at, job);
    extras->has |= BL_HAS_SOURCE_PIECES;
    extras->source_pieces = pieces;
    extras->source_count = list_pieces(from, bytes, pieces);
    if (to) {
        extras->has |= BL_HAS_DESTINATION_PIECES;
        extras->destination_pieces = pieces;
        extras->destination_count = extras->source_count;
    }
    if (to && to != from) {
        extras->destination_pieces = pieces + from->nb_segs;
        extras->destination_count = list_pieces(to, bytes, pieces + from->nb_segs);
    }
    job->source = NULL;
    job->destination = NULL;
    job->len = 0;
    job->room = 0;
    return FILLED;
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
        return place_pieces(qp, at, job, from, to, bytes);
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

/*
 * What KASUMI F9 authenticates lies in the data together with the rest of its input: COUNT and
 * FRESH, the message, the direction bit, a bit that is set, and zeros up to a whole block.
 */
static __rte_noinline enum filled fill_f9(struct queue_pair *qp, uint32_t at, bl_job *job,
                                          const struct rte_mbuf *from, struct span *bytes)
{
    uint32_t len = bytes->end - bytes->start, end = len, bits;
    uint8_t *nonce = qp->nonces[at];
    uint8_t copy;
    const uint8_t *byte;
    bl_extras *extras;

    if (bytes->end > from->pkt_len || len <= 8)
        return BAD_ARGUMENTS;
    byte = rte_pktmbuf_read(from, bytes->start, 8, nonce);
    if (byte != nonce)
        memcpy(nonce, byte, 8);
    while (end > 8) {
        byte = rte_pktmbuf_read(from, bytes->start + end - 1, 1, &copy);
        if (*byte != 0)
            break;
        end--;
    }
    /* The last bit that is set, and the direction before it. */
    bits = end * 8 - (end > 8 ? __builtin_ctz(*byte) : 0) - 1;
    if (end <= 8 || bits < 65 || RTE_ALIGN_CEIL(bits + 1, 64) < len * 8)
        return BAD_ARGUMENTS;
    bits -= 1;
    byte = rte_pktmbuf_read(from, bytes->start + bits / 8, 1, &copy);
    nonce[8] = *byte >> (7 - bits % 8) & 1;
    bits -= 64;
    job->nonce = nonce;
    job->nonce_len = 9;
    *bytes = span(bytes->start + 8, bits / 8 + (bits % 8 != 0));
    if (bits % 8 != 0) {
        extras = extras_of(qp, at, job);
        extras->has |= BL_HAS_BITS;
        extras->bits = bits;
    }
    return FILLED;
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
    if (unlikely(session->auth_in_bits) && fill_f9(qp, at, job, from, &bytes) != FILLED)
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

/* The address of a byte of a packet; null where the packet is shorter. */
static const uint8_t *address_of(const struct rte_mbuf *segment, uint32_t at)
{
    while (segment && at >= segment->data_len) {
        at -= segment->data_len;
        segment = segment->next;
    }
    return segment ? rte_pktmbuf_mtod_offset(segment, const uint8_t *, at) : NULL;
}

/* Whether an op's digest lies behind what it is the digest of, in a packet. */
static bool has_digest_at(const struct rte_crypto_op *op, const struct rte_mbuf *packet,
                          uint32_t at)
{
    return address_of(packet, at) == op->sym->auth.digest.data;
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
            (has_digest_at(op, to, auth.end) || has_digest_at(op, from, auth.end))) {
            extras->has |= BL_HAS_TAG_AT;
            extras->tag_at = auth.end - all.start;
            no_tag(job);
        }
    }
    return place(qp, at, job, from, to, all);
}

/* Copies what two steps read and write to where the op wants its output. */
static enum filled copy_apart(const struct rte_crypto_op *op, const struct session *session,
                              const struct rte_mbuf *from, struct rte_mbuf *to)
{
    struct span cipher, auth;
    uint32_t odd_bits, at, end;

    if (cipher_span(op, session, &cipher, &odd_bits) != FILLED ||
        auth_span(op, session, &auth) != FILLED)
        return BAD_ARGUMENTS;
    at = RTE_MIN(cipher.start, auth.start);
    end = RTE_MAX(cipher.end, auth.end);
    if (end > from->pkt_len || end > to->pkt_len)
        return BAD_ARGUMENTS;
    while (at < end) {
        struct rte_mbuf *segment = to;
        uint32_t within = at, len;
        uint8_t *bytes;
        const uint8_t *source;

        while (within >= segment->data_len) {
            within -= segment->data_len;
            segment = segment->next;
        }
        len = RTE_MIN(end - at, segment->data_len - within);
        bytes = rte_pktmbuf_mtod_offset(segment, uint8_t *, within);
        source = rte_pktmbuf_read(from, at, len, bytes);
        if (source != bytes)
            memcpy(bytes, source, len);
        at += len;
    }
    return FILLED;
}

static __rte_noinline enum filled fill_first(struct queue_pair *qp, uint32_t at, bl_job *job,
                                             struct rte_crypto_op *op,
                                             const struct session *session,
                                             const struct rte_mbuf *from, struct rte_mbuf *to)
{
    qp->unusual = true;
    if (from != to && copy_apart(op, session, from, to) != FILLED)
        return BAD_ARGUMENTS;
    return session->auth_first ? fill_auth(qp, at, job, op, session, to)
                               : fill_cipher(qp, at, job, op, session, to, to);
}

/* Makes a job of an op, or of its first step. */
enum filled broadloom_fill(struct queue_pair *qp, uint32_t at, struct rte_crypto_op *op,
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
        return fill_first(qp, at, job, op, session, from, to);
    }
    return BAD_ARGUMENTS;
}

/* Makes a job of an op's second step, once the first is done. */
enum filled broadloom_fill_second(struct queue_pair *qp, uint32_t at, bl_job *job)
{
    struct rte_crypto_op *op = qp->entries[at].op;
    const struct session *session = qp->entries[at].session;
    struct rte_mbuf *to = op->sym->m_dst ? op->sym->m_dst : op->sym->m_src;

    *job = (bl_job){ .size = sizeof(*job), .session = session->second };
    return session->auth_first ? fill_cipher(qp, at, job, op, session, to, to)
                               : fill_auth(qp, at, job, op, session, to);
}
