/* Ops of rte_security become packets of the library's flows of ESP, and these ops again. */
#include <string.h>

#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "checksum.h"
#include "ipsec.h"

/* The association of an op; null where it has none, or a closed one. */
static struct association *association_of(const struct rte_crypto_op *op)
{
    struct association *association;

    if (!op->sym->session)
        return NULL;
    association = SECURITY_GET_SESS_PRIV(op->sym->session);
    return association->flow ? association : NULL;
}

/* Whether the outer header of an inbound packet has the addresses of the tunnel. */
static bool has_outer(const struct association *association, const struct rte_mbuf *packet)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(packet, const uint8_t *);
    uint32_t end = association->outer_at + association->outer_len;

    return packet->data_len >= end && bytes[0] >> 4 == association->outer_version &&
           memcmp(bytes + association->outer_at, association->outer, association->outer_len) == 0;
}

static uint8_t class_of(const struct rte_mbuf *packet)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(packet, const uint8_t *);

    if (packet->data_len < 2)
        return 0;
    return bytes[0] >> 4 == 4 ? bytes[1] : (uint8_t)(bytes[0] << 4 | bytes[1] >> 4);
}

/* The op is done: its packet is not as its association wants it. */
static void refuse(struct association *association, struct rte_crypto_op *op)
{
    add_to(&association->refused, 1);
    op->status = RTE_CRYPTO_OP_STATUS_ERROR;
}

static void place(bl_packet *waiting, const struct association *association,
                  struct rte_mbuf *packet)
{
    waiting->flow = association->flow;
    waiting->buffer = packet->buf_addr;
    waiting->room = packet->buf_len;
    waiting->begin = packet->data_off;
    waiting->len = packet->data_len;
}

static void take_outbound(struct ipsec *ipsec, struct association *association,
                          struct rte_crypto_op *op)
{
    struct way *way = &ipsec->outbound;
    struct rte_mbuf *packet = op->sym->m_src;
    bl_packet *waiting = &way->packets[way->count];
    bool of_ip = association->has_ip_checksum || packet->ol_flags & RTE_MBUF_F_TX_IP_CKSUM;
    bool of_l4 = association->has_l4_checksum || packet->ol_flags & RTE_MBUF_F_TX_L4_MASK;
    bool is_soft = false;

    if (read_flag(&association->is_limited) &&
        !broadloom_spend(association, packet->data_len, &is_soft)) {
        refuse(association, op);
        return;
    }
    if (is_soft)
        op->aux_flags |= RTE_CRYPTO_OP_AUX_FLAGS_IPSEC_SOFT_EXPIRY;
    if (of_ip || of_l4)
        broadloom_compute_checksums(packet, of_ip, of_l4);
    place(waiting, association, packet);
    waiting->iv = association->takes_ivs
                      ? rte_crypto_op_ctod_offset(op, uint8_t *, association->iv_offset)
                      : NULL;
    way->ops[way->count++] = op;
}

static void take_inbound(struct ipsec *ipsec, struct association *association,
                         struct rte_crypto_op *op)
{
    struct way *way = &ipsec->inbound;
    struct rte_mbuf *packet = op->sym->m_src;

    if (association->outer_len > 0 && !has_outer(association, packet)) {
        refuse(association, op);
        return;
    }
    way->classes[way->count] = class_of(packet);
    place(&way->packets[way->count], association, packet);
    way->ops[way->count++] = op;
}

/*
 * Takes an op: its packet waits, or the op is done with the status that says what is wrong. A
 * packet in several segments is gathered in the first, where there is room.
 */
void broadloom_ipsec_take(struct ipsec *ipsec, struct rte_crypto_op *op)
{
    struct association *association = association_of(op);
    struct rte_mbuf *packet = op->sym->m_src;

    if (!association) {
        op->status = RTE_CRYPTO_OP_STATUS_INVALID_SESSION;
        return;
    }
    if (!packet || (op->sym->m_dst && op->sym->m_dst != packet) ||
        rte_pktmbuf_linearize(packet) != 0) {
        add_to(&association->refused, 1);
        op->status = RTE_CRYPTO_OP_STATUS_INVALID_ARGS;
        return;
    }
    op->aux_flags &= ~RTE_CRYPTO_OP_AUX_FLAGS_IPSEC_SOFT_EXPIRY;
    if (association->is_inbound)
        take_inbound(ipsec, association, op);
    else
        take_outbound(ipsec, association, op);
}

