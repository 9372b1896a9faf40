/* How lists of capabilities are written down. */
#ifndef BROADLOOM_CAPABILITY_H
#define BROADLOOM_CAPABILITY_H

#include "crypto.h"

#define RANGE(from, to, step) { .min = (from), .max = (to), .increment = (step) }
#define EXACTLY(value) RANGE(value, value, 0)
#define NONE EXACTLY(0)

#define SYMMETRIC(xform, member, ...) \
    { \
        .op = RTE_CRYPTO_OP_TYPE_SYMMETRIC, \
        { .sym = { .xform_type = RTE_CRYPTO_SYM_XFORM_##xform, { .member = __VA_ARGS__ } } }, \
    }
#define CIPHER(name, block, keys, ivs) \
    SYMMETRIC(CIPHER, cipher, { \
        .algo = RTE_CRYPTO_CIPHER_##name, .block_size = block, .key_size = keys, \
        .iv_size = ivs, \
    })
#define AUTH(name, block, keys, digests, ivs) \
    SYMMETRIC(AUTH, auth, { \
        .algo = RTE_CRYPTO_AUTH_##name, .block_size = block, .key_size = keys, \
        .digest_size = digests, .iv_size = ivs, \
    })
#define AEAD(name, block, keys, digests, ivs) \
    SYMMETRIC(AEAD, aead, { \
        .algo = RTE_CRYPTO_AEAD_##name, .block_size = block, .key_size = keys, \
        .digest_size = digests, .aad_size = RANGE(0, UINT16_MAX, 1), .iv_size = ivs, \
    })

#define AES_KEYS RANGE(16, 32, 8)

#endif
