/*
 * Judges the asymmetric operations of the driver, as an application of cryptodev beside libcrypto:
 * by DPDK's own vectors, and by what the one side makes and the other takes. crates/dpdk/check
 * compiles it with the folder of DPDK's tests in the path of includes.
 *
 *   asymmetric EAL-OPTION... --vdev crypto_broadloom0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <rte_cryptodev.h>
#include <rte_eal.h>

#define DATA_SIZE 512
#include "test_cryptodev_ecdsa_test_vectors.h"
#include "test_cryptodev_rsa_test_vectors.h"

/* Ops of one burst: more than the driver takes at once, with more keys than it remembers. */
#define BURST 200
#define CURVE_KEYS 20

static struct rte_mempool *ops, *sessions;
static uint8_t device;
static unsigned int executed, failed;

static void judge(bool is_right, const char *what)
{
    executed++;
    if (!is_right) {
        failed++;
        printf("failed: %s\n", what);
    }
}

static void need(bool is_there, const char *what)
{
    if (!is_there) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static rte_crypto_param bytes(void *data, size_t length)
{
    return (rte_crypto_param){ .data = data, .length = length };
}

static struct rte_crypto_op *new_op(void)
{
    struct rte_crypto_op *op = rte_crypto_op_alloc(ops, RTE_CRYPTO_OP_TYPE_ASYMMETRIC);

    need(op, "there is no op left");
    memset(op->asym, 0, sizeof(*op->asym));
    return op;
}

static void *open_session(struct rte_crypto_asym_xform *xform)
{
    void *session = NULL;

    need(rte_cryptodev_asym_session_create(device, xform, sessions, &session) == 0,
         "there is no session");
    return session;
}

/* Runs one op in a session; returns its status. */
static enum rte_crypto_op_status run(struct rte_crypto_op *op, void *session)
{
    struct rte_crypto_op *back = NULL;

    if (session)
        rte_crypto_op_attach_asym_session(op, session);
    need(rte_cryptodev_enqueue_burst(device, 0, &op, 1) == 1, "the op is not taken");
    need(rte_cryptodev_dequeue_burst(device, 0, &back, 1) == 1 && back == op,
         "the op does not come back");
    return op->status;
}

static EVP_PKEY *key_of(const char *kind, OSSL_PARAM_BLD *builder, int selection)
{
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    EVP_PKEY *key = NULL;

    need(EVP_PKEY_fromdata_init(context) == 1 &&
             EVP_PKEY_fromdata(context, &key, selection, parameters) == 1,
         "libcrypto takes no key");
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/* DPDK's RSA key for libcrypto. */
static EVP_PKEY *rsa_of_dpdk(void)
{
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *n = BN_bin2bn(rsa_n, sizeof(rsa_n), NULL), *e = BN_bin2bn(rsa_e, sizeof(rsa_e), NULL),
           *d = BN_bin2bn(rsa_d, sizeof(rsa_d), NULL);
    EVP_PKEY *key;

    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n);
    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e);
    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_D, d);
    key = key_of("RSA", builder, EVP_PKEY_KEYPAIR);
    BN_free(n);
    BN_free(e);
    BN_free(d);
    return key;
}

/* A context of libcrypto for one operation with RSA, with a padding and perhaps a hash. */
static EVP_PKEY_CTX *begin(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *), int padding,
                           const EVP_MD *hash)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);

    need(init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1 &&
             (!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1),
         "libcrypto begins no operation");
    return context;
}

