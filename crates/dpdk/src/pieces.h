/* Bytes of packets, which may be in several segments. */
#ifndef BROADLOOM_PIECES_H
#define BROADLOOM_PIECES_H

#include <string.h>

#include <broadloom.h>

#include <rte_mbuf.h>

/* Bytes of a packet, by offsets from its beginning. */
struct span {
    uint32_t start;
    uint32_t end;
};

static inline struct span span(uint32_t start, uint32_t len)
{
    return (struct span){ start, start + len };
}

/*
 * Bytes of a packet, over all its segments. Its `pkt_len` is not asked: programs that chain segments
 * themselves may leave that unset, as dpdk-test-crypto-perf does.
 */
static inline uint32_t length_of(const struct rte_mbuf *packet)
{
    const struct rte_mbuf *segment = packet->next;
    uint32_t len = packet->data_len;

    for (uint32_t left = packet->nb_segs; left > 1 && segment; left--) {
        len += segment->data_len;
        segment = segment->next;
    }
    return len;
}

/* Copies bytes of a packet, which is so long. */
static inline void copy_from(const struct rte_mbuf *segment, uint32_t at, uint32_t len, uint8_t *to)
{
    for (; len > 0; segment = segment->next) {
        if (at >= segment->data_len) {
            at -= segment->data_len;
            continue;
        }
        uint32_t part = RTE_MIN(len, segment->data_len - at);
        memcpy(to, rte_pktmbuf_mtod_offset(segment, const uint8_t *, at), part);
        to += part;
        len -= part;
        at = 0;
    }
}

/* Lists the bytes of a span, segment by segment. It is within the packet. */
static inline uint32_t list_pieces(const struct rte_mbuf *segment, struct span bytes,
                                   bl_piece *pieces)
{
    uint32_t count = 0;
    uint32_t at = bytes.start, left = bytes.end - bytes.start;

    for (; left > 0; segment = segment->next) {
        if (at >= segment->data_len) {
            at -= segment->data_len;
            continue;
        }
        uint32_t len = RTE_MIN(left, segment->data_len - at);
        pieces[count++] = (bl_piece){ rte_pktmbuf_mtod_offset(segment, uint8_t *, at), len };
        left -= len;
        at = 0;
    }
    return count;
}

#endif
