/* Public-key operations: what their parts share. */
#ifndef BROADLOOM_ASYMMETRIC_H
#define BROADLOOM_ASYMMETRIC_H

#include "job.h"

/* The longest modulus, in bytes. */
#define MAX_MODULUS 512

/* Bytes of a coordinate of P-256, of a private key, and of half a signature. */
#define P256_LEN 32

/* In DPDK 22.11, each op has its key of a curve, or its padding of RSA; later, transforms do. */
#define OPS_HAVE_KEYS (!DPDK_SINCE(24, 11))

/* Keys of curves that a queue pair remembers, where ops bring their keys along. */
#define KEYS 8

/* What an asymmetric session of cryptodev holds: any queue pair and any lcore may use it. */
struct asymmetric_session {
    enum rte_crypto_asym_xform_type type;
    /* Of one op, which brought its transform along: to be closed with it. */
    bool is_own;
    /* Of RSA. Those with the private key are null where the transform has none. */
    uint16_t modulus_len;
    bl_session *raise_private;
    bl_session *raise_public;
    bl_session *decrypt;
    bl_session *encrypt;
#if !OPS_HAVE_KEYS
    struct rte_crypto_rsa_padding padding;
    /* Of ECDSA. Null is that for which the transform has no key. */
    bl_session *sign;
    bl_session *verify;
#endif
};

#if OPS_HAVE_KEYS
/* A session with a key of P-256 that an op brought along. */
struct curve_key {
    bl_session *session;
    bool verifies;
    /* A job that waits needs the session. */
    bool in_use;
    /* A private key, or both coordinates. */
    uint8_t bytes[2 * P256_LEN];
};
#endif

/* What a queue pair needs for asymmetric ops. */
struct asymmetric {
    /* Asymmetric ops are among those that wait. */
    bool used;
#if OPS_HAVE_KEYS
    struct curve_key keys[KEYS];
    uint32_t next_key;
    /* Sessions of keys that are not remembered: to be closed with the op. */
    bl_session *own_keys[BATCH];
#endif
    /* Whose ops wait; null for others. */
    struct asymmetric_session *sessions[BATCH];
    /* Padded messages, digests and signatures. */
    uint8_t numbers[BATCH][MAX_MODULUS];
};

/* asymmetric_session.c */
int broadloom_asymmetric_open(const struct rte_crypto_asym_xform *xform,
                              struct asymmetric_session *session);
void broadloom_asymmetric_close(struct asymmetric_session *session);
#if OPS_HAVE_KEYS
bl_session *broadloom_curve_session(struct asymmetric *asymmetric, uint32_t at, bool verifies,
                                    const uint8_t key[2 * P256_LEN]);
#endif

/* asymmetric.c */
enum filled broadloom_put_key(uint8_t key[2 * P256_LEN], bool verifies,
                              const rte_crypto_param *secret,
                              const struct rte_crypto_ec_point *point);
struct asymmetric *broadloom_asymmetric_new(int socket);
void broadloom_asymmetric_free(struct asymmetric *asymmetric);
enum filled broadloom_fill_asymmetric(struct queue_pair *qp, uint32_t at, struct rte_crypto_op *op,
                                      struct asymmetric_session *session);
void broadloom_finish_asymmetric(struct queue_pair *qp, uint32_t at);
void broadloom_release_asymmetric(struct queue_pair *qp);

#endif
