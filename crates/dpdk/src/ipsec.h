/* Packets of associations that wait in a queue pair: one call works on those of all sessions. */
#ifndef BROADLOOM_IPSEC_H
#define BROADLOOM_IPSEC_H

#include "association.h"

/* Packets that go one way. */
struct way {
    uint32_t count;
    /* Calls of the library, and the packets in them. */
    uint64_t calls;
    uint64_t packets_done;
    bl_packet packets[BATCH];
    struct rte_crypto_op *ops[BATCH];
    /* Of an inbound packet, the traffic class of its outer header. */
    uint8_t classes[BATCH];
};

struct ipsec {
    struct way outbound;
    struct way inbound;
};

struct ipsec *broadloom_ipsec_new(int socket);
void broadloom_ipsec_free(struct ipsec *ipsec);
void broadloom_ipsec_take(struct ipsec *ipsec, struct rte_crypto_op *op);
void broadloom_ipsec_process(struct ipsec *ipsec, bl_processor *processor);

static inline uint32_t broadloom_ipsec_waiting(const struct ipsec *ipsec)
{
    return ipsec->outbound.count + ipsec->inbound.count;
}

#endif
