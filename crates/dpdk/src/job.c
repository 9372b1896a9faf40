/* Ops become jobs of the library, where they are not as job.h has them. */
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "job.h"

/* Room is made for so many pieces at most, unless one op has more. */
#define MOST_PIECES 16384u

/*
 * Room for so many pieces more; null where the jobs that wait need theirs first. Where none do,
 * there is room for as many pieces of each op of a batch, so that a batch is full before it is
 * processed.
 */
static bl_piece *room_for_pieces(struct queue_pair *qp, uint32_t count)
{
    if (qp->pieces_used == 0) {
        uint32_t room = RTE_MAX(count, RTE_MIN(count * BATCH, MOST_PIECES));

        if (qp->pieces_room < room) {
            free(qp->pieces);
            qp->pieces = calloc(room, sizeof(*qp->pieces));
            qp->pieces_room = qp->pieces ? room : 0;
        }
    }
    return qp->pieces_room - qp->pieces_used < count ? NULL : qp->pieces + qp->pieces_used;
}

/* Gives a job data that are in several segments. */
enum filled broadloom_place_pieces(struct queue_pair *qp, uint32_t at, bl_job *job,
                                   const struct rte_mbuf *from, const struct rte_mbuf *to,
                                   struct span bytes)
{
    bool is_apart = to && to != from;
    bl_piece *pieces;
    bl_extras *extras;

    if (bytes.end > length_of(from) || (is_apart && bytes.end > length_of(to)))
        return BAD_ARGUMENTS;
    pieces = room_for_pieces(qp, from->nb_segs + (is_apart ? to->nb_segs : 0));
    if (!pieces)
        return NO_ROOM;
    extras = extras_of(qp, at, job);
    extras->has |= BL_HAS_SOURCE_PIECES;
    extras->source_pieces = pieces;
    extras->source_count = list_pieces(from, bytes, pieces);
    qp->pieces_used += extras->source_count;
    if (to) {
        extras->has |= BL_HAS_DESTINATION_PIECES;
        extras->destination_pieces = pieces;
        extras->destination_count = extras->source_count;
    }
    if (is_apart) {
        pieces += extras->source_count;
        extras->destination_pieces = pieces;
        extras->destination_count = list_pieces(to, bytes, pieces);
        qp->pieces_used += extras->destination_count;
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
    uint8_t byte = 0;
    bl_extras *extras;

    if (bytes->end > length_of(from) || len <= 8)
        return BAD_ARGUMENTS;
    copy_from(from, bytes->start, 8, nonce);
    while (end > 8) {
        copy_from(from, bytes->start + end - 1, 1, &byte);
        if (byte != 0)
            break;
        end--;
    }
    /* The last bit that is set, and the direction before it. */
    bits = end * 8 - (end > 8 ? __builtin_ctz(byte) : 0) - 1;
    if (end <= 8 || bits < 65 || RTE_ALIGN_CEIL(bits + 1, 64) < len * 8)
        return BAD_ARGUMENTS;
    bits -= 1;
    copy_from(from, bytes->start + bits / 8, 1, &byte);
    nonce[8] = byte >> (7 - bits % 8) & 1;
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
    if (end > length_of(from) || end > length_of(to))
        return BAD_ARGUMENTS;
    while (at < end) {
        struct rte_mbuf *segment = to;
        uint32_t within = at, len;

        while (within >= segment->data_len) {
            within -= segment->data_len;
            segment = segment->next;
        }
        len = RTE_MIN(end - at, segment->data_len - within);
        copy_from(from, at, len, rte_pktmbuf_mtod_offset(segment, uint8_t *, within));
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

/* Wipes what the first of two steps has deciphered, where the second has failed. */
void broadloom_wipe_first(struct rte_crypto_op *op, const struct session *session)
{
    struct rte_mbuf *segment = op->sym->m_dst ? op->sym->m_dst : op->sym->m_src;
    struct span bytes;
    uint32_t odd_bits, at, left;

    /* It was in order when the step was made ready, and the packet is as long. */
    if (session->auth_first || cipher_span(op, session, &bytes, &odd_bits) != FILLED)
        return;
    at = bytes.start;
    left = bytes.end - bytes.start;
    for (; left > 0; segment = segment->next) {
        if (at >= segment->data_len) {
            at -= segment->data_len;
            continue;
        }
        uint32_t len = RTE_MIN(left, segment->data_len - at);
        explicit_bzero(rte_pktmbuf_mtod_offset(segment, uint8_t *, at), len);
        left -= len;
        at = 0;
    }
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
