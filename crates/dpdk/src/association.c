/* Sessions of rte_security become flows of ESP of the library. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "association.h"

#define NAME_LEN 64

/* The hop limit of an outer header for which none is given: one of 0 would go nowhere. */
#define HOP_LIMIT 64

/* The port of ESP in UDP (RFC 3948). */
#define UDP_PORT 4500

/* What the transforms of a session say. */
struct suite {
    char algorithm[NAME_LEN];
    const uint8_t *key;
    uint16_t key_len;
    const uint8_t *integrity;
    uint16_t integrity_len;
    uint16_t salt_len;
    /* Whether packets have IVs, and where ops have theirs. */
    bool has_iv;
    uint16_t iv_offset;
};

static const char *hash_of(enum rte_crypto_auth_algorithm algorithm)
{
    switch (algorithm) {
    case RTE_CRYPTO_AUTH_SHA1_HMAC:
        return "hmac-sha1";
    case RTE_CRYPTO_AUTH_SHA256_HMAC:
        return "hmac-sha256";
    case RTE_CRYPTO_AUTH_SHA384_HMAC:
        return "hmac-sha384";
    default:
        return "hmac-sha512";
    }
}

static int read_aead(const struct rte_crypto_aead_xform *aead, struct suite *suite)
{
    unsigned int bits = aead->key.length * 8;

    suite->key = aead->key.data;
    suite->key_len = aead->key.length;
    suite->salt_len = aead->algo == RTE_CRYPTO_AEAD_AES_CCM ? 3 : 4;
    suite->has_iv = true;
    suite->iv_offset = aead->iv.offset;
    if (aead->algo == RTE_CRYPTO_AEAD_CHACHA20_POLY1305)
        snprintf(suite->algorithm, NAME_LEN, "esp-chacha20-poly1305");
    else
        snprintf(suite->algorithm, NAME_LEN, "esp-aes-%u-%s", bits,
                 aead->algo == RTE_CRYPTO_AEAD_AES_CCM ? "ccm" : "gcm");
    return 0;
}

/* A cipher, which may be null, and a MAC. */
static int read_chain(const struct rte_crypto_cipher_xform *cipher,
                      const struct rte_crypto_auth_xform *auth, struct suite *suite)
{
    bool is_plain = !cipher || cipher->algo == RTE_CRYPTO_CIPHER_NULL;
    bool is_cbc = !is_plain && cipher->algo == RTE_CRYPTO_CIPHER_AES_CBC;

    if (auth->algo == RTE_CRYPTO_AUTH_AES_GMAC) {
        if (!is_plain)
            return -ENOTSUP;
        suite->key = auth->key.data;
        suite->key_len = auth->key.length;
        suite->salt_len = 4;
        suite->has_iv = true;
        suite->iv_offset = auth->iv.offset;
        snprintf(suite->algorithm, NAME_LEN, "esp-aes-%u-gmac", auth->key.length * 8u);
        return 0;
    }
    suite->integrity = auth->key.data;
    suite->integrity_len = auth->key.length;
    if (is_plain) {
        snprintf(suite->algorithm, NAME_LEN, "esp-null-%s", hash_of(auth->algo));
        return 0;
    }
    suite->key = cipher->key.data;
    suite->key_len = cipher->key.length;
    suite->salt_len = is_cbc ? 0 : 4;
    suite->has_iv = true;
    suite->iv_offset = cipher->iv.offset;
    snprintf(suite->algorithm, NAME_LEN, "esp-aes-%u-%s-%s", cipher->key.length * 8u,
             is_cbc ? "cbc" : "ctr", hash_of(auth->algo));
    return 0;
}

/* Whether a transform goes the way of its session. */
static bool goes_inbound(const struct rte_crypto_sym_xform *xform)
{
    switch (xform->type) {
    case RTE_CRYPTO_SYM_XFORM_AEAD:
        return xform->aead.op == RTE_CRYPTO_AEAD_OP_DECRYPT;
    case RTE_CRYPTO_SYM_XFORM_AUTH:
        return xform->auth.op == RTE_CRYPTO_AUTH_OP_VERIFY;
    default:
        return xform->cipher.op == RTE_CRYPTO_CIPHER_OP_DECRYPT;
    }
}

/* Reads an AEAD, a MAC, or a cipher and a MAC in either order. */
static int read_transforms(const struct rte_crypto_sym_xform *xform, bool is_inbound,
                           struct suite *suite)
{
    const struct rte_crypto_cipher_xform *cipher = NULL;
    const struct rte_crypto_auth_xform *auth = NULL;
    const struct rte_crypto_aead_xform *aead = NULL;
    int count = 0;

