/*
 * Queue pairs: ops are taken and made jobs at enqueue, and processed when a batch is full or when
 * dequeue finds nothing else to give back. Ops come back in the order in which they were taken.
 */
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "asymmetric.h"
#include "ipsec.h"

/* How many ops ahead the op, then its packet's header, is fetched. */
#define OP_AHEAD 8
#define PACKET_AHEAD 4

static uint8_t status_of(bl_status status)
{
    switch (status) {
    case BL_OK:
        return RTE_CRYPTO_OP_STATUS_SUCCESS;
    case BL_E_TAG_MISMATCH:
    case BL_E_SIGNATURE_MISMATCH:
        return RTE_CRYPTO_OP_STATUS_AUTH_FAILED;
    case BL_E_ARGUMENT:
    case BL_E_TAG_LENGTH:
    case BL_E_NONCE_LENGTH:
    case BL_E_NONCE_BITS:
    case BL_E_DATA_LENGTH:
    case BL_E_TOO_LONG:
    case BL_E_ASSOCIATED_TOO_LONG:
    case BL_E_TOO_SHORT:
    case BL_E_BIT_LENGTH:
    case BL_E_COUNTER_WRAPS:
    case BL_E_RANGE:
    case BL_E_TAG_OVERLAP:
    case BL_E_NOT_TAKEN:
    case BL_E_ROOM:
    case BL_E_LENGTHS:
    case BL_E_INPUT_LENGTH:
    case BL_E_NOT_BELOW_MODULUS:
        return RTE_CRYPTO_OP_STATUS_INVALID_ARGS;
    default:
        return RTE_CRYPTO_OP_STATUS_ERROR;
    }
}

/* Checks the digest of a plain hash, or hands out as much of it as is wanted. */
static void finish_digest(struct rte_crypto_op *op, const struct session *session,
                          const uint8_t *digest)
{
    uint8_t *place = op->sym->auth.digest.data;

    if (!session->verifies)
        memcpy(place, digest, session->digest_len);
    else if (!equal_in_constant_time(digest, place, session->digest_len))
        op->status = RTE_CRYPTO_OP_STATUS_AUTH_FAILED;
}

static void finish(struct queue_pair *qp, uint32_t at, const bl_job *job)
{
    struct rte_crypto_op *op = qp->entries[at].op;

    op->status = status_of(job->status);
    if (!qp->entries[at].session)
        broadloom_finish_asymmetric(qp, at);
    else if (job->status == BL_OK && job->tag == qp->digests[at])
        finish_digest(op, qp->entries[at].session, qp->digests[at]);
}

/* Processes second steps that were made ready. */
static void process_seconds(struct queue_pair *qp, uint32_t count)
{
    bl_process(qp->processor, qp->seconds, count);
    qp->job_calls++;
    qp->jobs_done += count;
    for (uint32_t k = 0; k < count; k++) {
        const struct entry *entry = &qp->entries[qp->second_of[k]];

        finish(qp, qp->second_of[k], &qp->seconds[k]);
        if (entry->op->status != RTE_CRYPTO_OP_STATUS_SUCCESS)
            broadloom_wipe_first(entry->op, entry->session);
    }
    qp->pieces_used = 0;
}

/* Closes the session of an op that brought its transforms along. */
static void close_own(struct session *session)
{
    if (session && session->is_own) {
        broadloom_session_close(session);
        free(session);
    }
}

/* What is left to do after the library's call, where a job was no common one. */
static __rte_noinline void finish_unusual(struct queue_pair *qp)
{
    uint32_t count = 0;

    qp->pieces_used = 0;
    for (uint32_t at = 0; at < qp->loaded; at++) {
        const struct entry *entry = &qp->entries[at];
        enum filled filled;

        finish(qp, at, &qp->jobs[at]);
        if (!entry->session || entry->session->kind != SESSION_STEPS ||
            entry->op->status != RTE_CRYPTO_OP_STATUS_SUCCESS)
            continue;
        filled = broadloom_fill_second(qp, at, &qp->seconds[count]);
        if (filled == NO_ROOM && count > 0) {
            process_seconds(qp, count);
            count = 0;
            filled = broadloom_fill_second(qp, at, &qp->seconds[count]);
        }
        if (filled == FILLED) {
            qp->second_of[count++] = at;
        } else {
            entry->op->status = RTE_CRYPTO_OP_STATUS_INVALID_ARGS;
            broadloom_wipe_first(entry->op, entry->session);
        }
    }
    if (count > 0)
        process_seconds(qp, count);
    for (uint32_t at = 0; at < qp->loaded; at++)
        close_own(qp->entries[at].session);
    broadloom_release_asymmetric(qp);
}

