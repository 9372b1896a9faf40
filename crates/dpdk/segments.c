/*
 * Judges what the driver does with packets in several segments, as an application of cryptodev that
 * chains segments itself and leaves `pkt_len` unset: results are those of the same bytes in one
 * segment. And with chains of two steps whose digest is wrong: nothing deciphered is left.
 *
 *   segments EAL-OPTION... --vdev crypto_broadloom0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cryptodev.h>
#include <rte_eal.h>
#include <rte_mbuf.h>

#define IV_OFFSET (sizeof(struct rte_crypto_op) + sizeof(struct rte_crypto_sym_op))
#define LENGTH 1000
/* Packets of one burst: each has more pieces than the one before. */
#define BURST 40

static struct rte_mempool *ops, *sessions, *packets;
static uint8_t device, key[64], text[LENGTH];
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

/* A packet of the text, in segments of so many bytes. */
static struct rte_mbuf *packet_of(uint16_t size)
{
    struct rte_mbuf *packet = NULL, **place = &packet;
    uint16_t count = 0;

    for (uint32_t at = 0; at < LENGTH; at += size) {
        struct rte_mbuf *segment = rte_pktmbuf_alloc(packets);
        uint16_t len = RTE_MIN(LENGTH - at, (uint32_t)size);

        need(segment, "there is no segment left");
        segment->data_len = len;
        segment->pkt_len = 0;
        memcpy(rte_pktmbuf_mtod(segment, uint8_t *), text + at, len);
        *place = segment;
        place = &segment->next;
        count++;
    }
    packet->nb_segs = count;
    return packet;
}

/* Copies a packet's bytes. */
static void copy(const struct rte_mbuf *segment, uint8_t *to)
{
    for (; segment; segment = segment->next) {
        memcpy(to, rte_pktmbuf_mtod(segment, const uint8_t *), segment->data_len);
        to += segment->data_len;
    }
}

static void *open_session(struct rte_crypto_sym_xform *xform)
{
    void *session = rte_cryptodev_sym_session_create(device, xform, sessions);

    need(session, "there is no session");
    return session;
}

/* An op over a whole packet, and where its digest goes or is. */
static struct rte_crypto_op *op_of(void *session, struct rte_mbuf *from, struct rte_mbuf *to,
                                   uint8_t *digest, uint32_t len)
{
    struct rte_crypto_op *op = rte_crypto_op_alloc(ops, RTE_CRYPTO_OP_TYPE_SYMMETRIC);

    need(op, "there is no op left");
    rte_crypto_op_attach_sym_session(op, session);
    memset(rte_crypto_op_ctod_offset(op, uint8_t *, IV_OFFSET), 7, 16);
    op->sym->m_src = from;
    op->sym->m_dst = to;
    op->sym->cipher.data.length = len;
    op->sym->auth.data.length = len;
    op->sym->auth.digest.data = digest;
    return op;
}

/* Runs a burst, and says whether all of its ops ended with a status. */
static bool run(struct rte_crypto_op **burst, uint16_t count, enum rte_crypto_op_status status)
{
    uint16_t taken = rte_cryptodev_enqueue_burst(device, 0, burst, count), given = 0;
    struct rte_crypto_op *back[BURST];
    bool is_right = taken == count;

    while (given < taken)
        given += rte_cryptodev_dequeue_burst(device, 0, back + given, taken - given);
    for (uint16_t at = 0; at < taken; at++)
        is_right = is_right && back[at]->status == status;
    for (uint16_t at = 0; at < count; at++)
        rte_crypto_op_free(burst[at]);
    return is_right;
}

static struct rte_crypto_sym_xform cbc(enum rte_crypto_cipher_operation direction)
{
    struct rte_crypto_sym_xform xform = { .type = RTE_CRYPTO_SYM_XFORM_CIPHER };

    xform.cipher.op = direction;
    xform.cipher.algo = RTE_CRYPTO_CIPHER_AES_CBC;
    xform.cipher.key.data = key;
    xform.cipher.key.length = 16;
    xform.cipher.iv.offset = IV_OFFSET;
    xform.cipher.iv.length = 16;
    return xform;
}

static struct rte_crypto_sym_xform digest_of(enum rte_crypto_auth_algorithm algorithm,
                                             enum rte_crypto_auth_operation direction, uint16_t len)
{
    struct rte_crypto_sym_xform xform = { .type = RTE_CRYPTO_SYM_XFORM_AUTH };
    bool is_keyed = algorithm == RTE_CRYPTO_AUTH_SHA1_HMAC;

    xform.auth.op = direction;
    xform.auth.algo = algorithm;
    xform.auth.key.data = is_keyed ? key : NULL;
    xform.auth.key.length = is_keyed ? sizeof(key) : 0;
    xform.auth.digest_length = len;
    return xform;
}

