/* Sessions: a chain of transforms becomes a session of the library, or two. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "crypto.h"

/* The library's names; %u stands for the bits of an AES key. */
static const char *const ciphers[] = {
    [RTE_CRYPTO_CIPHER_AES_CBC] = "aes-%u-cbc",  [RTE_CRYPTO_CIPHER_AES_CTR] = "aes-%u-ctr",
    [RTE_CRYPTO_CIPHER_AES_ECB] = "aes-%u-ecb",  [RTE_CRYPTO_CIPHER_AES_XTS] = "aes-%u-xts",
    [RTE_CRYPTO_CIPHER_3DES_CBC] = "3des-cbc",   [RTE_CRYPTO_CIPHER_3DES_CTR] = "3des-ctr",
    [RTE_CRYPTO_CIPHER_3DES_ECB] = "3des-ecb",   [RTE_CRYPTO_CIPHER_DES_CBC] = "des-cbc",
    [RTE_CRYPTO_CIPHER_KASUMI_F8] = "kasumi-f8",
};

static const char *const auths[] = {
    [RTE_CRYPTO_AUTH_MD5] = "md5",
    [RTE_CRYPTO_AUTH_MD5_HMAC] = "hmac-md5",
    [RTE_CRYPTO_AUTH_SHA1] = "sha1",
    [RTE_CRYPTO_AUTH_SHA1_HMAC] = "hmac-sha1",
    [RTE_CRYPTO_AUTH_SHA224] = "sha224",
    [RTE_CRYPTO_AUTH_SHA224_HMAC] = "hmac-sha224",
    [RTE_CRYPTO_AUTH_SHA256] = "sha256",
    [RTE_CRYPTO_AUTH_SHA256_HMAC] = "hmac-sha256",
    [RTE_CRYPTO_AUTH_SHA384] = "sha384",
    [RTE_CRYPTO_AUTH_SHA384_HMAC] = "hmac-sha384",
    [RTE_CRYPTO_AUTH_SHA512] = "sha512",
    [RTE_CRYPTO_AUTH_SHA512_HMAC] = "hmac-sha512",
    [RTE_CRYPTO_AUTH_SM3] = "sm3",
    [RTE_CRYPTO_AUTH_SHA3_224] = "sha3-224",
    [RTE_CRYPTO_AUTH_SHA3_224_HMAC] = "hmac-sha3-224",
    [RTE_CRYPTO_AUTH_SHA3_256] = "sha3-256",
    [RTE_CRYPTO_AUTH_SHA3_256_HMAC] = "hmac-sha3-256",
    [RTE_CRYPTO_AUTH_SHA3_384] = "sha3-384",
    [RTE_CRYPTO_AUTH_SHA3_384_HMAC] = "hmac-sha3-384",
    [RTE_CRYPTO_AUTH_SHA3_512] = "sha3-512",
    [RTE_CRYPTO_AUTH_SHA3_512_HMAC] = "hmac-sha3-512",
    [RTE_CRYPTO_AUTH_AES_CMAC] = "aes-%u-cmac",
    [RTE_CRYPTO_AUTH_AES_XCBC_MAC] = "aes-128-xcbc",
    [RTE_CRYPTO_AUTH_AES_GMAC] = "aes-%u-gmac",
    [RTE_CRYPTO_AUTH_KASUMI_F9] = "kasumi-f9",
};

static const char *const aeads[] = {
    [RTE_CRYPTO_AEAD_AES_GCM] = "aes-%u-gcm",
    [RTE_CRYPTO_AEAD_AES_CCM] = "aes-%u-ccm",
    [RTE_CRYPTO_AEAD_CHACHA20_POLY1305] = "chacha20-poly1305",
};

#define NAME_LEN 24

static bool is_triple_des(enum rte_crypto_cipher_algorithm algo)
{
    return algo == RTE_CRYPTO_CIPHER_3DES_CBC || algo == RTE_CRYPTO_CIPHER_3DES_CTR ||
           algo == RTE_CRYPTO_CIPHER_3DES_ECB;
}

#define DES_KEY 8

/* The name of an algorithm that a capability names, with its key's length. */
static void name_of(char name[NAME_LEN], const struct rte_crypto_sym_xform *xform)
{
    const char *format;
    unsigned int bits;

    if (xform->type == RTE_CRYPTO_SYM_XFORM_CIPHER) {
        format = ciphers[xform->cipher.algo];
        bits = xform->cipher.key.length * 8;
        if (xform->cipher.algo == RTE_CRYPTO_CIPHER_AES_XTS)
            bits /= 2;
        else if (xform->cipher.algo == RTE_CRYPTO_CIPHER_AES_CTR && xform->cipher.iv.length == 12)
            format = "aes-%u-ctr32";
        else if (is_triple_des(xform->cipher.algo) && xform->cipher.key.length == DES_KEY)
            format++; /* Without the digit it is the name of DES. */
    } else if (xform->type == RTE_CRYPTO_SYM_XFORM_AUTH) {
        format = auths[xform->auth.algo];
        bits = xform->auth.key.length * 8;
    } else {
        format = aeads[xform->aead.algo];
        bits = xform->aead.key.length * 8;
    }
    snprintf(name, NAME_LEN, format, bits);
}

