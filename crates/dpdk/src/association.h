/*
 * Security associations: sessions of rte_security for IPsec, whose packets the library's flows of
 * ESP protect and unprotect.
 */
#ifndef BROADLOOM_ASSOCIATION_H
#define BROADLOOM_ASSOCIATION_H

#include "crypto.h"
#include "security_driver.h"

/* The largest replay window, in packets. */
#define MAX_WINDOW 65536

/*
 * The most bytes that ESP puts before a packet and behind it. Before it: headers of IPv6, UDP and
 * ESP, an IV, and half a number while AES-GMAC authenticates it. Behind it: padding with its
 * length and the next header, and the tag of HMAC-SHA512.
 */
#define HEAD_ROOM (40 + 8 + 8 + 16 + 4)
#define TAIL_ROOM (15 + 2 + 32)

/* One direction of a security association. Any queue pair and any lcore may use it. */
struct association {
    /* Null where the session is closed. */
    bl_flow *flow;
    bool is_inbound;
    /* Whether ops have the IVs of outbound packets, and where. */
    bool takes_ivs;
    uint16_t iv_offset;
    /* Checksums of the packet that is protected: computed before that, or verified behind it. */
    bool has_ip_checksum;
    bool has_l4_checksum;
    /* The inner packet gets the code point of the outer header. */
    bool copies_dscp;
    /* Bytes that the outer header of an inbound packet must have; none where any will do. */
    uint8_t outer[32];
    uint8_t outer_at;
    uint8_t outer_len;
    uint8_t outer_version;
    /* What the association may be used for; 0 is no limit. What it was used for is counted where
     * there is one. */
    bool is_limited;
    struct rte_security_ipsec_lifetime life;
    uint64_t packets;
    uint64_t bytes;
    /* Packets that no flow saw, and authentic ones that came behind a hard limit. */
    uint64_t refused;
    uint64_t expired;
    uint64_t expired_bytes;
};

/* association.c */
extern const struct rte_security_ops broadloom_security;
bool broadloom_spend(struct association *association, uint32_t len, bool *is_soft);

/* association_capabilities.c */
extern const struct rte_cryptodev_capabilities broadloom_esp_algorithms[];
extern const struct rte_security_capability broadloom_security_capabilities[];

static inline void add_to(uint64_t *counter, uint64_t count)
{
    __atomic_fetch_add(counter, count, __ATOMIC_RELAXED);
}

static inline bool read_flag(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline uint64_t read_counter(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

#endif
