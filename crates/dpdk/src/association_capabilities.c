/* What security associations can be: modes, options, and algorithms of ESP. */
#include "association.h"
#include "capability.h"

/*
 * Keys and tags have the lengths that the standards of ESP fix. The length of an IV may include the
 * salt, and that of AES-CTR the counter: what is read of an op is the IV that a packet carries.
 */
const struct rte_cryptodev_capabilities broadloom_esp_algorithms[] = {
    AEAD(AES_GCM, 16, AES_KEYS, EXACTLY(16), RANGE(8, 12, 4)),
    AEAD(AES_CCM, 16, AES_KEYS, EXACTLY(16), RANGE(8, 12, 1)),
    AEAD(CHACHA20_POLY1305, 64, EXACTLY(32), EXACTLY(16), RANGE(8, 12, 4)),
    CIPHER(NULL, 1, NONE, NONE),
    CIPHER(AES_CBC, 16, AES_KEYS, EXACTLY(16)),
    CIPHER(AES_CTR, 16, AES_KEYS, RANGE(8, 16, 8)),
    AUTH(SHA1_HMAC, 64, EXACTLY(20), EXACTLY(12), NONE),
    AUTH(SHA256_HMAC, 64, EXACTLY(32), EXACTLY(16), NONE),
    AUTH(SHA384_HMAC, 128, EXACTLY(48), EXACTLY(24), NONE),
    AUTH(SHA512_HMAC, 128, EXACTLY(64), EXACTLY(32), NONE),
    AUTH(AES_GMAC, 16, AES_KEYS, EXACTLY(16), RANGE(8, 12, 4)),
    RTE_CRYPTODEV_END_OF_CAPABILITIES_LIST()
};

/* Options that change nothing in a direction or a mode are taken there, too. */
#define ESP(place, way) \
    { \
        .action = RTE_SECURITY_ACTION_TYPE_LOOKASIDE_PROTOCOL, \
        .protocol = RTE_SECURITY_PROTOCOL_IPSEC, \
        .ipsec = { \
            .proto = RTE_SECURITY_IPSEC_SA_PROTO_ESP, \
            .mode = RTE_SECURITY_IPSEC_SA_MODE_##place, \
            .direction = RTE_SECURITY_IPSEC_SA_DIR_##way, \
            .options = { \
                .esn = 1, .udp_encap = 1, .copy_dscp = 1, .copy_flabel = 1, .copy_df = 1, \
                .ecn = 1, .stats = 1, .iv_gen_disable = 1, .udp_ports_verify = 1, \
                .tunnel_hdr_verify = RTE_SECURITY_IPSEC_TUNNEL_VERIFY_SRC_DST_ADDR, \
                .ip_csum_enable = 1, .l4_csum_enable = 1, \
            }, \
            .replay_win_sz_max = MAX_WINDOW, \
        }, \
        .crypto_capabilities = broadloom_esp_algorithms, \
    }

const struct rte_security_capability broadloom_security_capabilities[] = {
    ESP(TUNNEL, EGRESS),
    ESP(TUNNEL, INGRESS),
    ESP(TRANSPORT, EGRESS),
    ESP(TRANSPORT, INGRESS),
    { .action = RTE_SECURITY_ACTION_TYPE_NONE },
};