/* Compares a burst of packets in segments with the same in one, in place or apart. */
static void judge_segments(void *session, bool is_apart, const char *what)
{
    static uint8_t results[2][BURST][LENGTH], digests[2][BURST][20];
    const uint32_t len = LENGTH / 16 * 16;

    for (int several = 0; several < 2; several++) {
        struct rte_crypto_op *burst[BURST];
        struct rte_mbuf *from[BURST], *to[BURST];
        bool is_right;

        for (uint16_t at = 0; at < BURST; at++) {
            uint16_t size = several ? LENGTH / (at + 1) + 1 : LENGTH;

            from[at] = packet_of(size);
            to[at] = is_apart ? packet_of(several ? 100 + at : LENGTH) : NULL;
            burst[at] = op_of(session, from[at], to[at], digests[several][at], len);
        }
        is_right = run(burst, BURST, RTE_CRYPTO_OP_STATUS_SUCCESS);
        judge(is_right, what);
        for (uint16_t at = 0; at < BURST; at++) {
            copy(to[at] ? to[at] : from[at], results[several][at]);
            rte_pktmbuf_free(from[at]);
            rte_pktmbuf_free(to[at]);
        }
    }
    judge(memcmp(results[0], results[1], sizeof(results[0])) == 0, what);
    judge(memcmp(digests[0], digests[1], sizeof(digests[0])) == 0, what);
}

/* Deciphers, and then checks a digest that is wrong. */
static void judge_wrong_digest(bool is_apart, uint16_t size, const char *what)
{
    struct rte_crypto_sym_xform cipher = cbc(RTE_CRYPTO_CIPHER_OP_DECRYPT),
                                hash = digest_of(RTE_CRYPTO_AUTH_SHA256,
                                                 RTE_CRYPTO_AUTH_OP_VERIFY, 32);
    struct rte_mbuf *from = packet_of(size), *to = is_apart ? packet_of(size) : NULL;
    static uint8_t result[LENGTH], zero[LENGTH], digest[32];
    const uint32_t len = LENGTH / 16 * 16;
    struct rte_crypto_op *op;
    void *session;

    cipher.next = &hash;
    session = open_session(&cipher);
    op = op_of(session, from, to, digest, len);
    judge(run(&op, 1, RTE_CRYPTO_OP_STATUS_AUTH_FAILED), what);
    copy(to ? to : from, result);
    judge(memcmp(result, zero, len) == 0, what);
    judge(memcmp(result + len, text + len, LENGTH - len) == 0, what);
    rte_cryptodev_sym_session_free(device, session);
    rte_pktmbuf_free(from);
    rte_pktmbuf_free(to);
}

int main(int count, char **arguments)
{
    struct rte_cryptodev_config config = { .nb_queue_pairs = 1 };
    struct rte_cryptodev_qp_conf queue_pair = { .nb_descriptors = 256 };
    struct rte_crypto_sym_xform cipher = cbc(RTE_CRYPTO_CIPHER_OP_ENCRYPT), chain = cipher,
                                hmac = digest_of(RTE_CRYPTO_AUTH_SHA1_HMAC,
                                                 RTE_CRYPTO_AUTH_OP_GENERATE, 20),
                                hash = digest_of(RTE_CRYPTO_AUTH_SHA1,
                                                 RTE_CRYPTO_AUTH_OP_GENERATE, 20),
                                steps = cipher;

    need(rte_eal_init(count, arguments) >= 0, "EAL does not start");
    need(rte_cryptodev_count() == 1, "there is not one device");
    for (uint32_t at = 0; at < LENGTH; at++)
        text[at] = 1 + at % 251;
    memset(key, 5, sizeof(key));
    ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, 255, 0, 32, SOCKET_ID_ANY);
    sessions = rte_cryptodev_sym_session_pool_create(
        "sessions", 31, rte_cryptodev_sym_get_private_session_size(device), 0, 0, SOCKET_ID_ANY);
    packets = rte_pktmbuf_pool_create("packets", 8191, 0, 0, LENGTH + RTE_PKTMBUF_HEADROOM,
                                      SOCKET_ID_ANY);
    need(ops && sessions && packets && rte_cryptodev_configure(device, &config) == 0 &&
             rte_cryptodev_queue_pair_setup(device, 0, &queue_pair, SOCKET_ID_ANY) == 0 &&
             rte_cryptodev_start(device) == 0,
         "the device does not start");
    chain.next = &hmac;
    steps.next = &hash;
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        judge_segments(open_session(&cipher), is_apart, "a cipher over segments");
        judge_segments(open_session(&hmac), is_apart, "a MAC over segments");
        judge_segments(open_session(&chain), is_apart, "a chain over segments");
        judge_segments(open_session(&steps), is_apart, "two steps over segments");
        judge_wrong_digest(is_apart, LENGTH, "a wrong digest behind one segment");
        judge_wrong_digest(is_apart, 64, "a wrong digest behind several segments");
    }
    rte_cryptodev_stop(device);
    printf("segments: %u executed, %u failed\n", executed, failed);
    return failed == 0 ? 0 : 1;
}