/* Signatures by one session: with a digest and its hash, and with a message that is encoded. */
static void judge_signatures(void *session, EVP_PKEY *key)
{
    static const struct {
        enum rte_crypto_auth_algorithm name;
        const EVP_MD *(*md)(void);
    } hashes[] = {
        { RTE_CRYPTO_AUTH_NULL, NULL },           { RTE_CRYPTO_AUTH_MD5, EVP_md5 },
        { RTE_CRYPTO_AUTH_SHA1, EVP_sha1 },       { RTE_CRYPTO_AUTH_SHA224, EVP_sha224 },
        { RTE_CRYPTO_AUTH_SHA256, EVP_sha256 },   { RTE_CRYPTO_AUTH_SHA384, EVP_sha384 },
        { RTE_CRYPTO_AUTH_SHA512, EVP_sha512 },
    };

    for (size_t at = 0; at < RTE_DIM(hashes); at++) {
        const EVP_MD *md = hashes[at].md ? hashes[at].md() : NULL;
        size_t digest_len = md ? (size_t)EVP_MD_get_size(md) : rsaplaintext.len;
        uint8_t digest[64], signature[256], theirs[256];
        struct rte_crypto_op *op = new_op();
        struct rte_crypto_rsa_op_param *rsa = &op->asym->rsa;
        EVP_PKEY_CTX *context;
        size_t len = sizeof(theirs);

        memset(digest, (int)at + 1, sizeof(digest));
        rsa->op_type = RTE_CRYPTO_ASYM_OP_SIGN;
        rsa->padding.type = RTE_CRYPTO_RSA_PADDING_PKCS1_5;
        rsa->padding.hash = hashes[at].name;
        rsa->message = bytes(digest, digest_len);
        rsa->sign = bytes(signature, 0);
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS && rsa->sign.length == sizeof(rsa_n),
              "a signature by PKCS #1 v1.5");
        context = begin(key, EVP_PKEY_sign_init, RSA_PKCS1_PADDING, md);
        need(EVP_PKEY_sign(context, theirs, &len, digest, digest_len) == 1, "no signature");
        judge(len == rsa->sign.length && memcmp(theirs, signature, len) == 0,
              "the signature is that of libcrypto");
        EVP_PKEY_CTX_free(context);

        rsa->op_type = RTE_CRYPTO_ASYM_OP_VERIFY;
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS, "a right signature");
        digest[0] ^= 1;
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_AUTH_FAILED, "another message");
        digest[0] ^= 1;
        signature[70] ^= 1;
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_AUTH_FAILED, "a changed signature");
        rsa->sign.length--;
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_AUTH_FAILED, "a signature cut short");
        rsa->op_type = RTE_CRYPTO_ASYM_OP_SIGN;
        rsa->message.length = md ? digest_len - 1 : sizeof(rsa_n) - 10;
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "a message of a wrong length");
        rte_crypto_op_free(op);
    }
}

/* Encryption by one session, in both directions and with both paddings. */
static void judge_encryption(void *session, EVP_PKEY *key)
{
    const enum rte_crypto_rsa_padding_type paddings[] = { RTE_CRYPTO_RSA_PADDING_PKCS1_5,
                                                          RTE_CRYPTO_RSA_PADDING_NONE };
    const int theirs[] = { RSA_PKCS1_PADDING, RSA_NO_PADDING };

    for (size_t at = 0; at < RTE_DIM(paddings); at++) {
        uint8_t text[sizeof(rsa_n)] = { 0 }, cipher[256], again[256];
        size_t len = at == 0 ? rsaplaintext.len : sizeof(text), back = sizeof(again);
        struct rte_crypto_op *op = new_op();
        struct rte_crypto_rsa_op_param *rsa = &op->asym->rsa;
        EVP_PKEY_CTX *context;

        memcpy(text + (at == 0 ? 0 : sizeof(text) - rsaplaintext.len), rsaplaintext.data,
               rsaplaintext.len);
        rsa->padding.type = paddings[at];
        rsa->op_type = RTE_CRYPTO_ASYM_OP_ENCRYPT;
        rsa->message = bytes(text, len);
        rsa->cipher = bytes(cipher, 0);
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
                  rsa->cipher.length == sizeof(rsa_n),
              "an encryption");
        context = begin(key, EVP_PKEY_decrypt_init, theirs[at], NULL);
        judge(EVP_PKEY_decrypt(context, again, &back, cipher, rsa->cipher.length) == 1 &&
                  back == len && memcmp(again, text, len) == 0,
              "libcrypto decrypts it");
        EVP_PKEY_CTX_free(context);

        context = begin(key, EVP_PKEY_encrypt_init, theirs[at], NULL);
        back = sizeof(cipher);
        need(EVP_PKEY_encrypt(context, cipher, &back, text, len) == 1, "no ciphertext");
        EVP_PKEY_CTX_free(context);
        memset(again, 0, sizeof(again));
        rsa->op_type = RTE_CRYPTO_ASYM_OP_DECRYPT;
        rsa->cipher.length = back;
        rsa->message = bytes(again, 0);
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS && rsa->message.length == len &&
                  memcmp(again, text, len) == 0,
              "a decryption of what libcrypto encrypted");
        rsa->cipher.length--;
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "a ciphertext cut short");
        rte_crypto_op_free(op);
    }
}