    for (; xform; xform = xform->next, count++) {
        if (!broadloom_capability(broadloom_esp_algorithms, xform))
            return -ENOTSUP;
        if (goes_inbound(xform) != is_inbound) {
            LOG(ERR, "a transform of an association goes the other way\n");
            return -EINVAL;
        }
        if (xform->type == RTE_CRYPTO_SYM_XFORM_AEAD)
            aead = &xform->aead;
        else if (xform->type == RTE_CRYPTO_SYM_XFORM_AUTH)
            auth = &xform->auth;
        else
            cipher = &xform->cipher;
    }
    if (count != !!aead + !!auth + !!cipher || (aead && count != 1) || (!aead && !auth)) {
        LOG(ERR, "an association has an AEAD, a MAC, or a cipher and a MAC\n");
        return -ENOTSUP;
    }
    return aead ? read_aead(aead, suite) : read_chain(cipher, auth, suite);
}

/* What the outer header of an inbound packet has to have, where the session says so. */
static void note_outer(const struct rte_security_ipsec_xform *ipsec,
                       struct association *association)
{
    const struct rte_security_ipsec_tunnel_param *tunnel = &ipsec->tunnel;
    bool is_v6 = tunnel->type == RTE_SECURITY_IPSEC_TUNNEL_IPV6;
    uint8_t len = is_v6 ? 16 : 4;

    if (ipsec->mode != RTE_SECURITY_IPSEC_SA_MODE_TUNNEL || !ipsec->options.tunnel_hdr_verify)
        return;
    association->outer_version = is_v6 ? 6 : 4;
    association->outer_at = is_v6 ? 8 : 12;
    association->outer_len = 2 * len;
    if (is_v6) {
        memcpy(association->outer, &tunnel->ipv6.src_addr, len);
        memcpy(association->outer + len, &tunnel->ipv6.dst_addr, len);
    } else {
        memcpy(association->outer, &tunnel->ipv4.src_ip, len);
        memcpy(association->outer + len, &tunnel->ipv4.dst_ip, len);
    }
    if (ipsec->options.tunnel_hdr_verify == RTE_SECURITY_IPSEC_TUNNEL_VERIFY_DST_ADDR) {
        association->outer_at += len;
        association->outer_len = len;
        memmove(association->outer, association->outer + len, len);
    }
}