/* The packet of an op is now what the library has made of it. */
static void deliver(struct rte_mbuf *packet, const bl_packet *done)
{
    packet->data_off = done->begin;
    packet->data_len = done->len;
    packet->pkt_len = done->len;
}

static void finish_inbound(struct association *association, struct rte_crypto_op *op,
                           uint8_t traffic_class)
{
    struct rte_mbuf *packet = op->sym->m_src;
    bool is_soft = false;

    if (read_flag(&association->is_limited) &&
        !broadloom_spend(association, packet->data_len, &is_soft)) {
        explicit_bzero(rte_pktmbuf_mtod(packet, void *), packet->data_len);
        add_to(&association->expired, 1);
        add_to(&association->expired_bytes, packet->data_len);
        op->status = RTE_CRYPTO_OP_STATUS_ERROR;
        return;
    }
    if (is_soft)
        op->aux_flags |= RTE_CRYPTO_OP_AUX_FLAGS_IPSEC_SOFT_EXPIRY;
    if (association->copies_dscp)
        broadloom_copy_dscp(packet, traffic_class);
    if (association->has_ip_checksum || association->has_l4_checksum)
        broadloom_verify_checksums(packet, association->has_ip_checksum,
                                   association->has_l4_checksum);
}

/* The status of an op whose packet was refused. DPDK's applications expect one for all reasons. */
static uint8_t status_of(bl_status status)
{
    switch (status) {
    case BL_OK:
        return RTE_CRYPTO_OP_STATUS_SUCCESS;
    case BL_PACKET_NO_HEAD_ROOM:
    case BL_PACKET_NO_TAIL_ROOM:
    case BL_E_ARGUMENT:
        return RTE_CRYPTO_OP_STATUS_INVALID_ARGS;
    default:
        return RTE_CRYPTO_OP_STATUS_ERROR;
    }
}

static void finish(struct way *way, bool is_inbound)
{
    way->calls += way->count > 0;
    way->packets_done += way->count;
    for (uint32_t at = 0; at < way->count; at++) {
        struct rte_crypto_op *op = way->ops[at];
        const bl_packet *done = &way->packets[at];

        op->status = status_of(done->status);
        if (done->status != BL_OK)
            continue;
        deliver(op->sym->m_src, done);
        if (is_inbound)
            finish_inbound(SECURITY_GET_SESS_PRIV(op->sym->session), op, way->classes[at]);
    }
    way->count = 0;
}

/* Processes all packets that wait, of whatever sessions: those of one way share lanes. */
void broadloom_ipsec_process(struct ipsec *ipsec, bl_processor *processor)
{
    /* Each packet has its status, so that of the call says nothing more. */
    if (ipsec->outbound.count > 0)
        bl_protect_burst(processor, ipsec->outbound.packets, ipsec->outbound.count);
    if (ipsec->inbound.count > 0)
        bl_unprotect_burst(processor, ipsec->inbound.packets, ipsec->inbound.count);
    finish(&ipsec->outbound, false);
    finish(&ipsec->inbound, true);
}

struct ipsec *broadloom_ipsec_new(int socket)
{
    struct ipsec *ipsec =
        rte_zmalloc_socket("broadloom", sizeof(*ipsec), RTE_CACHE_LINE_SIZE, socket);

    for (uint32_t at = 0; ipsec && at < BATCH; at++) {
        ipsec->outbound.packets[at].size = sizeof(bl_packet);
        ipsec->inbound.packets[at].size = sizeof(bl_packet);
    }
    return ipsec;
}

void broadloom_ipsec_free(struct ipsec *ipsec)
{
    rte_free(ipsec);
}