/* The bare operation as a signature: what comes out of its check is the message. */
static void judge_bare_signature(void *session)
{
    uint8_t text[sizeof(rsa_n)] = { 0, 5 }, signature[256], again[256];
    struct rte_crypto_op *op = new_op();
    struct rte_crypto_rsa_op_param *rsa = &op->asym->rsa;

    rsa->op_type = RTE_CRYPTO_ASYM_OP_SIGN;
    rsa->padding.type = RTE_CRYPTO_RSA_PADDING_NONE;
    rsa->message = bytes(text, sizeof(text));
    rsa->sign = bytes(signature, 0);
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS, "a bare signature");
    rsa->op_type = RTE_CRYPTO_ASYM_OP_VERIFY;
    rsa->cipher = bytes(again, 0);
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS && rsa->cipher.length == sizeof(text) &&
              memcmp(again, text, sizeof(text)) == 0,
          "a bare signature gives its message back");
    memset(signature, 0xff, sizeof(signature));
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "a number above the modulus");
    rsa->padding.type = RTE_CRYPTO_RSA_PADDING_OAEP;
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "a padding that there is not");
    rte_crypto_op_free(op);
}

static void judge_rsa(void)
{
    struct rte_crypto_asym_xform public = rsa_xform, wrong = rsa_xform_crt;
    EVP_PKEY *key = rsa_of_dpdk();
    void *by_exponent = open_session(&rsa_xform), *by_quintuple = open_session(&rsa_xform_crt);
    struct rte_crypto_op *op = new_op();
    void *session, *none = NULL;
    uint8_t signature[256];

    for (int at = 0; at < 2; at++) {
        session = at == 0 ? by_exponent : by_quintuple;
        judge_signatures(session, key);
        judge_encryption(session, key);
        judge_bare_signature(session);
        rte_cryptodev_asym_session_free(device, session);
    }
    public.rsa.d = bytes(NULL, 0);
    session = open_session(&public);
    op->asym->rsa.op_type = RTE_CRYPTO_ASYM_OP_SIGN;
    op->asym->rsa.padding.type = RTE_CRYPTO_RSA_PADDING_PKCS1_5;
    op->asym->rsa.message = bytes(rsaplaintext.data, rsaplaintext.len);
    op->asym->rsa.sign = bytes(signature, 0);
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "a signature without its key");
    rte_cryptodev_asym_session_free(device, session);

    op->sess_type = RTE_CRYPTO_OP_SESSIONLESS;
    op->asym->xform = &rsa_xform_crt;
    judge(run(op, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS, "an op that brings its transform along");
    op->asym->rsa.op_type = RTE_CRYPTO_ASYM_OP_VERIFY;
    op->asym->xform = &public;
    judge(run(op, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS, "another, with the public key");
    op->asym->xform = NULL;
    judge(run(op, NULL) == RTE_CRYPTO_OP_STATUS_INVALID_SESSION, "an op without a transform");
    rte_crypto_op_free(op);

    wrong.rsa.qt.dP = wrong.rsa.qt.dQ;
    judge(rte_cryptodev_asym_session_create(device, &wrong, sessions, &none) < 0,
          "numbers that do not belong together");
    EVP_PKEY_free(key);
}

static EVP_PKEY *curve_of_dpdk(void)
{
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    uint8_t point[65] = { 4 };

    memcpy(point + 1, ecdsa_param_secp256r1.pubkey_qx.data, 32);
    memcpy(point + 33, ecdsa_param_secp256r1.pubkey_qy.data, 32);
    OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
    OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof(point));
    return key_of("EC", builder, EVP_PKEY_PUBLIC_KEY);
}

/* Whether libcrypto takes a signature of two numbers. */
static bool libcrypto_verifies(EVP_PKEY *key, const struct rte_crypto_ecdsa_op_param *ecdsa)
{
    ECDSA_SIG *signature = ECDSA_SIG_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    uint8_t *der = NULL;
    int len;
    bool is_right;

    ECDSA_SIG_set0(signature, BN_bin2bn(ecdsa->r.data, ecdsa->r.length, NULL),
                   BN_bin2bn(ecdsa->s.data, ecdsa->s.length, NULL));
    len = i2d_ECDSA_SIG(signature, &der);
    is_right = EVP_PKEY_verify_init(context) == 1 &&
               EVP_PKEY_verify(context, der, len, ecdsa->message.data, ecdsa->message.length) == 1;
    OPENSSL_free(der);
    ECDSA_SIG_free(signature);
    EVP_PKEY_CTX_free(context);
    return is_right;
}

