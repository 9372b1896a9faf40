/* Checksums of the packet that ESP protects, by DPDK's own functions. */
#include <netinet/in.h>

#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "checksum.h"

/* The headers of a packet; null are those that it has not, or not whole. */
struct headers {
    struct rte_ipv4_hdr *ipv4;
    struct rte_ipv6_hdr *ipv6;
    struct rte_tcp_hdr *tcp;
    struct rte_udp_hdr *udp;
};

/*
 * Finds the headers of an IP packet that is as long as it says. A fragment has no checksum of its
 * own behind the IP header, and extension headers of IPv6 are not looked through.
 */
static struct headers headers_of(const struct rte_mbuf *packet)
{
    uint8_t *bytes = rte_pktmbuf_mtod(packet, uint8_t *);
    uint32_t len = packet->data_len, at = 0;
    struct headers headers = { 0 };
    uint8_t protocol = 0;

    if (len >= sizeof(struct rte_ipv4_hdr) && bytes[0] >> 4 == 4) {
        struct rte_ipv4_hdr *ipv4 = (void *)bytes;

        at = rte_ipv4_hdr_len(ipv4);
        if (at < sizeof(*ipv4) || at > len || rte_be_to_cpu_16(ipv4->total_length) != len)
            return headers;
        headers.ipv4 = ipv4;
        if (ipv4->fragment_offset & ~rte_cpu_to_be_16(RTE_IPV4_HDR_DF_FLAG))
            return headers;
        protocol = ipv4->next_proto_id;
    } else if (len >= sizeof(struct rte_ipv6_hdr) && bytes[0] >> 4 == 6) {
        struct rte_ipv6_hdr *ipv6 = (void *)bytes;

        at = sizeof(*ipv6);
        if (at + rte_be_to_cpu_16(ipv6->payload_len) != len)
            return headers;
        headers.ipv6 = ipv6;
        protocol = ipv6->proto;
    }
    if (protocol == IPPROTO_TCP && len - at >= sizeof(struct rte_tcp_hdr))
        headers.tcp = (void *)(bytes + at);
    else if (protocol == IPPROTO_UDP && len - at >= sizeof(struct rte_udp_hdr))
        headers.udp = (void *)(bytes + at);
    return headers;
}

static uint16_t l4_checksum(const struct headers *headers, const void *l4)
{
    return headers->ipv4 ? rte_ipv4_udptcp_cksum(headers->ipv4, l4)
                         : rte_ipv6_udptcp_cksum(headers->ipv6, l4);
}

/* Writes the checksums that are asked for into a packet in one segment. */
void broadloom_compute_checksums(struct rte_mbuf *packet, bool of_ip, bool of_l4)
{
    struct headers headers = headers_of(packet);

    if (of_ip && headers.ipv4) {
        headers.ipv4->hdr_checksum = 0;
        headers.ipv4->hdr_checksum = rte_ipv4_cksum(headers.ipv4);
    }
    if (of_l4 && headers.tcp) {
        headers.tcp->cksum = 0;
        headers.tcp->cksum = l4_checksum(&headers, headers.tcp);
    }
    if (of_l4 && headers.udp) {
        headers.udp->dgram_cksum = 0;
        headers.udp->dgram_cksum = l4_checksum(&headers, headers.udp);
    }
}

static bool is_l4_right(const struct headers *headers, const void *l4)
{
    return (headers->ipv4 ? rte_ipv4_udptcp_cksum_verify(headers->ipv4, l4)
                          : rte_ipv6_udptcp_cksum_verify(headers->ipv6, l4)) == 0;
}

/* Marks a packet in one segment: which of its checksums are right and which are wrong. */
void broadloom_verify_checksums(struct rte_mbuf *packet, bool of_ip, bool of_l4)
{
    struct headers headers = headers_of(packet);
    const void *l4 = headers.tcp;

    /* UDP over IPv4 may do without a checksum, which is then 0. */
    if (headers.udp && (headers.ipv6 || headers.udp->dgram_cksum != 0))
        l4 = headers.udp;
    if (of_ip) {
        packet->ol_flags &= ~RTE_MBUF_F_RX_IP_CKSUM_MASK;
        if (headers.ipv4)
            packet->ol_flags |= rte_ipv4_cksum(headers.ipv4) == 0 ? RTE_MBUF_F_RX_IP_CKSUM_GOOD
                                                                  : RTE_MBUF_F_RX_IP_CKSUM_BAD;
    }
    if (of_l4) {
        packet->ol_flags &= ~RTE_MBUF_F_RX_L4_CKSUM_MASK;
        if (l4)
            packet->ol_flags |= is_l4_right(&headers, l4) ? RTE_MBUF_F_RX_L4_CKSUM_GOOD
                                                          : RTE_MBUF_F_RX_L4_CKSUM_BAD;
    }
}

/*
 * Gives a packet the code point of a traffic class. A checksum of IPv4 stays right where it was,
 * and wrong where it was wrong (RFC 1624).
 */
void broadloom_copy_dscp(struct rte_mbuf *packet, uint8_t traffic_class)
{
    struct headers headers = headers_of(packet);

    if (headers.ipv4) {
        uint8_t before = headers.ipv4->type_of_service;
        uint8_t after = (before & 3) | (traffic_class & ~3);
        uint32_t sum = (uint16_t)~rte_be_to_cpu_16(headers.ipv4->hdr_checksum);

        /* Both words begin with the version and the length of the header, which cancel out. */
        sum += 0xffff - before + after;
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        headers.ipv4->type_of_service = after;
        headers.ipv4->hdr_checksum = rte_cpu_to_be_16((uint16_t)~sum);
    } else if (headers.ipv6) {
        uint32_t flow = rte_be_to_cpu_32(headers.ipv6->vtc_flow);
        uint32_t code_point = (uint32_t)(traffic_class & ~3) << 20;

        flow = (flow & ~RTE_IPV6_HDR_DSCP_MASK) | code_point;
        headers.ipv6->vtc_flow = rte_cpu_to_be_32(flow);
    }
}
