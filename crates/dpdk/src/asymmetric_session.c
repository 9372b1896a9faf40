/* Sessions of public-key operations, and those of keys that ops bring along. */
#include <errno.h>
#include <string.h>

#include "asymmetric.h"

/* Room for every key that the library writes. */
#define MAX_KEY 4096

static bl_number number_of(const rte_crypto_param *param)
{
    return (bl_number){ param->data, param->data ? param->length : 0 };
}

static int open_key(const char *direction, const char *padding, int prehashed, const uint8_t *key,
                    size_t len, bl_session **session)
{
    bl_scheme scheme = { .size = sizeof(scheme), .padding = padding, .prehashed = prehashed };
    bl_transform transform = {
        .size = sizeof(transform),
        .direction = direction,
        .key = key,
        .key_len = len,
        .scheme = &scheme,
    };

    return bl_session_open(&transform, session) == BL_OK ? 0 : -EINVAL;
}

/* The key of numbers, in `key`; returns its length, or 0. */
static size_t write_key(const bl_key_parts *parts, uint8_t key[MAX_KEY])
{
    size_t len;

    return bl_key_from_parts(parts, key, MAX_KEY, &len) == BL_OK ? len : 0;
}

/* Both sessions of an RSA key in one direction: its bare power, and with padding. */
static int open_both(const bl_key_parts *parts, const char *direction, bl_session **raise,
                     bl_session **padded)
{
    uint8_t key[MAX_KEY];
    size_t len = write_key(parts, key);
    int failed = len == 0 ? -EINVAL : 0;

    if (!failed)
        failed = open_key(direction, "none", 0, key, len, raise);
    if (!failed)
        failed = open_key(direction, "pkcs1", 0, key, len, padded);
    explicit_bzero(key, sizeof(key));
    return failed;
}

static bool has_padding(const struct rte_crypto_rsa_xform *rsa, struct asymmetric_session *session)
{
#if OPS_HAVE_KEYS
    RTE_SET_USED(rsa);
    RTE_SET_USED(session);
    return true;
#else
    session->padding = rsa->padding;
    return rsa->padding.type == RTE_CRYPTO_RSA_PADDING_PKCS1_5 ||
           rsa->padding.type == RTE_CRYPTO_RSA_PADDING_NONE;
#endif
}

static int open_rsa(const struct rte_crypto_rsa_xform *rsa, struct asymmetric_session *session)
{
    bl_key_parts parts = {
        .size = sizeof(parts),
        .kind = "rsa",
        .n = number_of(&rsa->n),
        .e = number_of(&rsa->e),
    };
    bool is_private;
    int failed = open_both(&parts, "encrypt", &session->raise_public, &session->encrypt);

    if (failed)
        return failed;
    session->modulus_len = bl_session_bound(session->raise_public, 0);
    if (rsa->key_type == RTE_RSA_KEY_TYPE_EXP) {
        parts.d = number_of(&rsa->d);
        is_private = parts.d.len > 0;
    } else {
        parts.p = number_of(&rsa->qt.p);
        parts.q = number_of(&rsa->qt.q);
        parts.dp = number_of(&rsa->qt.dP);
        parts.dq = number_of(&rsa->qt.dQ);
        parts.qinv = number_of(&rsa->qt.qInv);
        is_private = parts.p.len > 0 || parts.q.len > 0;
    }
    if (!is_private)
        return 0;
    return open_both(&parts, "decrypt", &session->raise_private, &session->decrypt);
}

static bl_session *open_curve(bool verifies, const uint8_t numbers[2 * P256_LEN])
{
    bl_key_parts parts = { .size = sizeof(parts), .kind = "p256" };
    bl_session *session = NULL;
    uint8_t key[MAX_KEY];
    size_t len;

    if (verifies) {
        parts.x = (bl_number){ numbers, P256_LEN };
        parts.y = (bl_number){ numbers + P256_LEN, P256_LEN };
    } else {
        parts.d = (bl_number){ numbers, P256_LEN };
    }
    len = write_key(&parts, key);
    if (len > 0)
        open_key(verifies ? "verify" : "sign", NULL, 1, key, len, &session);
    explicit_bzero(key, len);
    return session;
}

