/*
 * Queue pairs of compression: ops are made jobs at enqueue, and processed when a batch is full or
 * when dequeue finds nothing else to give back. Ops come back in the order in which they came.
 */
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "compress.h"
#include "pieces.h"

static uint8_t status_of(bl_status status)
{
    switch (status) {
    case BL_OK:
        return RTE_COMP_OP_STATUS_SUCCESS;
    case BL_E_ROOM:
    case BL_E_OUTPUT_LIMIT:
    case BL_E_NEVER_FITS:
        return RTE_COMP_OP_STATUS_OUT_OF_SPACE_TERMINATED;
    case BL_E_ARGUMENT:
        return RTE_COMP_OP_STATUS_INVALID_ARGS;
    default:
        return RTE_COMP_OP_STATUS_ERROR;
    }
}

/* Distributes output that gathered in one piece. */
static void scatter(const struct rte_comp_op *op, const uint8_t *output, uint32_t len)
{
    const struct rte_mbuf *segment = op->m_dst;
    uint32_t at = op->dst.offset;

    for (; len > 0; segment = segment->next) {
        if (at >= segment->data_len) {
            at -= segment->data_len;
            continue;
        }
        uint32_t part = RTE_MIN(len, segment->data_len - at);
        memcpy(rte_pktmbuf_mtod_offset(segment, uint8_t *, at), output, part);
        output += part;
        len -= part;
        at = 0;
    }
}

static void finish(struct queue_pair *qp, uint32_t at)
{
    struct rte_comp_op *op = qp->waiting[at];
    const struct transform *transform = op->private_xform;
    const bl_job *job = &qp->jobs[at];

    op->status = status_of(job->status);
    if (op->status == RTE_COMP_OP_STATUS_SUCCESS) {
        op->produced = job->produced;
        op->consumed = transform->compresses ? op->src.length : job->consumed;
        op->output_chksum = job->checksum;
        if (qp->outputs[at])
            scatter(op, qp->outputs[at], op->produced);
    }
    free(qp->pieces[at]);
    free(qp->outputs[at]);
}

static void process(struct queue_pair *qp)
{
    if (qp->loaded > 0) {
        /* How it went is in the jobs. */
        bl_process(qp->processor, qp->jobs, qp->loaded);
        for (uint32_t at = 0; at < qp->loaded; at++)
            finish(qp, at);
        qp->loaded = 0;
    }
    qp->done = qp->tail;
}

/* The status that says what is wrong with an op, or that it waits as a job. */
static uint8_t fill(struct queue_pair *qp, struct rte_comp_op *op)
{
    uint32_t at = qp->loaded;
    bl_job *job = &qp->jobs[at];
    bl_extras *extras = &qp->extras[at];
    const struct transform *transform = op->private_xform;
    struct span source = span(op->src.offset, op->src.length);
    uint32_t room, end;
    bool ends = op->flush_flag == RTE_COMP_FLUSH_FINAL;

    if (op->op_type != RTE_COMP_OP_STATELESS || !transform || !op->m_src || !op->m_dst)
        return RTE_COMP_OP_STATUS_INVALID_ARGS;
    end = length_of(op->m_dst);
    if (source.end < source.start || source.end > length_of(op->m_src) || op->dst.offset >= end)
        return RTE_COMP_OP_STATUS_INVALID_ARGS;
    if (transform->compresses && !ends && op->flush_flag != RTE_COMP_FLUSH_FULL)
        return RTE_COMP_OP_STATUS_INVALID_ARGS;
    room = end - op->dst.offset;
    *job = (bl_job){
        .size = sizeof(*job),
        .session = transform->compresses && !ends ? transform->open : transform->final,
        .room = room,
    };
    *extras = (bl_extras){ .size = sizeof(*extras) };
    qp->pieces[at] = NULL;
    qp->outputs[at] = NULL;
    if (source.end <= op->m_src->data_len) {
        job->source = rte_pktmbuf_mtod_offset(op->m_src, uint8_t *, source.start);
        job->len = op->src.length;
    } else {
        qp->pieces[at] = calloc(op->m_src->nb_segs, sizeof(bl_piece));
        if (!qp->pieces[at])
            return RTE_COMP_OP_STATUS_ERROR;
        extras->has |= BL_HAS_SOURCE_PIECES;
        extras->source_pieces = qp->pieces[at];
        extras->source_count = list_pieces(op->m_src, source, qp->pieces[at]);
    }
    if (op->m_dst->nb_segs == 1) {
        job->destination = rte_pktmbuf_mtod_offset(op->m_dst, uint8_t *, op->dst.offset);
    } else {
        qp->outputs[at] = malloc(room);
        if (!qp->outputs[at]) {
            free(qp->pieces[at]);
            return RTE_COMP_OP_STATUS_ERROR;
        }
        job->destination = qp->outputs[at];
    }
    if (!transform->compresses) {
        extras->has |= BL_HAS_LIMIT;
        extras->limit = room;
    }
    job->extras = extras->has ? extras : NULL;
    qp->waiting[at] = op;
    qp->loaded++;
    return RTE_COMP_OP_STATUS_NOT_PROCESSED;
}

uint16_t compress_enqueue(void *queue_pair, struct rte_comp_op **ops, uint16_t count)
{
    struct queue_pair *qp = queue_pair;
    uint32_t room = qp->capacity - (qp->tail - qp->head);
    uint16_t taken = RTE_MIN((uint32_t)count, room);

    for (uint16_t at = 0; at < taken; at++) {
        qp->ops[qp->tail++ & qp->mask] = ops[at];
        ops[at]->consumed = 0;
        ops[at]->produced = 0;
        ops[at]->status = fill(qp, ops[at]);
        if (qp->loaded == BATCH)
            process(qp);
    }
    qp->stats.enqueued_count += taken;
    qp->stats.enqueue_err_count += count - taken;
    return taken;
}

uint16_t compress_dequeue(void *queue_pair, struct rte_comp_op **ops, uint16_t count)
{
    struct queue_pair *qp = queue_pair;
    uint16_t given;

    if (qp->done - qp->head < count && qp->done != qp->tail)
        process(qp);
    given = RTE_MIN((uint32_t)count, qp->done - qp->head);
    for (uint16_t at = 0; at < given; at++) {
        ops[at] = qp->ops[(qp->head + at) & qp->mask];
        qp->stats.dequeue_err_count += ops[at]->status != RTE_COMP_OP_STATUS_SUCCESS;
    }
    qp->head += given;
    qp->stats.dequeued_count += given;
    return given;
}

void compress_queue_pair_close(struct queue_pair *qp)
{
    /* Ops that were not taken back are still done. */
    if (qp->processor)
        process(qp);
    bl_processor_close(qp->processor);
    rte_free(qp->ops);
    rte_free(qp);
}

struct queue_pair *compress_queue_pair_open(uint32_t capacity, int socket)
{
    struct queue_pair *qp;

    qp = rte_zmalloc_socket("broadloom", sizeof(*qp), RTE_CACHE_LINE_SIZE, socket);
    if (!qp)
        return NULL;
    qp->capacity = rte_align32pow2(RTE_MAX(capacity, 1u));
    qp->mask = qp->capacity - 1;
    qp->ops = rte_zmalloc_socket("broadloom", qp->capacity * sizeof(*qp->ops), 0, socket);
    if (!qp->ops || bl_processor_open(&qp->processor) != BL_OK) {
        compress_queue_pair_close(qp);
        return NULL;
    }
    return qp;
}