static void judge_curve(void *session)
{
    struct crypto_testsuite_ecdsa_params *vector = &ecdsa_param_secp256r1;
    uint8_t r[32], s[32], digest[64];
    struct rte_crypto_op *op = new_op();
    struct rte_crypto_ecdsa_op_param *ecdsa = &op->asym->ecdsa;
    EVP_PKEY *key = curve_of_dpdk();

    ecdsa->op_type = RTE_CRYPTO_ASYM_OP_VERIFY;
    ecdsa->message = bytes(vector->digest.data, vector->digest.length);
    ecdsa->q.x = bytes(vector->pubkey_qx.data, vector->pubkey_qx.length);
    ecdsa->q.y = bytes(vector->pubkey_qy.data, vector->pubkey_qy.length);
    ecdsa->r = bytes(vector->sign_r.data, vector->sign_r.length);
    ecdsa->s = bytes(vector->sign_s.data, vector->sign_s.length);
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS, "DPDK's signature on P-256");
    ecdsa->message.length = 31;
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_AUTH_FAILED, "DPDK's signature, less a byte");
    ecdsa->message.length = 32;
    ecdsa->q.y = ecdsa->q.x;
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "a point off the curve");

    ecdsa->r = bytes(r, 0);
    ecdsa->s = bytes(s, 0);
    ecdsa->pkey = bytes(vector->pkey.data, vector->pkey.length);
    for (size_t len = 1; len <= sizeof(digest); len++) {
        memset(digest, (int)len, sizeof(digest));
        ecdsa->op_type = RTE_CRYPTO_ASYM_OP_SIGN;
        ecdsa->message = bytes(digest, len);
        judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS && libcrypto_verifies(key, ecdsa),
              "a signature on P-256");
    }
    ecdsa->q.y = bytes(vector->pubkey_qy.data, vector->pubkey_qy.length);
    ecdsa->op_type = RTE_CRYPTO_ASYM_OP_VERIFY;
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_SUCCESS, "the last signature");
    s[31] ^= 1;
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_AUTH_FAILED, "a changed signature on P-256");
    ecdsa->op_type = RTE_CRYPTO_ASYM_OP_SIGN;
    ecdsa->k = bytes(vector->scalar.data, vector->scalar.length);
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "a secret number of the caller");
    ecdsa->k = bytes(NULL, 0);
    memset(digest, 0xff, sizeof(digest));
    ecdsa->pkey = bytes(digest, 32);
    judge(run(op, session) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "a private key above the order");
    rte_crypto_op_free(op);
    EVP_PKEY_free(key);
}

