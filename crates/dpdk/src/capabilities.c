/* What the crypto driver can do. A session that fits a capability is one that can be opened. */
#include "capability.h"

#define SIGNS (1u << RTE_CRYPTO_ASYM_OP_SIGN | 1u << RTE_CRYPTO_ASYM_OP_VERIFY)
#define ENCRYPTS (1u << RTE_CRYPTO_ASYM_OP_ENCRYPT | 1u << RTE_CRYPTO_ASYM_OP_DECRYPT)
#define ASYMMETRIC(xform, ops, ...) \
    { \
        .op = RTE_CRYPTO_OP_TYPE_ASYMMETRIC, \
        { .asym = { .xform_capa = { \
            .xform_type = RTE_CRYPTO_ASYM_XFORM_##xform, .op_types = ops, __VA_ARGS__, \
        } } }, \
    }

/* Since DPDK 24.11, drivers say which hashes they pad, and who draws the numbers of signatures. */
#if DPDK_SINCE(24, 11)
#define PADS(hash) (UINT64_C(1) << RTE_CRYPTO_AUTH_##hash)
#define RSA_HASHES \
    .hash_algos = PADS(MD5) | PADS(SHA1) | PADS(SHA224) | PADS(SHA256) | PADS(SHA384) | PADS(SHA512)
#define RSA_DETAILS { .modlen = RANGE(128, 512, 128) }, RSA_HASHES
#define ECDSA_DETAILS { .internal_rng = 1 }
#else
#define RSA_DETAILS { .modlen = RANGE(128, 512, 128) }
#define ECDSA_DETAILS { .modlen = NONE }
#endif

/* With 8 bytes it is DES. */
#define DES3_KEYS RANGE(8, 24, 8)
#define HMAC_KEYS RANGE(1, UINT16_MAX, 1)

/* A hash, plain and as HMAC. */
#define HASH(name, block, digest) \
    AUTH(name, block, NONE, RANGE(1, digest, 1), NONE), \
    AUTH(name##_HMAC, block, HMAC_KEYS, RANGE(4, digest, 1), NONE)

const struct rte_cryptodev_capabilities broadloom_capabilities[] = {
    CIPHER(AES_CBC, 16, AES_KEYS, EXACTLY(16)),
    /* With 12 bytes the counter starts from 1 (RFC 3686). */
    CIPHER(AES_CTR, 16, AES_KEYS, RANGE(12, 16, 4)),
    CIPHER(AES_ECB, 16, AES_KEYS, NONE),
    CIPHER(AES_XTS, 16, RANGE(32, 64, 32), EXACTLY(16)),
    CIPHER(3DES_CBC, 8, DES3_KEYS, EXACTLY(8)),
    CIPHER(3DES_CTR, 8, DES3_KEYS, EXACTLY(8)),
    CIPHER(3DES_ECB, 8, DES3_KEYS, NONE),
    CIPHER(DES_CBC, 8, EXACTLY(8), EXACTLY(8)),
    CIPHER(KASUMI_F8, 8, EXACTLY(16), EXACTLY(8)),
    HASH(MD5, 64, 16),
    HASH(SHA1, 64, 20),
    HASH(SHA224, 64, 28),
    HASH(SHA256, 64, 32),
    HASH(SHA384, 128, 48),
    HASH(SHA512, 128, 64),
    AUTH(SM3, 64, NONE, RANGE(1, 32, 1), NONE),
    HASH(SHA3_224, 144, 28),
    HASH(SHA3_256, 136, 32),
    HASH(SHA3_384, 104, 48),
    HASH(SHA3_512, 72, 64),
    AUTH(AES_CMAC, 16, AES_KEYS, RANGE(4, 16, 1), NONE),
    AUTH(AES_XCBC_MAC, 16, EXACTLY(16), RANGE(4, 16, 1), NONE),
    AUTH(AES_GMAC, 16, AES_KEYS, RANGE(12, 16, 1), RANGE(1, 64, 1)),
    /* Count, fresh and direction are in the data. */
    AUTH(KASUMI_F9, 8, EXACTLY(16), EXACTLY(4), NONE),
    AEAD(AES_GCM, 16, AES_KEYS, RANGE(12, 16, 1), RANGE(1, 64, 1)),
    AEAD(AES_CCM, 16, AES_KEYS, RANGE(4, 16, 2), RANGE(7, 13, 1)),
    AEAD(CHACHA20_POLY1305, 64, EXACTLY(32), EXACTLY(16), EXACTLY(12)),
    ASYMMETRIC(RSA, SIGNS | ENCRYPTS, RSA_DETAILS),
    ASYMMETRIC(ECDSA, SIGNS, ECDSA_DETAILS),
    RTE_CRYPTODEV_END_OF_CAPABILITIES_LIST()
};

static bool within(struct rte_crypto_param_range range, uint16_t value)
{
    if (value < range.min || value > range.max)
        return false;
    return value == range.min || (range.increment && (value - range.min) % range.increment == 0);
}

/* Where an algorithm takes no nonce, applications leave its length undefined. */
static bool fits(const struct rte_cryptodev_symmetric_capability *can,
         const struct rte_crypto_sym_xform *xform)
{
    switch (xform->type) {
    case RTE_CRYPTO_SYM_XFORM_CIPHER:
        return can->cipher.algo == xform->cipher.algo &&
               within(can->cipher.key_size, xform->cipher.key.length) &&
               within(can->cipher.iv_size, xform->cipher.iv.length) &&
               xform->cipher.dataunit_len == 0;
    case RTE_CRYPTO_SYM_XFORM_AUTH:
        return can->auth.algo == xform->auth.algo &&
               within(can->auth.key_size, xform->auth.key.length) &&
               (can->auth.iv_size.max == 0 ||
            within(can->auth.iv_size, xform->auth.iv.length)) &&
               within(can->auth.digest_size, xform->auth.digest_length);
    case RTE_CRYPTO_SYM_XFORM_AEAD:
        return can->aead.algo == xform->aead.algo &&
               within(can->aead.key_size, xform->aead.key.length) &&
               within(can->aead.iv_size, xform->aead.iv.length) &&
               within(can->aead.aad_size, xform->aead.aad_length) &&
               within(can->aead.digest_size, xform->aead.digest_length);
    default:
        return false;
    }
}

/* The capability of a list that a transform fits, its successor aside; null where none does. */
const struct rte_cryptodev_symmetric_capability *
broadloom_capability(const struct rte_cryptodev_capabilities *can,
                     const struct rte_crypto_sym_xform *xform)
{
    for (; can->op != RTE_CRYPTO_OP_TYPE_UNDEFINED; can++)
        if (can->op == RTE_CRYPTO_OP_TYPE_SYMMETRIC && can->sym.xform_type == xform->type &&
            fits(&can->sym, xform))
            return &can->sym;
    return NULL;
}