/* Processes all jobs that wait: they share lanes. */
static void process(struct queue_pair *qp)
{
    if (qp->loaded > 0) {
        bl_status status = bl_process(qp->processor, qp->jobs, qp->loaded);

        qp->job_calls++;
        qp->jobs_done += qp->loaded;
        if (unlikely(status != BL_OK || qp->unusual))
            finish_unusual(qp);
        else
            for (uint32_t at = 0; at < qp->loaded; at++)
                qp->entries[at].op->status = RTE_CRYPTO_OP_STATUS_SUCCESS;
        qp->pieces_used = 0;
        qp->unusual = false;
        qp->loaded = 0;
    }
    if (broadloom_ipsec_waiting(qp->ipsec) > 0)
        broadloom_ipsec_process(qp->ipsec, qp->processor);
    qp->done = qp->tail;
}

/* A session for the one op that brings its transforms along; null where there can be none. */
static __rte_noinline struct session *open_own(const struct rte_crypto_op *op)
{
    struct session *session = malloc(sizeof(*session));

    if (session && (!op->sym->xform || broadloom_session_open(op->sym->xform, session) != 0)) {
        free(session);
        return NULL;
    }
    if (session)
        session->is_own = true;
    return session;
}

/*
 * Takes an op once more that could not become a job: where it found no room for its pieces, there
 * is some once the jobs that wait are done. Else it is done, with the status that says what is
 * wrong.
 */
static __rte_noinline enum filled fill_again(struct queue_pair *qp, struct rte_crypto_op *op,
                                             struct session *session, enum filled filled)
{
    if (filled == NO_ROOM && qp->loaded > 0) {
        process(qp);
        qp->unusual = session->is_own;
        filled = fill(qp, qp->loaded, op, session);
    }
    if (filled == FILLED)
        return FILLED;
    op->status = filled == NO_ROOM ? RTE_CRYPTO_OP_STATUS_ERROR : RTE_CRYPTO_OP_STATUS_INVALID_ARGS;
    qp->tail++;
    close_own(session);
    return filled;
}

/* The session of an asymmetric op; null where it has none, or one of another driver. */
static struct asymmetric_session *asymmetric_session_of(const struct rte_crypto_op *op)
{
    struct rte_cryptodev_asym_session *given = op->asym->session;
    struct asymmetric_session *session;

    if (op->sess_type == RTE_CRYPTO_OP_WITH_SESSION) {
        if (!given || given->driver_id != broadloom_driver_id)
            return NULL;
        return (struct asymmetric_session *)given->sess_private_data;
    }
    session = malloc(sizeof(*session));
    if (session &&
        (!op->asym->xform || broadloom_asymmetric_open(op->asym->xform, session) != 0)) {
        free(session);
        return NULL;
    }
    if (session)
        session->is_own = true;
    return session;
}

/* Takes an asymmetric op, as `take` takes others. */
static __rte_noinline void take_asymmetric(struct queue_pair *qp, struct rte_crypto_op *op)
{
    struct asymmetric_session *session = asymmetric_session_of(op);

    qp->tail++;
    if (!session) {
        op->status = RTE_CRYPTO_OP_STATUS_INVALID_SESSION;
        return;
    }
    if (broadloom_fill_asymmetric(qp, qp->loaded, op, session) != FILLED) {
        op->status = RTE_CRYPTO_OP_STATUS_INVALID_ARGS;
        if (session->is_own) {
            broadloom_asymmetric_close(session);
            free(session);
        }
        return;
    }
    qp->entries[qp->loaded++] = (struct entry){ op, NULL };
    if (qp->loaded == BATCH)
        process(qp);
}

/* Takes an op of rte_security, as `take` takes others. */
static __rte_noinline void take_ipsec(struct queue_pair *qp, struct rte_crypto_op *op)
{
    qp->tail++;
    broadloom_ipsec_take(qp->ipsec, op);
    if (broadloom_ipsec_waiting(qp->ipsec) == BATCH)
        process(qp);
}

