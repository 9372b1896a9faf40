/* What the parts of the crypto driver share. */
#ifndef BROADLOOM_CRYPTO_H
#define BROADLOOM_CRYPTO_H

#include <broadloom.h>

#include "pmd.h"

/* Ops that are processed in one call at most: enough to fill all lanes, few enough for a cache. */
#define BATCH 128

/* The longest digest, in bytes. */
#define MAX_DIGEST 64

/* Where the associated data of CCM begin: behind room for a block and a length. */
#define CCM_AAD 18

enum session_kind {
    SESSION_CIPHER,
    SESSION_AUTH,
    SESSION_AEAD,
    /* A cipher and a MAC, which the library does as one. */
    SESSION_CHAIN,
    /* A cipher and a hash or MAC, which it does one after the other. */
    SESSION_STEPS,
};

/* Where an op has its nonce. */
struct iv {
    uint16_t offset;
    uint16_t len;
};

/* What a session of cryptodev holds: any queue pair and any lcore may use it. */
struct session {
    enum session_kind kind;
    /* What does all; of two steps, the first. */
    bl_session *first;
    bl_session *second;
    /* The hash or MAC comes first, of a chain and of two steps. */
    bool auth_first;
    /* A chain that encrypts what it has authenticated, perhaps with the tag. */
    bool covers_tag;
    bool verifies;
    /* Of one op, which brought its transforms along: to be closed with it. */
    bool is_own;
    /* A plain hash that is checked or cut: neither is known to the library. */
    bool own_digest;
    /* KASUMI gives offsets and lengths in bits. */
    bool cipher_in_bits;
    bool auth_in_bits;
    struct iv cipher_iv;
    struct iv auth_iv;
    uint16_t digest_len;
    uint16_t aad_len;
    /* Bytes of room before the associated data. */
    uint16_t aad_skip;
};

/* An op that waits; its session is null where it is asymmetric. */
struct entry {
    struct rte_crypto_op *op;
    struct session *session;
};

struct asymmetric;
struct ipsec;

/* One lcore at a time uses a queue pair. */
struct queue_pair {
    bl_processor *processor;
    struct rte_cryptodev_stats stats;
    /* Calls of the library for jobs, and the jobs in them. */
    uint64_t job_calls;
    uint64_t jobs_done;
    /* A ring of ops: given back up to `head`, done up to `done`, taken up to `tail`. */
    struct rte_crypto_op **ops;
    uint32_t capacity;
    uint32_t mask;
    uint32_t head;
    uint32_t done;
    uint32_t tail;
    /* Jobs that wait to be processed. */
    uint32_t loaded;
    /* Of these, some need more than the library's call; how many have two steps. */
    bool unusual;
    bl_piece *pieces;
    uint32_t pieces_used;
    uint32_t pieces_room;
    bl_job jobs[BATCH];
    struct entry entries[BATCH];
    bl_extras extras[BATCH];
    uint8_t nonces[BATCH][16];
    uint8_t digests[BATCH][MAX_DIGEST];
    /* Second steps, and whose they are. */
    bl_job seconds[BATCH];
    uint32_t second_of[BATCH];
    struct asymmetric *asymmetric;
    struct ipsec *ipsec;
};

static inline bool equal_in_constant_time(const uint8_t *one, const uint8_t *other, size_t len)
{
    volatile uint8_t difference = 0;

    for (size_t at = 0; at < len; at++)
        difference |= one[at] ^ other[at];
    return difference == 0;
}

/* capabilities.c */
extern const struct rte_cryptodev_capabilities broadloom_capabilities[];
const struct rte_cryptodev_symmetric_capability *
broadloom_capability(const struct rte_cryptodev_capabilities *can,
                     const struct rte_crypto_sym_xform *xform);

/* session.c */
int broadloom_session_open(const struct rte_crypto_sym_xform *xform, struct session *session);
void broadloom_session_close(struct session *session);

/* queue_pair.c */
struct queue_pair *broadloom_queue_pair_open(uint32_t capacity, int socket);
void broadloom_queue_pair_close(struct queue_pair *qp);
uint16_t broadloom_enqueue(void *queue_pair, struct rte_crypto_op **ops, uint16_t count);
uint16_t broadloom_dequeue(void *queue_pair, struct rte_crypto_op **ops, uint16_t count);

/* crypto.c */
extern uint8_t broadloom_driver_id;
extern const char broadloom_driver_name[];
extern int broadloom_logtype;

#define LOG(level, ...) rte_log(RTE_LOG_##level, broadloom_logtype, "broadloom: " __VA_ARGS__)

#endif
