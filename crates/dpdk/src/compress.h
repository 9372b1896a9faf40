/* What the parts of the compression driver share. */
#ifndef BROADLOOM_COMPRESS_H
#define BROADLOOM_COMPRESS_H

#include <broadloom.h>

#include "pmd.h"

#define MAX_WINDOW 15
/* zlib has none below, and the levels above 3 are its. */
#define MIN_WINDOW 9

/* Ops that are processed in one call at most. */
#define BATCH 32

/* What an application makes of a transform; any number of ops share it. */
struct transform {
    bool compresses;
    /* A whole stream, which decompression expects; compression may leave the end open. */
    bl_session *final;
    bl_session *open;
};

/* One lcore at a time uses a queue pair. */
struct queue_pair {
    bl_processor *processor;
    struct rte_compressdev_stats stats;
    /* A ring of ops: given back up to `head`, done up to `done`, taken up to `tail`. */
    struct rte_comp_op **ops;
    uint32_t capacity;
    uint32_t mask;
    uint32_t head;
    uint32_t done;
    uint32_t tail;
    uint32_t loaded;
    bl_job jobs[BATCH];
    bl_extras extras[BATCH];
    struct rte_comp_op *waiting[BATCH];
    /* The pieces of a source, or null. */
    bl_piece *pieces[BATCH];
    /* Where output gathers that goes to several segments, or null. */
    uint8_t *outputs[BATCH];
};

/* transform.c */
int compress_transform_create(struct rte_compressdev *dev, const struct rte_comp_xform *xform,
                              void **transform);
int compress_transform_free(struct rte_compressdev *dev, void *transform);

/* compress_queue_pair.c */
struct queue_pair *compress_queue_pair_open(uint32_t capacity, int socket);
void compress_queue_pair_close(struct queue_pair *qp);
uint16_t compress_enqueue(void *queue_pair, struct rte_comp_op **ops, uint16_t count);
uint16_t compress_dequeue(void *queue_pair, struct rte_comp_op **ops, uint16_t count);

/* compress.c */
extern int compress_logtype;

#define LOG(level, ...) rte_log(RTE_LOG_##level, compress_logtype, "broadloom: " __VA_ARGS__)

#endif