/* Sets limits, which may be read at the same time. What the flow was used for before counts. */
static void set_life(struct association *association,
                     const struct rte_security_ipsec_lifetime *life)
{
    struct rte_security_ipsec_lifetime *own = &association->life;
    bool is_limited = life->packets_soft_limit || life->bytes_soft_limit ||
                      life->packets_hard_limit || life->bytes_hard_limit;
    bl_flow_statistics used = { .size = sizeof(used) };

    __atomic_store_n(&own->packets_soft_limit, life->packets_soft_limit, __ATOMIC_RELAXED);
    __atomic_store_n(&own->bytes_soft_limit, life->bytes_soft_limit, __ATOMIC_RELAXED);
    __atomic_store_n(&own->packets_hard_limit, life->packets_hard_limit, __ATOMIC_RELAXED);
    __atomic_store_n(&own->bytes_hard_limit, life->bytes_hard_limit, __ATOMIC_RELAXED);
    if (is_limited && !association->is_limited &&
        bl_flow_read(association->flow, &used) == BL_OK) {
        __atomic_store_n(&association->packets, used.packets, __ATOMIC_RELAXED);
        __atomic_store_n(&association->bytes, used.bytes, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&association->is_limited, is_limited, __ATOMIC_RELEASE);
}

static bool is_beyond(const uint64_t *limit, uint64_t used)
{
    uint64_t most = read_counter(limit);

    return most != 0 && used > most;
}

static bool has_reached(const uint64_t *limit, uint64_t used)
{
    uint64_t most = read_counter(limit);

    return most != 0 && used >= most;
}

/*
 * Counts a packet against the limits, and says whether a hard one allows it. `is_soft` says whether
 * a soft one is reached.
 */
bool broadloom_spend(struct association *association, uint32_t len, bool *is_soft)
{
    const struct rte_security_ipsec_lifetime *life = &association->life;
    uint64_t packets = __atomic_add_fetch(&association->packets, 1, __ATOMIC_RELAXED);
    uint64_t bytes = __atomic_add_fetch(&association->bytes, len, __ATOMIC_RELAXED);

    *is_soft = has_reached(&life->packets_soft_limit, packets) ||
               has_reached(&life->bytes_soft_limit, bytes);
    return !is_beyond(&life->packets_hard_limit, packets) &&
           !is_beyond(&life->bytes_hard_limit, bytes);
}

/* The tunnel of a flow, or the lack of one. */
static int note_mode(const struct rte_security_ipsec_xform *ipsec, bl_esp_config *config)
{
    const struct rte_security_ipsec_tunnel_param *tunnel = &ipsec->tunnel;

    if (ipsec->mode != RTE_SECURITY_IPSEC_SA_MODE_TUNNEL) {
        config->mode = "transport";
        return 0;
    }
    config->mode = "tunnel";
    if (!ipsec->options.copy_dscp)
        config->flags |= BL_ESP_SET_DSCP;
    if (tunnel->type == RTE_SECURITY_IPSEC_TUNNEL_IPV6) {
        config->source = (const uint8_t *)&tunnel->ipv6.src_addr;
        config->destination = (const uint8_t *)&tunnel->ipv6.dst_addr;
        config->address_len = 16;
        config->hop_limit = tunnel->ipv6.hlimit;
        config->dscp = ipsec->options.copy_dscp ? 0 : tunnel->ipv6.dscp;
        if (!ipsec->options.copy_flabel) {
            config->flags |= BL_ESP_SET_FLOW_LABEL;
            config->flow_label = tunnel->ipv6.flabel;
        }
        return 0;
    }
    if (tunnel->type != RTE_SECURITY_IPSEC_TUNNEL_IPV4) {
        LOG(ERR, "the type of a tunnel is %d, and neither IPv4 nor IPv6\n", tunnel->type);
        return -EINVAL;
    }
    config->source = (const uint8_t *)&tunnel->ipv4.src_ip;
    config->destination = (const uint8_t *)&tunnel->ipv4.dst_ip;
    config->address_len = 4;
    config->hop_limit = tunnel->ipv4.ttl;
    config->dscp = ipsec->options.copy_dscp ? 0 : tunnel->ipv4.dscp;
    if (!ipsec->options.copy_df)
        config->flags |= tunnel->ipv4.df ? BL_ESP_SET_DONT_FRAGMENT : BL_ESP_CLEAR_DONT_FRAGMENT;
    return 0;
}

/* The ports of UDP. An inbound session takes packets from and to any ports, unless it verifies. */
static void note_ports(const struct rte_security_ipsec_xform *ipsec, bl_esp_config *config)
{
    bool is_inbound = ipsec->direction == RTE_SECURITY_IPSEC_SA_DIR_INGRESS;

    if (!ipsec->options.udp_encap)
        return;
    config->flags |= BL_ESP_UDP;
    if (is_inbound && !ipsec->options.udp_ports_verify) {
        config->flags |= BL_ESP_ANY_PORTS;
        return;
    }
    config->udp_source = ipsec->udp.sport ? ipsec->udp.sport : UDP_PORT;
    config->udp_destination = ipsec->udp.dport ? ipsec->udp.dport : UDP_PORT;
}

static int open_flow(const struct rte_security_ipsec_xform *ipsec, const struct suite *suite,
                     struct association *association)
{
    bl_esp_config config = {
        .size = sizeof(config),
        .algorithm = suite->algorithm,
        .direction = association->is_inbound ? "unprotect" : "protect",
        .key = suite->key,
        .key_len = suite->key_len,
        .salt = (const uint8_t *)&ipsec->salt,
        .salt_len = suite->salt_len,
        .integrity_key = suite->integrity,
        .integrity_key_len = suite->integrity_len,
        .spi = ipsec->spi,
        .first_number = ipsec->esn.value,
    };

    if (ipsec->options.esn)
        config.flags |= BL_ESP_EXTENDED;
    if (association->takes_ivs)
        config.flags |= BL_ESP_GIVEN_IVS;
    if (association->is_inbound) {
        config.window = ipsec->replay_win_sz;
        if (ipsec->replay_win_sz == 0)
            config.flags |= BL_ESP_NO_WINDOW;
    }
    if (note_mode(ipsec, &config) != 0)
        return -EINVAL;
    note_ports(ipsec, &config);
    if (bl_esp_open(&config, &association->flow) == BL_OK)
        return 0;
    LOG(ERR, "%s: %s\n", suite->algorithm, bl_last_error());
    return -EINVAL;
}

/* Whether an option is set that only inline devices have, or that had no meaning yet. */
static bool has_other_options(const struct rte_security_ipsec_sa_options *options)
{
#if DPDK_SINCE(24, 11)
    return options->ingress_oop;
#else
    return options->reserved_opts != 0;
#endif
}

/* Whether the options of a session are those that there are. */
static int check_options(const struct rte_security_session_conf *conf)
{
    const struct rte_security_ipsec_sa_options *options = &conf->ipsec.options;

    if (conf->action_type != RTE_SECURITY_ACTION_TYPE_LOOKASIDE_PROTOCOL ||
        conf->protocol != RTE_SECURITY_PROTOCOL_IPSEC ||
        conf->ipsec.proto != RTE_SECURITY_IPSEC_SA_PROTO_ESP) {
        LOG(ERR, "sessions of rte_security are for the lookaside protocol of ESP\n");
        return -ENOTSUP;
    }
    if (options->dec_ttl || options->ip_reassembly_en || has_other_options(options)) {
        LOG(ERR, "an association neither decrements hop limits nor reassembles packets\n");
        return -ENOTSUP;
    }
    return 0;
}

static int create(void *device, struct rte_security_session_conf *conf,
                  struct rte_security_session *session)
{
    const struct rte_security_ipsec_xform *ipsec = &conf->ipsec;
    struct association *association = SECURITY_GET_SESS_PRIV(session);
    struct suite suite = { 0 };
    int fault;

    RTE_SET_USED(device);
    fault = check_options(conf);
    if (fault)
        return fault;
    memset(association, 0, sizeof(*association));
    association->is_inbound = ipsec->direction == RTE_SECURITY_IPSEC_SA_DIR_INGRESS;
    fault = read_transforms(conf->crypto_xform, association->is_inbound, &suite);
    if (fault)
        return fault;
    association->takes_ivs =
        !association->is_inbound && ipsec->options.iv_gen_disable && suite.has_iv;
    association->iv_offset = suite.iv_offset;
    association->has_ip_checksum = ipsec->options.ip_csum_enable;
    association->has_l4_checksum = ipsec->options.l4_csum_enable;
    association->copies_dscp = association->is_inbound && ipsec->options.copy_dscp &&
                               ipsec->mode == RTE_SECURITY_IPSEC_SA_MODE_TUNNEL;
    if (association->is_inbound)
        note_outer(ipsec, association);
    fault = open_flow(ipsec, &suite, association);
    if (fault)
        return fault;
    set_life(association, &ipsec->life);
    return 0;
}

static int destroy(void *device, struct rte_security_session *session)
{
    struct association *association = SECURITY_GET_SESS_PRIV(session);

    RTE_SET_USED(device);
    bl_flow_close(association->flow);
    memset(association, 0, sizeof(*association));
    return 0;
}

/* Changes the next sequence number of an outbound session, and the limits of any. */
static int update(void *device, struct rte_security_session *session,
                  struct rte_security_session_conf *conf)
{
    struct association *association = SECURITY_GET_SESS_PRIV(session);
    bool is_inbound = conf->ipsec.direction == RTE_SECURITY_IPSEC_SA_DIR_INGRESS;
    int fault = check_options(conf);

    RTE_SET_USED(device);
    if (fault)
        return fault;
    if (!association->flow || is_inbound != association->is_inbound) {
        LOG(ERR, "an update is for an open session of the same direction\n");
        return -EINVAL;
    }
    if (!is_inbound && conf->ipsec.esn.value != 0 &&
        bl_esp_set_next(association->flow, conf->ipsec.esn.value) != BL_OK) {
        LOG(ERR, "an update: %s\n", bl_last_error());
        return -EINVAL;
    }
    set_life(association, &conf->ipsec.life);
    return 0;
}

static unsigned int session_size(void *device)
{
    RTE_SET_USED(device);
    return sizeof(struct association);
}

static int read_statistics(void *device, struct rte_security_session *session,
                           struct rte_security_stats *stats)
{
    bl_flow_statistics counted = { .size = sizeof(counted) };
    struct association *association;
    uint64_t errors;

    RTE_SET_USED(device);
    if (!session)
        return -EINVAL;
    association = SECURITY_GET_SESS_PRIV(session);
    if (bl_flow_read(association->flow, &counted) != BL_OK)
        return -EINVAL;
    errors = read_counter(&association->refused) + read_counter(&association->expired);
    for (size_t kind = 0; kind < BL_PACKET_KINDS; kind++)
        errors += counted.refused[kind];
    memset(stats, 0, sizeof(*stats));
    stats->protocol = RTE_SECURITY_PROTOCOL_IPSEC;
    if (association->is_inbound) {
        stats->ipsec.ipackets = counted.packets - read_counter(&association->expired);
        stats->ipsec.ibytes = counted.bytes - read_counter(&association->expired_bytes);
        stats->ipsec.ierrors = errors;
    } else {
        stats->ipsec.opackets = counted.packets;
        stats->ipsec.obytes = counted.bytes;
        stats->ipsec.oerrors = errors;
    }
    return 0;
}

static const struct rte_security_capability *capabilities(void *device)
{
    RTE_SET_USED(device);
    return broadloom_security_capabilities;
}

const struct rte_security_ops broadloom_security = {
    .session_create = create,
    .session_update = update,
    .session_get_size = session_size,
    .session_stats_get = read_statistics,
    .session_destroy = destroy,
    .capabilities_get = capabilities,
};