/* A burst with many keys, RSA between them; a wrong signature at every seventh place. */
static void judge_burst(void *curve)
{
    static uint8_t r[BURST][32], s[BURST][32], signatures[BURST][256], digests[BURST][32];
    static uint8_t points[CURVE_KEYS][65], scalars[CURVE_KEYS][32];
    struct rte_crypto_op *burst[BURST], *back[BURST];
    struct rte_cryptodev_stats before, after;
    void *rsa = open_session(&rsa_xform_crt);
    bool in_order = true, right = true;
    unsigned int taken = 0, given = 0, wrong = 0;
    size_t len;

    for (int at = 0; at < CURVE_KEYS; at++) {
        EVP_PKEY *key = EVP_EC_gen("P-256");
        BIGNUM *scalar = NULL;

        need(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, points[at], 65, &len) &&
                 EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &scalar) &&
                 BN_bn2binpad(scalar, scalars[at], 32) == 32,
             "libcrypto makes no key");
        BN_free(scalar);
        EVP_PKEY_free(key);
    }
    for (int at = 0; at < BURST; at++) {
        burst[at] = new_op();
        memset(digests[at], at, 32);
        if (at % 3 == 0) {
            struct rte_crypto_rsa_op_param *op = &burst[at]->asym->rsa;

            op->op_type = RTE_CRYPTO_ASYM_OP_SIGN;
            op->padding.type = RTE_CRYPTO_RSA_PADDING_PKCS1_5;
            op->padding.hash = RTE_CRYPTO_AUTH_SHA256;
            op->message = bytes(digests[at], 32);
            op->sign = bytes(signatures[at], 0);
        } else {
            struct rte_crypto_ecdsa_op_param *op = &burst[at]->asym->ecdsa;
            uint8_t *point = points[at % CURVE_KEYS];

            op->op_type = RTE_CRYPTO_ASYM_OP_SIGN;
            op->message = bytes(digests[at], 32);
            op->pkey = bytes(scalars[at % CURVE_KEYS], 32);
            op->q.x = bytes(point + 1, 32);
            op->q.y = bytes(point + 33, 32);
            op->r = bytes(r[at], 0);
            op->s = bytes(s[at], 0);
        }
        rte_crypto_op_attach_asym_session(burst[at], at % 3 == 0 ? rsa : curve);
    }
    rte_cryptodev_stats_get(device, &before);
    for (int turn = 0; turn < 2; turn++) {
        for (taken = given = 0; given < BURST;) {
            taken += rte_cryptodev_enqueue_burst(device, 0, burst + taken, BURST - taken);
            given += rte_cryptodev_dequeue_burst(device, 0, back + given, BURST - given);
        }
        for (int at = 0; at < BURST; at++) {
            bool is_wrong = turn == 1 && at % 7 == 0;

            in_order &= back[at] == burst[at];
            right &= back[at]->status == (is_wrong ? RTE_CRYPTO_OP_STATUS_AUTH_FAILED
                                                   : RTE_CRYPTO_OP_STATUS_SUCCESS);
            burst[at]->asym->rsa.op_type = RTE_CRYPTO_ASYM_OP_VERIFY;
            if (turn == 0 && at % 7 == 0) {
                digests[at][0] ^= 0x80;
                wrong++;
            }
        }
        judge(in_order, "a burst comes back in order");
        judge(right, turn == 0 ? "every op of a burst signs" : "every wrong signature is found");
    }
    rte_cryptodev_stats_get(device, &after);
    judge(after.enqueued_count - before.enqueued_count == 2 * BURST &&
              after.dequeued_count - before.dequeued_count == 2 * BURST &&
              after.dequeue_err_count - before.dequeue_err_count == wrong,
          "statistics count every op and every failure");
    for (int at = 0; at < BURST; at++)
        rte_crypto_op_free(burst[at]);
    rte_cryptodev_asym_session_free(device, rsa);
}

int main(int count, char **arguments)
{
    struct rte_cryptodev_config config = { .nb_queue_pairs = 1 };
    struct rte_cryptodev_qp_conf queue_pair = { .nb_descriptors = 256 };
    struct rte_crypto_asym_xform xform = { .xform_type = RTE_CRYPTO_ASYM_XFORM_ECDSA };
    struct rte_cryptodev_asym_capability_idx rsa = { RTE_CRYPTO_ASYM_XFORM_RSA };
    const struct rte_cryptodev_asymmetric_xform_capability *can;
    struct rte_cryptodev_info info;
    void *session, *none = NULL;

    need(rte_eal_init(count, arguments) >= 0, "EAL does not start");
    need(rte_cryptodev_count() == 1, "there is not one device");
    rte_cryptodev_info_get(device, &info);
    judge((info.feature_flags & RTE_CRYPTODEV_FF_ASYMMETRIC_CRYPTO) != 0, "asymmetric operations");
    can = rte_cryptodev_asym_capability_get(device, &rsa);
    judge(can && rte_cryptodev_asym_xform_capability_check_modlen(can, 384) == 0 &&
              rte_cryptodev_asym_xform_capability_check_modlen(can, 200) != 0,
          "lengths of moduli");
    ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_ASYMMETRIC, 511, 0, 0, SOCKET_ID_ANY);
    sessions = rte_cryptodev_asym_session_pool_create("sessions", 31, 0, 0, SOCKET_ID_ANY);
    need(ops && sessions && rte_cryptodev_configure(device, &config) == 0 &&
             rte_cryptodev_queue_pair_setup(device, 0, &queue_pair, SOCKET_ID_ANY) == 0 &&
             rte_cryptodev_start(device) == 0,
         "the device does not start");
    judge_rsa();
    xform.ec.curve_id = RTE_CRYPTO_EC_GROUP_SECP384R1;
    judge(rte_cryptodev_asym_session_create(device, &xform, sessions, &none) == -ENOTSUP,
          "a curve that there is not");
    xform.ec.curve_id = RTE_CRYPTO_EC_GROUP_SECP256R1;
    session = open_session(&xform);
    judge_curve(session);
    judge_burst(session);
    rte_cryptodev_asym_session_free(device, session);
    rte_cryptodev_stop(device);
    printf("asymmetric: %u executed, %u failed\n", executed, failed);
    return failed == 0 ? 0 : 1;
}
