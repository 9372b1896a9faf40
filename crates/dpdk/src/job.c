/* Ops become jobs of the library, where they are not as job.h has them. */
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "job.h"

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

/* Gives a job data that are in several segments. */
enum filled broadloom_place_pieces(struct queue_pair *qp, uint32_t at, bl_job *job,
                                   const struct rte_mbuf *from, const struct rte_mbuf *to,
                                   struct span bytes)
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

/*
 * What KASUMI F9 authenticates lies in the data together with the rest of its input: COUNT and
 * FRESH, the message, the direction bit, a bit that is set, and zeros up to a whole block.
 */
enum filled broadloom_fill_f9(struct queue_pair *qp, uint32_t at, bl_job *job,
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
bool broadloom_has_digest_at(const struct rte_crypto_op *op, const struct rte_mbuf *packet,
                             uint32_t at)
{
    return address_of(packet, at) == op->sym->auth.digest.data;
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

enum filled broadloom_fill_first(struct queue_pair *qp, uint32_t at, bl_job *job,
                                 struct rte_crypto_op *op, const struct session *session,
                                 const struct rte_mbuf *from, struct rte_mbuf *to)
{
    qp->unusual = true;
    if (from != to && copy_apart(op, session, from, to) != FILLED)
        return BAD_ARGUMENTS;
    return session->auth_first ? fill_auth(qp, at, job, op, session, to)
                               : fill_cipher(qp, at, job, op, session, to, to);
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
