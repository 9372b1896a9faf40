/* Checksums of the packet that ESP protects, which an association may compute and verify. */
#ifndef BROADLOOM_CHECKSUM_H
#define BROADLOOM_CHECKSUM_H

#include <rte_mbuf.h>

void broadloom_compute_checksums(struct rte_mbuf *packet, bool of_ip, bool of_l4);
void broadloom_verify_checksums(struct rte_mbuf *packet, bool of_ip, bool of_l4);
void broadloom_copy_dscp(struct rte_mbuf *packet, uint8_t traffic_class);

#endif