static bool is_plain_hash(enum rte_crypto_auth_algorithm algo)
{
    switch (algo) {
    case RTE_CRYPTO_AUTH_MD5:
    case RTE_CRYPTO_AUTH_SHA1:
    case RTE_CRYPTO_AUTH_SHA224:
    case RTE_CRYPTO_AUTH_SHA256:
    case RTE_CRYPTO_AUTH_SHA384:
    case RTE_CRYPTO_AUTH_SHA512:
    case RTE_CRYPTO_AUTH_SM3:
    case RTE_CRYPTO_AUTH_SHA3_224:
    case RTE_CRYPTO_AUTH_SHA3_256:
    case RTE_CRYPTO_AUTH_SHA3_384:
    case RTE_CRYPTO_AUTH_SHA3_512:
        return true;
    default:
        return false;
    }
}

/* Opens a session of the library; a failure of its own is said in the log. */
static int open_transform(const bl_transform *transform, bl_session **session)
{
    bl_status status = bl_session_open(transform, session);

    if (status == BL_OK)
        return 0;
    LOG(ERR, "%s: %s\n", transform->algorithm, bl_last_error());
    return status == BL_E_TRANSFORM || status == BL_E_ARGUMENT ? -EINVAL : -ENOTSUP;
}

static void set_cipher(bl_transform *transform, const struct rte_crypto_cipher_xform *cipher)
{
    transform->key = cipher->key.data;
    transform->key_len = cipher->key.length;
    if (is_triple_des(cipher->algo) && cipher->key.length != DES_KEY)
        transform->flags = BL_ALLOW_WEAK_KEYS;
}

static int open_cipher(const struct rte_crypto_sym_xform *xform, bl_session **session)
{
    char name[NAME_LEN];
    bool encrypts = xform->cipher.op == RTE_CRYPTO_CIPHER_OP_ENCRYPT;
    bl_transform transform = {
        .size = sizeof(transform),
        .algorithm = name,
        .direction = encrypts ? "encrypt" : "decrypt",
    };

    name_of(name, xform);
    set_cipher(&transform, &xform->cipher);
    return open_transform(&transform, session);
}

static int open_auth(const struct rte_crypto_sym_xform *xform, bl_session **session)
{
    char name[NAME_LEN];
    bool generates = xform->auth.op == RTE_CRYPTO_AUTH_OP_GENERATE;
    bl_transform transform = {
        .size = sizeof(transform),
        .algorithm = name,
        .direction = generates ? "generate" : "verify",
        .key = xform->auth.key.data,
        .key_len = xform->auth.key.length,
        .tag_len = xform->auth.digest_length,
    };

    name_of(name, xform);
    if (is_plain_hash(xform->auth.algo)) {
        transform.direction = "digest";
        transform.tag_len = 0;
    }
    return open_transform(&transform, session);
}

static int open_aead(const struct rte_crypto_sym_xform *xform, struct session *session)
{
    char name[NAME_LEN];
    const struct rte_crypto_aead_xform *aead = &xform->aead;
    bl_transform transform = {
        .size = sizeof(transform),
        .algorithm = name,
        .direction = aead->op == RTE_CRYPTO_AEAD_OP_ENCRYPT ? "seal" : "open",
        .key = aead->key.data,
        .key_len = aead->key.length,
        .tag_len = aead->digest_length,
    };

    name_of(name, xform);
    session->kind = SESSION_AEAD;
    session->verifies = aead->op == RTE_CRYPTO_AEAD_OP_DECRYPT;
    session->cipher_iv = (struct iv){ aead->iv.offset, aead->iv.length };
    session->digest_len = aead->digest_length;
    session->aad_len = aead->aad_length;
    if (aead->algo == RTE_CRYPTO_AEAD_AES_CCM) {
        /* The application leaves the first byte to drivers that write the first block. */
        session->cipher_iv.offset += 1;
        session->aad_skip = CCM_AAD;
    }
    return open_transform(&transform, &session->first);
}

static void note_cipher(struct session *session, const struct rte_crypto_cipher_xform *cipher)
{
    session->cipher_iv = (struct iv){ cipher->iv.offset, cipher->iv.length };
    session->cipher_in_bits = cipher->algo == RTE_CRYPTO_CIPHER_KASUMI_F8;
}

