/* Bytes of packets, which may be in several segments. */
#ifndef BROADLOOM_PIECES_H
#define BROADLOOM_PIECES_H

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