/* Takes an op: it waits as a job, or is done with the status that says what is wrong. */
static inline void take(struct queue_pair *qp, struct rte_crypto_op *op)
{
    struct session *session;
    enum filled filled;

    qp->ops[qp->tail & qp->mask] = op;
    if (likely(op->type == RTE_CRYPTO_OP_TYPE_SYMMETRIC &&
               op->sess_type == RTE_CRYPTO_OP_WITH_SESSION)) {
        struct rte_cryptodev_sym_session *given = op->sym->session;

        if (unlikely(!given || given->driver_id != broadloom_driver_id)) {
            op->status = RTE_CRYPTO_OP_STATUS_INVALID_SESSION;
            qp->tail++;
            return;
        }
        session = (struct session *)given->driver_priv_data;
    } else if (op->type == RTE_CRYPTO_OP_TYPE_ASYMMETRIC) {
        take_asymmetric(qp, op);
        return;
    } else if (op->type == RTE_CRYPTO_OP_TYPE_SYMMETRIC &&
               op->sess_type == RTE_CRYPTO_OP_SECURITY_SESSION) {
        take_ipsec(qp, op);
        return;
    } else {
        session = NULL;
        if (op->type == RTE_CRYPTO_OP_TYPE_SYMMETRIC && op->sess_type == RTE_CRYPTO_OP_SESSIONLESS)
            session = open_own(op);
        if (!session) {
            op->status = RTE_CRYPTO_OP_STATUS_INVALID_SESSION;
            qp->tail++;
            return;
        }
        qp->unusual = true;
    }
    filled = fill(qp, qp->loaded, op, session);
    if (unlikely(filled != FILLED) && fill_again(qp, op, session, filled) != FILLED)
        return;
    qp->entries[qp->loaded++] = (struct entry){ op, session };
    qp->tail++;
    if (qp->loaded == BATCH)
        process(qp);
}

uint16_t broadloom_enqueue(void *queue_pair, struct rte_crypto_op **ops, uint16_t count)
{
    struct queue_pair *qp = queue_pair;
    uint32_t room = qp->capacity - (qp->tail - qp->head);
    uint16_t taken = RTE_MIN((uint32_t)count, room);

    for (uint16_t at = 0; at < RTE_MIN(taken, OP_AHEAD); at++)
        rte_prefetch0(ops[at]);
    for (uint16_t at = 0; at < taken; at++) {
        if (at + OP_AHEAD < taken)
            rte_prefetch0(ops[at + OP_AHEAD]);
        if (at + PACKET_AHEAD < taken &&
            ops[at + PACKET_AHEAD]->type == RTE_CRYPTO_OP_TYPE_SYMMETRIC)
            rte_prefetch0(ops[at + PACKET_AHEAD]->sym->m_src);
        take(qp, ops[at]);
    }
    qp->stats.enqueued_count += taken;
    qp->stats.enqueue_err_count += count - taken;
    return taken;
}

uint16_t broadloom_dequeue(void *queue_pair, struct rte_crypto_op **ops, uint16_t count)
{
    struct queue_pair *qp = queue_pair;
    uint16_t given;

    if (qp->done - qp->head < count && qp->done != qp->tail)
        process(qp);
    given = RTE_MIN((uint32_t)count, qp->done - qp->head);
    for (uint16_t at = 0; at < given; at++) {
        struct rte_crypto_op *op = qp->ops[(qp->head + at) & qp->mask];

        qp->stats.dequeue_err_count += op->status != RTE_CRYPTO_OP_STATUS_SUCCESS;
        ops[at] = op;
    }
    qp->head += given;
    qp->stats.dequeued_count += given;
    return given;
}

struct queue_pair *broadloom_queue_pair_open(uint32_t capacity, int socket)
{
    struct queue_pair *qp;

    capacity = rte_align32pow2(RTE_MAX(capacity, 1u));
    qp = rte_zmalloc_socket("broadloom", sizeof(*qp), RTE_CACHE_LINE_SIZE, socket);
    if (!qp)
        return NULL;
    qp->capacity = capacity;
    qp->mask = capacity - 1;
    qp->ops = rte_zmalloc_socket("broadloom", capacity * sizeof(*qp->ops), 0, socket);
    qp->asymmetric = broadloom_asymmetric_new(socket);
    qp->ipsec = broadloom_ipsec_new(socket);
    if (!qp->ops || !qp->asymmetric || !qp->ipsec || bl_processor_open(&qp->processor) != BL_OK) {
        broadloom_queue_pair_close(qp);
        return NULL;
    }
    for (uint32_t at = 0; at < BATCH; at++) {
        qp->jobs[at].size = sizeof(bl_job);
        qp->extras[at].size = sizeof(bl_extras);
    }
    return qp;
}

void broadloom_queue_pair_close(struct queue_pair *qp)
{
    /* Ops that were not taken back still own what they brought along. */
    if (qp->processor)
        process(qp);
    bl_processor_close(qp->processor);
    broadloom_asymmetric_free(qp->asymmetric);
    broadloom_ipsec_free(qp->ipsec);
    free(qp->pieces);
    rte_free(qp->ops);
    explicit_bzero(qp, sizeof(*qp));
    rte_free(qp);
}