static void note_auth(struct session *session, const struct rte_crypto_auth_xform *auth)
{
    session->verifies = auth->op == RTE_CRYPTO_AUTH_OP_VERIFY;
    if (auth->algo == RTE_CRYPTO_AUTH_AES_GMAC)
        session->auth_iv = (struct iv){ auth->iv.offset, auth->iv.length };
    session->auth_in_bits = auth->algo == RTE_CRYPTO_AUTH_KASUMI_F9;
    session->digest_len = auth->digest_length;
    session->own_digest = is_plain_hash(auth->algo);
}

/* Whether the library does a cipher and a MAC as one. */
static bool is_chain(const struct rte_crypto_cipher_xform *cipher,
                     const struct rte_crypto_auth_xform *auth)
{
    bool makes =
        cipher->op == RTE_CRYPTO_CIPHER_OP_ENCRYPT && auth->op == RTE_CRYPTO_AUTH_OP_GENERATE;
    bool checks =
        cipher->op == RTE_CRYPTO_CIPHER_OP_DECRYPT && auth->op == RTE_CRYPTO_AUTH_OP_VERIFY;

    return (makes || checks) && cipher->algo != RTE_CRYPTO_CIPHER_KASUMI_F8 &&
           auth->algo != RTE_CRYPTO_AUTH_KASUMI_F9 && auth->algo != RTE_CRYPTO_AUTH_AES_GMAC &&
           !is_plain_hash(auth->algo);
}

static int open_chain(const struct rte_crypto_sym_xform *cipher,
                      const struct rte_crypto_sym_xform *auth, struct session *session)
{
    char cipher_name[NAME_LEN], auth_name[NAME_LEN], name[2 * NAME_LEN];
    bool encrypts = cipher->cipher.op == RTE_CRYPTO_CIPHER_OP_ENCRYPT;
    /* The library names a chain by how it encrypts; decrypting, the other half comes first. */
    bool mac_then_cipher = session->auth_first == encrypts;
    bl_transform transform = {
        .size = sizeof(transform),
        .algorithm = name,
        .direction = encrypts ? "encrypt" : "decrypt",
        .mac_key = auth->auth.key.data,
        .mac_key_len = auth->auth.key.length,
        .tag_len = auth->auth.digest_length,
    };

    name_of(cipher_name, cipher);
    name_of(auth_name, auth);
    snprintf(name, sizeof(name), "%s+%s", mac_then_cipher ? auth_name : cipher_name,
             mac_then_cipher ? cipher_name : auth_name);
    set_cipher(&transform, &cipher->cipher);
    session->kind = SESSION_CHAIN;
    session->covers_tag = mac_then_cipher;
    return open_transform(&transform, &session->first);
}

static int open_two(const struct rte_crypto_sym_xform *cipher,
                    const struct rte_crypto_sym_xform *auth, struct session *session)
{
    int failed;

    note_cipher(session, &cipher->cipher);
    note_auth(session, &auth->auth);
    if (is_chain(&cipher->cipher, &auth->auth))
        return open_chain(cipher, auth, session);
    session->kind = SESSION_STEPS;
    failed = open_cipher(cipher, session->auth_first ? &session->second : &session->first);
    if (!failed)
        failed = open_auth(auth, session->auth_first ? &session->first : &session->second);
    return failed;
}

static int open_any(const struct rte_crypto_sym_xform *xform, struct session *session)
{
    const struct rte_crypto_sym_xform *next = xform->next;

    if (xform->type == RTE_CRYPTO_SYM_XFORM_AEAD)
        return open_aead(xform, session);
    if (xform->type == RTE_CRYPTO_SYM_XFORM_CIPHER) {
        if (next)
            return open_two(xform, next, session);
        session->kind = SESSION_CIPHER;
        note_cipher(session, &xform->cipher);
        return open_cipher(xform, &session->first);
    }
    session->auth_first = true;
    if (next)
        return open_two(next, xform, session);
    session->kind = SESSION_AUTH;
    note_auth(session, &xform->auth);
    return open_auth(xform, &session->first);
}

int broadloom_session_open(const struct rte_crypto_sym_xform *xform, struct session *session)
{
    const struct rte_crypto_sym_xform *next = xform->next;
    int failed;

    memset(session, 0, sizeof(*session));
    if (!broadloom_capability(broadloom_capabilities, xform) ||
        (next && !broadloom_capability(broadloom_capabilities, next)))
        return -ENOTSUP;
    if (next &&
        (next->next || xform->type == next->type || xform->type == RTE_CRYPTO_SYM_XFORM_AEAD ||
         next->type == RTE_CRYPTO_SYM_XFORM_AEAD))
        return -ENOTSUP;
    failed = open_any(xform, session);
    if (failed)
        broadloom_session_close(session);
    return failed;
}

void broadloom_session_close(struct session *session)
{
    bl_session_close(session->first);
    bl_session_close(session->second);
    memset(session, 0, sizeof(*session));
}