#if OPS_HAVE_KEYS
static int open_ecdsa(const struct rte_crypto_ec_xform *ec, struct asymmetric_session *session)
{
    RTE_SET_USED(session);
    return ec->curve_id == RTE_CRYPTO_EC_GROUP_SECP256R1 ? 0 : -ENOTSUP;
}
#else
/* The session of the key of a transform; null where it is no key. */
static bl_session *open_key_of(const struct rte_crypto_ec_xform *ec, bool verifies)
{
    bl_session *session = NULL;
    uint8_t key[2 * P256_LEN];

    if (broadloom_put_key(key, verifies, &ec->pkey, &ec->q) == FILLED)
        session = open_curve(verifies, key);
    explicit_bzero(key, sizeof(key));
    return session;
}

/* A transform has a private key, a public one, or both. */
static int open_ecdsa(const struct rte_crypto_ec_xform *ec, struct asymmetric_session *session)
{
    bool signs = ec->pkey.data && ec->pkey.length > 0;
    bool verifies = ec->q.x.data && ec->q.x.length > 0;

    if (ec->curve_id != RTE_CRYPTO_EC_GROUP_SECP256R1)
        return -ENOTSUP;
    if (signs)
        session->sign = open_key_of(ec, false);
    if (verifies)
        session->verify = open_key_of(ec, true);
    return (signs || verifies) && !session->sign == !signs && !session->verify == !verifies
               ? 0
               : -EINVAL;
}
#endif

int broadloom_asymmetric_open(const struct rte_crypto_asym_xform *xform,
                              struct asymmetric_session *session)
{
    int failed;

    memset(session, 0, sizeof(*session));
    session->type = xform->xform_type;
    if (xform->next)
        return -ENOTSUP;
    if (xform->xform_type == RTE_CRYPTO_ASYM_XFORM_ECDSA) {
        failed = open_ecdsa(&xform->ec, session);
        if (failed)
            broadloom_asymmetric_close(session);
        return failed;
    }
    if (xform->xform_type != RTE_CRYPTO_ASYM_XFORM_RSA || !has_padding(&xform->rsa, session) ||
        (xform->rsa.key_type != RTE_RSA_KEY_TYPE_EXP && xform->rsa.key_type != RTE_RSA_KEY_TYPE_QT))
        return -ENOTSUP;
    failed = open_rsa(&xform->rsa, session);
    if (failed) {
        LOG(ERR, "RSA: %s\n", bl_last_error());
        broadloom_asymmetric_close(session);
    }
    return failed;
}

void broadloom_asymmetric_close(struct asymmetric_session *session)
{
    bl_session_close(session->raise_private);
    bl_session_close(session->raise_public);
    bl_session_close(session->decrypt);
    bl_session_close(session->encrypt);
#if !OPS_HAVE_KEYS
    bl_session_close(session->sign);
    bl_session_close(session->verify);
#endif
    memset(session, 0, sizeof(*session));
}

#if OPS_HAVE_KEYS
/*
 * The session of a key: a private one with zeros behind it, or both coordinates. Null where it is
 * no key. The job at `at` uses it. The queue pair remembers the key instead of one that no job
 * needs, the first that it remembered.
 */
bl_session *broadloom_curve_session(struct asymmetric *asymmetric, uint32_t at, bool verifies,
                                    const uint8_t key[2 * P256_LEN])
{
    struct curve_key *oldest;
    bl_session *session;

    for (uint32_t known = 0; known < KEYS; known++) {
        struct curve_key *candidate = &asymmetric->keys[known];

        if (candidate->session && candidate->verifies == verifies &&
            equal_in_constant_time(candidate->bytes, key, sizeof(candidate->bytes))) {
            candidate->in_use = true;
            return candidate->session;
        }
    }
    session = open_curve(verifies, key);
    if (!session)
        return NULL;
    oldest = &asymmetric->keys[asymmetric->next_key];
    if (oldest->in_use) {
        asymmetric->own_keys[at] = session;
        return session;
    }
    bl_session_close(oldest->session);
    *oldest = (struct curve_key){ session, verifies, true, { 0 } };
    memcpy(oldest->bytes, key, sizeof(oldest->bytes));
    asymmetric->next_key = (asymmetric->next_key + 1) % KEYS;
    return session;
}
#endif
