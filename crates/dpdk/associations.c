/*
 * Judges security associations, as an application of cryptodev and rte_security does lookaside
 * IPsec: bursts of packets of many sessions, both ways, with wrong packets among them; what the
 * headers and the checksums of packets are; sequence numbers, limits and counters of sessions; and
 * what is refused. It ends when its standard input does.
 *
 *   associations EAL-OPTION... --vdev crypto_broadloom0
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cryptodev.h>
#include <rte_eal.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_security.h>
#include <rte_udp.h>

#define IV_OFFSET (sizeof(struct rte_crypto_op) + sizeof(struct rte_crypto_sym_op))
#define SESSIONS 12
#define BURST 120
#define MOST_BYTES 1500

static struct rte_mempool *ops, *sessions, *packets;
static struct rte_security_ctx *context;
static uint8_t device, key[64];
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

/* The transforms of one algorithm; two at most. */
struct suite {
    const char *name;
    enum rte_crypto_sym_xform_type type;
    int algorithm;
    uint16_t key_len;
    enum rte_crypto_auth_algorithm auth;
    uint16_t auth_key_len;
    uint16_t tag_len;
};

#define AEAD(name, bytes) \
    { #name, RTE_CRYPTO_SYM_XFORM_AEAD, RTE_CRYPTO_AEAD_##name, bytes, 0, 0, 16 }
#define CHAIN(cipher, bytes, hash, hash_bytes, tag_bytes) \
    { #cipher " " #hash, RTE_CRYPTO_SYM_XFORM_CIPHER, RTE_CRYPTO_CIPHER_##cipher, bytes, \
      RTE_CRYPTO_AUTH_##hash, hash_bytes, tag_bytes }

static const struct suite suites[SESSIONS] = {
    AEAD(AES_GCM, 16),
    AEAD(AES_GCM, 24),
    AEAD(AES_GCM, 32),
    AEAD(AES_CCM, 16),
    AEAD(CHACHA20_POLY1305, 32),
    CHAIN(AES_CBC, 16, SHA1_HMAC, 20, 12),
    CHAIN(AES_CBC, 32, SHA512_HMAC, 64, 32),
    CHAIN(AES_CTR, 16, SHA256_HMAC, 32, 16),
    CHAIN(AES_CTR, 32, SHA384_HMAC, 48, 24),
    CHAIN(NULL, 0, SHA256_HMAC, 32, 16),
    CHAIN(NULL, 0, AES_GMAC, 16, 16),
    CHAIN(NULL, 0, AES_GMAC, 32, 16),
};

/* A session's configuration, as the tests change it. */
static struct rte_security_ipsec_xform ipsec_of(bool is_inbound)
{
    struct rte_security_ipsec_xform ipsec = {
        .spi = 0x1000,
        .salt = 0x01020304,
        .direction = is_inbound ? RTE_SECURITY_IPSEC_SA_DIR_INGRESS
                                : RTE_SECURITY_IPSEC_SA_DIR_EGRESS,
        .proto = RTE_SECURITY_IPSEC_SA_PROTO_ESP,
        .mode = RTE_SECURITY_IPSEC_SA_MODE_TUNNEL,
        .replay_win_sz = 64,
    };

    ipsec.tunnel.type = RTE_SECURITY_IPSEC_TUNNEL_IPV4;
    ipsec.tunnel.ipv4.src_ip.s_addr = htonl(0xcb007101);
    ipsec.tunnel.ipv4.dst_ip.s_addr = htonl(0xcb0071c8);
    return ipsec;
}

static struct rte_security_session_conf conf_of(const struct suite *suite,
                                                const struct rte_security_ipsec_xform *ipsec,
                                                struct rte_crypto_sym_xform xforms[2])
{
    bool is_inbound = ipsec->direction == RTE_SECURITY_IPSEC_SA_DIR_INGRESS;
    struct rte_security_session_conf conf = {
        .action_type = RTE_SECURITY_ACTION_TYPE_LOOKASIDE_PROTOCOL,
        .protocol = RTE_SECURITY_PROTOCOL_IPSEC,
        .ipsec = *ipsec,
        .crypto_xform = xforms,
    };

    memset(xforms, 0, 2 * sizeof(*xforms));
    xforms[0].type = suite->type;
    if (suite->type == RTE_CRYPTO_SYM_XFORM_AEAD) {
        xforms[0].aead.op = is_inbound ? RTE_CRYPTO_AEAD_OP_DECRYPT : RTE_CRYPTO_AEAD_OP_ENCRYPT;
        xforms[0].aead.algo = suite->algorithm;
        xforms[0].aead.key.data = key;
        xforms[0].aead.key.length = suite->key_len;
        xforms[0].aead.iv.offset = IV_OFFSET;
        xforms[0].aead.iv.length = suite->algorithm == RTE_CRYPTO_AEAD_AES_CCM ? 11 : 12;
        xforms[0].aead.digest_length = suite->tag_len;
        return conf;
    }
    xforms[0].cipher.op =
        is_inbound ? RTE_CRYPTO_CIPHER_OP_DECRYPT : RTE_CRYPTO_CIPHER_OP_ENCRYPT;
    xforms[0].cipher.algo = suite->algorithm;
    xforms[0].cipher.key.data = key;
    xforms[0].cipher.key.length = suite->key_len;
    xforms[0].cipher.iv.offset = IV_OFFSET;
    xforms[0].cipher.iv.length = suite->algorithm == RTE_CRYPTO_CIPHER_NULL ? 0 : 16;
    xforms[0].next = &xforms[1];
    xforms[1].type = RTE_CRYPTO_SYM_XFORM_AUTH;
    xforms[1].auth.op = is_inbound ? RTE_CRYPTO_AUTH_OP_VERIFY : RTE_CRYPTO_AUTH_OP_GENERATE;
    xforms[1].auth.algo = suite->auth;
    xforms[1].auth.key.data = key;
    xforms[1].auth.key.length = suite->auth_key_len;
    xforms[1].auth.iv.offset = IV_OFFSET;
    xforms[1].auth.iv.length = suite->auth == RTE_CRYPTO_AUTH_AES_GMAC ? 12 : 0;
    xforms[1].auth.digest_length = suite->tag_len;
    return conf;
}

static void *open_session(const struct suite *suite, const struct rte_security_ipsec_xform *ipsec)
{
    struct rte_crypto_sym_xform xforms[2];
    struct rte_security_session_conf conf = conf_of(suite, ipsec, xforms);

    return rte_security_session_create(context, &conf, sessions);
}

static int update(void *session, const struct suite *suite,
                  const struct rte_security_ipsec_xform *ipsec)
{
    struct rte_crypto_sym_xform xforms[2];
    struct rte_security_session_conf conf = conf_of(suite, ipsec, xforms);

    return rte_security_session_update(context, session, &conf);
}

/* An IPv4 packet of UDP, `len` bytes long, whose content differs by its number. */
static uint16_t write_packet(uint8_t *bytes, uint16_t len, uint32_t number)
{
    struct rte_ipv4_hdr *ipv4 = (void *)bytes;
    struct rte_udp_hdr *udp = (void *)(ipv4 + 1);

    for (uint16_t at = 0; at < len; at++)
        bytes[at] = number * 31 + at;
    memset(bytes, 0, sizeof(*ipv4) + sizeof(*udp));
    ipv4->version_ihl = RTE_IPV4_VHL_DEF;
    ipv4->type_of_service = 0x48;
    ipv4->total_length = rte_cpu_to_be_16(len);
    ipv4->time_to_live = 63;
    ipv4->next_proto_id = IPPROTO_UDP;
    ipv4->src_addr = htonl(0xc0000201);
    ipv4->dst_addr = htonl(0xc6336407);
    udp->src_port = rte_cpu_to_be_16(1000);
    udp->dst_port = rte_cpu_to_be_16(2000);
    udp->dgram_len = rte_cpu_to_be_16(len - sizeof(*ipv4));
    udp->dgram_cksum = rte_ipv4_udptcp_cksum(ipv4, udp);
    ipv4->hdr_checksum = rte_ipv4_cksum(ipv4);
    return len;
}

/* A packet of such bytes, in segments of so many; 0 for one segment. */
static struct rte_mbuf *packet_of(const uint8_t *bytes, uint16_t len, uint16_t size)
{
    struct rte_mbuf *packet = rte_pktmbuf_alloc(packets), *last = packet;

    need(packet, "there is no packet left");
    for (uint16_t at = 0, part; at < len; at += part) {
        part = RTE_MIN(len - at, size ? size : len);
        if (at > 0) {
            last->next = rte_pktmbuf_alloc(packets);
            last = last->next;
            need(last, "there is no segment left");
            packet->nb_segs++;
        }
        last->data_len = part;
        memcpy(rte_pktmbuf_mtod(last, uint8_t *), bytes + at, part);
    }
    packet->pkt_len = len;
    return packet;
}

static struct rte_crypto_op *op_of(void *session, struct rte_mbuf *packet)
{
    struct rte_crypto_op *op = rte_crypto_op_alloc(ops, RTE_CRYPTO_OP_TYPE_SYMMETRIC);

    need(op, "there is no op left");
    rte_security_attach_session(op, session);
    op->sym->m_src = packet;
    op->sym->m_dst = NULL;
    return op;
}

/* Runs a burst; its ops come back in their order. */
static void run(struct rte_crypto_op **burst, uint16_t count)
{
    uint16_t taken = rte_cryptodev_enqueue_burst(device, 0, burst, count), given = 0;
    struct rte_crypto_op *back[BURST];

    need(taken == count, "the ring is full");
    while (given < taken)
        given += rte_cryptodev_dequeue_burst(device, 0, back + given, taken - given);
    judge(memcmp(back, burst, count * sizeof(*back)) == 0, "ops come back in their order");
}

/* Runs one packet, and says with what status its op came back. */
static enum rte_crypto_op_status run_one(void *session, struct rte_mbuf *packet, uint8_t *aux)
{
    struct rte_crypto_op *op = op_of(session, packet);
    enum rte_crypto_op_status status;

    run(&op, 1);
    status = op->status;
    if (aux)
        *aux = op->aux_flags;
    rte_crypto_op_free(op);
    return status;
}

/* Whether a packet has such bytes. */
static bool has_bytes(const struct rte_mbuf *packet, const uint8_t *bytes, uint16_t len)
{
    return packet->nb_segs == 1 && packet->pkt_len == len && packet->data_len == len &&
           memcmp(rte_pktmbuf_mtod(packet, const uint8_t *), bytes, len) == 0;
}

static bool counted(void *session, uint64_t in, uint64_t out, uint64_t errors)
{
    struct rte_security_stats stats;

    return rte_security_session_stats_get(context, session, &stats) == 0 &&
           stats.protocol == RTE_SECURITY_PROTOCOL_IPSEC && stats.ipsec.ipackets == in &&
           stats.ipsec.opackets == out && stats.ipsec.ierrors + stats.ipsec.oerrors == errors;
}

/*
 * Packets of all algorithms in one burst, there and back; then again, with every fifth damaged: the
 * others come out all the same. All of a burst is replayed at last.
 */
static void judge_bursts(bool is_extended, bool in_udp, bool over_v6)
{
    static uint8_t texts[BURST][MOST_BYTES], sent[BURST][2 * MOST_BYTES];
    uint16_t lens[BURST], sent_lens[BURST];
    void *out[SESSIONS], *in[SESSIONS];

    for (int at = 0; at < SESSIONS; at++) {
        for (int is_inbound = 0; is_inbound < 2; is_inbound++) {
            struct rte_security_ipsec_xform ipsec = ipsec_of(is_inbound);

            ipsec.spi += at;
            ipsec.options.esn = is_extended;
            ipsec.options.udp_encap = in_udp;
            if (is_extended)
                ipsec.esn.value = UINT32_MAX - 6;
            if (over_v6) {
                ipsec.tunnel.type = RTE_SECURITY_IPSEC_TUNNEL_IPV6;
                memset(&ipsec.tunnel.ipv6, 0, sizeof(ipsec.tunnel.ipv6));
                ipsec.tunnel.ipv6.src_addr.s6_addr[0] = 0x20;
                ipsec.tunnel.ipv6.dst_addr.s6_addr[0] = 0x21;
            }
            *(is_inbound ? &in[at] : &out[at]) = open_session(&suites[at], &ipsec);
        }
        need(out[at] && in[at], suites[at].name);
    }
    for (int pass = 0; pass < 3; pass++) {
        struct rte_crypto_op *burst[BURST];
        bool is_right = true;

        for (int at = 0; at < BURST && pass < 2; at++) {
            lens[at] = write_packet(texts[at], 28 + (at * 37) % 1400, at + 1000 * pass);
            burst[at] = op_of(out[at % SESSIONS], packet_of(texts[at], lens[at], 0));
        }
        if (pass < 2)
            run(burst, BURST);
        for (int at = 0; at < BURST && pass < 2; at++) {
            struct rte_mbuf *packet = burst[at]->sym->m_src;

            is_right = is_right && burst[at]->status == RTE_CRYPTO_OP_STATUS_SUCCESS;
            sent_lens[at] = packet->data_len;
            memcpy(sent[at], rte_pktmbuf_mtod(packet, void *), packet->data_len);
            rte_pktmbuf_free(packet);
            rte_crypto_op_free(burst[at]);
        }
        judge(is_right, "a burst of all algorithms is protected");
        for (int at = 0; at < BURST; at++) {
            if (pass == 1 && at % 5 == 0)
                sent[at][sent_lens[at] - 1] ^= 1;
            burst[at] = op_of(in[at % SESSIONS], packet_of(sent[at], sent_lens[at], 0));
        }
        run(burst, BURST);
        is_right = true;
        for (int at = 0; at < BURST; at++) {
            bool is_wrong = pass == 2 || (pass == 1 && at % 5 == 0);
            struct rte_mbuf *packet = burst[at]->sym->m_src;

            is_right = is_right && (is_wrong ? burst[at]->status == RTE_CRYPTO_OP_STATUS_ERROR
                                             : burst[at]->status ==
                                                       RTE_CRYPTO_OP_STATUS_SUCCESS &&
                                                   has_bytes(packet, texts[at], lens[at]));
            rte_pktmbuf_free(packet);
            rte_crypto_op_free(burst[at]);
        }
        judge(is_right, pass == 0   ? "a burst of all algorithms is unprotected"
                        : pass == 1 ? "wrong packets do not disturb their neighbours"
                                    : "a burst that is replayed is refused");
    }
    for (int at = 0; at < SESSIONS; at++) {
        uint64_t each = BURST / SESSIONS, wrong = 0;

        for (int packet = at; packet < BURST; packet += SESSIONS)
            wrong += packet % 5 == 0;
        judge(counted(out[at], 0, 2 * each, 0), "packets that were protected are counted");
        judge(counted(in[at], 2 * each - wrong, 0, wrong + each),
              "packets that were unprotected and refused are counted");
        judge(rte_security_session_destroy(context, out[at]) == 0 &&
                  rte_security_session_destroy(context, in[at]) == 0,
              "sessions are closed");
    }
}

/* Opens both ends of a session for AES-GCM. */
static void open_ends(struct rte_security_ipsec_xform *outbound,
                      struct rte_security_ipsec_xform *inbound, void *ends[2])
{
    ends[0] = open_session(&suites[0], outbound);
    ends[1] = open_session(&suites[0], inbound);
    need(ends[0] && ends[1], "both ends of a session are opened");
}

static void close_ends(void *ends[2])
{
    rte_security_session_destroy(context, ends[0]);
    rte_security_session_destroy(context, ends[1]);
}

/* With the room that the device asks for, packets of all algorithms and lengths pass. */
static void judge_least_room(const struct suite *suite)
{
    struct rte_security_ipsec_xform outbound = ipsec_of(false);
    struct rte_cryptodev_info info;
    bool is_right = true;
    void *session;

    rte_cryptodev_info_get(device, &info);
    outbound.options.esn = 1;
    outbound.options.udp_encap = 1;
    outbound.tunnel.type = RTE_SECURITY_IPSEC_TUNNEL_IPV6;
    session = open_session(suite, &outbound);
    need(session, suite->name);
    for (uint16_t len = 28; len < 28 + 32; len++) {
        struct rte_mbuf *packet = rte_pktmbuf_alloc(packets);
        uint16_t whole = packet->buf_len;

        packet->data_off = info.min_mbuf_headroom_req;
        packet->data_len = packet->pkt_len = len;
        packet->buf_len = packet->data_off + len + info.min_mbuf_tailroom_req;
        write_packet(rte_pktmbuf_mtod(packet, uint8_t *), len, len);
        is_right = is_right && run_one(session, packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS;
        packet->buf_len = whole;
        rte_pktmbuf_free(packet);
    }
    judge(is_right, "the room that the device asks for is enough");
    rte_security_session_destroy(context, session);
}

/* A packet in segments is gathered in the first; one without the room for it, or for a tag, is not
 * taken. */
static void judge_room(void)
{
    struct rte_security_ipsec_xform outbound = ipsec_of(false), inbound = ipsec_of(true);
    uint8_t text[MOST_BYTES];
    uint16_t len = write_packet(text, 900, 1);
    struct rte_mbuf *packet = packet_of(text, len, 100);
    struct rte_crypto_op *op;
    void *ends[2];

    open_ends(&outbound, &inbound, ends);
    judge(run_one(ends[0], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
              run_one(ends[1], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
              has_bytes(packet, text, len),
          "a packet in segments there and back");
    rte_pktmbuf_free(packet);
    packet = packet_of(text, len, 0);
    packet->data_off = 20;
    memcpy(rte_pktmbuf_mtod(packet, void *), text, len);
    judge(run_one(ends[0], packet, NULL) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS &&
              has_bytes(packet, text, len),
          "a packet without head room stays as it is");
    packet->data_off = packet->buf_len - len;
    memcpy(rte_pktmbuf_mtod(packet, void *), text, len);
    judge(run_one(ends[0], packet, NULL) == RTE_CRYPTO_OP_STATUS_INVALID_ARGS &&
              has_bytes(packet, text, len),
          "a packet without tail room stays as it is");
    op = op_of(ends[0], packet);
    op->sym->m_dst = packet_of(text, len, 0);
    run(&op, 1);
    judge(op->status == RTE_CRYPTO_OP_STATUS_INVALID_ARGS, "ops work in place");
    rte_pktmbuf_free(op->sym->m_dst);
    rte_crypto_op_free(op);
    judge(run_one(NULL, packet, NULL) == RTE_CRYPTO_OP_STATUS_INVALID_SESSION,
          "an op has a session");
    rte_pktmbuf_free(packet);
    close_ends(ends);
}

/* Hard and soft limits of packets and of bytes, set with a session or later. */
static void judge_limits(bool of_bytes, bool later)
{
    const uint16_t len = 500;
    struct rte_security_ipsec_xform xforms[2] = { ipsec_of(false), ipsec_of(true) };
    uint8_t text[MOST_BYTES], zero[MOST_BYTES] = { 0 }, aux;
    void *ends[2], *free_end;
    bool is_right = true;

    write_packet(text, len, 1);
    for (int way = 0; way < 2; way++) {
        struct rte_security_ipsec_lifetime *life = &xforms[way].life;

        *(of_bytes ? &life->bytes_soft_limit : &life->packets_soft_limit) =
            of_bytes ? 3 * len - 1 : 3;
        *(of_bytes ? &life->bytes_hard_limit : &life->packets_hard_limit) = of_bytes ? 4 * len : 4;
    }
    if (later) {
        struct rte_security_ipsec_xform plain[2] = { ipsec_of(false), ipsec_of(true) };

        open_ends(&plain[0], &plain[1], ends);
    } else {
        open_ends(&xforms[0], &xforms[1], ends);
    }
    xforms[0].life = (struct rte_security_ipsec_lifetime){ 0 };
    free_end = open_session(&suites[0], &xforms[0]);
    xforms[0].life = xforms[1].life;
    need(free_end, "a session without limits");
    for (int number = 1; number <= 6; number++) {
        for (int way = 0; way < 2; way++) {
            struct rte_mbuf *packet = packet_of(text, len, 0);
            bool is_refused, is_soft;

            if (later && number == 3)
                is_right = is_right && update(ends[way], &suites[0], &xforms[way]) == 0;
            if (way == 1)
                is_right = is_right &&
                           run_one(free_end, packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS;
            is_refused = run_one(ends[way], packet, &aux) == RTE_CRYPTO_OP_STATUS_ERROR;
            is_soft = aux & RTE_CRYPTO_OP_AUX_FLAGS_IPSEC_SOFT_EXPIRY;
            is_right = is_right && is_refused == (number > 4) &&
                       (is_refused || is_soft == (number >= 3));
            if (is_refused && way == 1)
                is_right = is_right && has_bytes(packet, zero, packet->data_len);
            rte_pktmbuf_free(packet);
        }
    }
    judge(is_right, of_bytes ? "limits of bytes" : "limits of packets");
    judge(counted(ends[0], 0, 4, 2) && counted(ends[1], 4, 0, 2), "limits are counted");
    close_ends(ends);
    rte_security_session_destroy(context, free_end);
}

/* The number of a packet that AES-GCM has protected in a tunnel of IPv4. */
static uint32_t number_of(const struct rte_mbuf *packet)
{
    return rte_be_to_cpu_32(*rte_pktmbuf_mtod_offset(packet, const uint32_t *, 24));
}

/* Sequence numbers are set forwards; backwards alone where the application gives IVs. */
static void judge_numbers(void)
{
    struct rte_security_ipsec_xform outbound = ipsec_of(false), inbound = ipsec_of(true);
    uint8_t text[MOST_BYTES];
    uint16_t len = write_packet(text, 100, 1);
    struct rte_mbuf *packet = packet_of(text, len, 0);
    struct rte_crypto_op *op;
    void *ends[2];

    outbound.esn.value = 1000;
    open_ends(&outbound, &inbound, ends);
    judge(run_one(ends[0], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
              number_of(packet) == 1000,
          "the first number");
    rte_pktmbuf_free(packet);
    outbound.esn.value = 2000;
    judge(update(ends[0], &suites[0], &outbound) == 0, "a number ahead");
    outbound.esn.value = 1999;
    judge(update(ends[0], &suites[0], &outbound) < 0, "a number that was given, and its IV");
    inbound.esn.value = 5;
    judge(update(ends[0], &suites[0], &inbound) < 0, "an update of the other direction");
    packet = packet_of(text, len, 0);
    judge(run_one(ends[0], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
              number_of(packet) == 2000,
          "the number that was set");
    rte_pktmbuf_free(packet);
    rte_security_session_destroy(context, ends[0]);

    outbound.options.iv_gen_disable = 1;
    outbound.esn.value = 7;
    ends[0] = open_session(&suites[0], &outbound);
    need(ends[0], "a session that takes IVs");
    for (uint8_t turn = 1; turn < 3; turn++) {
        judge(update(ends[0], &suites[0], &outbound) == 0, "a number once more");
        op = op_of(ends[0], packet_of(text, len, 0));
        memset(rte_crypto_op_ctod_offset(op, uint8_t *, IV_OFFSET), turn, 12);
        run(&op, 1);
        packet = op->sym->m_src;
        judge(op->status == RTE_CRYPTO_OP_STATUS_SUCCESS && number_of(packet) == 7 &&
                  *rte_pktmbuf_mtod_offset(packet, uint64_t *, 28) ==
                      turn * 0x0101010101010101ull,
              "the IV of an op");
        rte_pktmbuf_free(packet);
        rte_crypto_op_free(op);
    }
    close_ends(ends);
}

/* The fields of outer headers, those that are copied back, and addresses and ports that are
 * verified. */
static void judge_headers(void)
{
    struct rte_security_ipsec_xform outbound = ipsec_of(false), inbound = ipsec_of(true);
    uint8_t text[MOST_BYTES], *header;
    uint16_t len = write_packet(text, 100, 1);
    struct rte_mbuf *packet = packet_of(text, len, 0);
    struct rte_ipv4_hdr *outer;
    void *ends[2];

    outbound.options.copy_dscp = inbound.options.copy_dscp = 1;
    outbound.options.udp_encap = inbound.options.udp_encap = 1;
    outbound.tunnel.ipv4.ttl = 9;
    outbound.tunnel.ipv4.df = 1;
    outbound.udp.sport = 5000;
    outbound.udp.dport = 6000;
    open_ends(&outbound, &inbound, ends);
    run_one(ends[0], packet, NULL);
    outer = rte_pktmbuf_mtod(packet, struct rte_ipv4_hdr *);
    header = (uint8_t *)(outer + 1);
    judge(outer->type_of_service == 0x48 && outer->time_to_live == 9 &&
              outer->fragment_offset == rte_cpu_to_be_16(RTE_IPV4_HDR_DF_FLAG) &&
              (header[0] << 8 | header[1]) == 5000 && (header[2] << 8 | header[3]) == 6000,
          "the outer headers");
    outer->type_of_service = 0x88;
    outer->hdr_checksum = 0;
    outer->hdr_checksum = rte_ipv4_cksum(outer);
    judge(run_one(ends[1], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS, "any ports");
    outer = rte_pktmbuf_mtod(packet, struct rte_ipv4_hdr *);
    judge(outer->type_of_service == 0x88 && rte_ipv4_cksum(outer) == 0,
          "the code point of the outer header is copied back");
    rte_pktmbuf_free(packet);
    close_ends(ends);

    for (int verify = 0; verify < 3; verify++) {
        inbound.options.udp_ports_verify = verify == 0;
        inbound.options.tunnel_hdr_verify = verify;
        inbound.tunnel.ipv4.src_ip.s_addr = verify == 2 ? 1 : outbound.tunnel.ipv4.src_ip.s_addr;
        inbound.tunnel.ipv4.dst_ip.s_addr = verify == 1 ? 1 : outbound.tunnel.ipv4.dst_ip.s_addr;
        open_ends(&outbound, &inbound, ends);
        packet = packet_of(text, len, 0);
        judge(run_one(ends[0], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
                  run_one(ends[1], packet, NULL) == RTE_CRYPTO_OP_STATUS_ERROR,
              "ports and addresses are verified");
        rte_pktmbuf_free(packet);
        close_ends(ends);
    }
}

/* Checksums are computed before a packet is protected, and verified behind. */
static void judge_checksums(bool in_tunnel)
{
    struct rte_security_ipsec_xform xforms[2] = { ipsec_of(false), ipsec_of(true) };
    uint8_t text[MOST_BYTES];
    uint16_t len = write_packet(text, 100, 1);
    struct rte_ipv4_hdr *ipv4 = (void *)text;
    struct rte_udp_hdr *udp = (void *)(ipv4 + 1);
    const struct rte_ipv4_hdr right = *ipv4;
    const struct rte_udp_hdr right_udp = *udp;
    struct rte_mbuf *packet;
    void *ends[2];

    for (int way = 0; way < 2; way++) {
        if (!in_tunnel)
            xforms[way].mode = RTE_SECURITY_IPSEC_SA_MODE_TRANSPORT;
        xforms[way].options.ip_csum_enable = way;
        xforms[way].options.l4_csum_enable = way;
    }
    open_ends(&xforms[0], &xforms[1], ends);
    /* Not to be computed, and wrong. */
    ipv4->hdr_checksum ^= in_tunnel;
    udp->dgram_cksum ^= 1;
    packet = packet_of(text, len, 0);
    judge(run_one(ends[0], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
              run_one(ends[1], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
              (packet->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) ==
                  (in_tunnel ? RTE_MBUF_F_RX_IP_CKSUM_BAD : RTE_MBUF_F_RX_IP_CKSUM_GOOD) &&
              (packet->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_BAD,
          "wrong checksums are reported");
    rte_pktmbuf_free(packet);
    /* The packet's own flags ask for them. */
    packet = packet_of(text, len, 0);
    packet->ol_flags |= RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_UDP_CKSUM;
    judge(run_one(ends[0], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
              run_one(ends[1], packet, NULL) == RTE_CRYPTO_OP_STATUS_SUCCESS &&
              (packet->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) == RTE_MBUF_F_RX_IP_CKSUM_GOOD &&
              (packet->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_GOOD,
          "checksums are computed");
    ipv4 = rte_pktmbuf_mtod(packet, struct rte_ipv4_hdr *);
    udp = (void *)(ipv4 + 1);
    judge(ipv4->hdr_checksum == right.hdr_checksum && udp->dgram_cksum == right_udp.dgram_cksum,
          "checksums are right");
    rte_pktmbuf_free(packet);
    close_ends(ends);
}

/* What a session cannot be. */
static void judge_refusals(void)
{
    struct rte_security_ipsec_xform xforms[] = {
        ipsec_of(false), ipsec_of(false), ipsec_of(true),
        ipsec_of(true),  ipsec_of(false), ipsec_of(false),
    };
    struct suite short_tag = suites[5], long_key = suites[0];

    xforms[0].proto = RTE_SECURITY_IPSEC_SA_PROTO_AH;
    xforms[1].options.dec_ttl = 1;
    xforms[2].replay_win_sz = 31;
    xforms[3].replay_win_sz = 0;
    xforms[3].options.esn = 1;
    xforms[4].spi = 0;
    xforms[5].tunnel.type = 7;
    for (size_t at = 0; at < RTE_DIM(xforms); at++)
        judge(!open_session(&suites[0], &xforms[at]), "a session that cannot be is refused");
    xforms[1].options.dec_ttl = 0;
    short_tag.tag_len = 10;
    long_key.key_len = 20;
    judge(!open_session(&short_tag, &xforms[1]), "a tag that is too short");
    judge(!open_session(&long_key, &xforms[1]), "a key that is too long");
}

int main(int count, char **arguments)
{
    struct rte_cryptodev_config config = { .nb_queue_pairs = 1 };
    struct rte_cryptodev_qp_conf queue_pair = { .nb_descriptors = 256 };

    need(rte_eal_init(count, arguments) >= 0, "EAL does not start");
    need(rte_cryptodev_count() == 1, "there is not one device");
    memset(key, 5, sizeof(key));
    context = rte_cryptodev_get_sec_ctx(device);
    need(context, "the device has no rte_security");
    ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, 255, 0, 32, SOCKET_ID_ANY);
    sessions = rte_mempool_create("sessions", 63, rte_security_session_get_size(context), 0, 0,
                                  NULL, NULL, NULL, NULL, SOCKET_ID_ANY, 0);
    packets = rte_pktmbuf_pool_create("packets", 1023, 0, 0, MOST_BYTES + 2 * RTE_PKTMBUF_HEADROOM,
                                      SOCKET_ID_ANY);
    need(ops && sessions && packets && rte_cryptodev_configure(device, &config) == 0 &&
             rte_cryptodev_queue_pair_setup(device, 0, &queue_pair, SOCKET_ID_ANY) == 0 &&
             rte_cryptodev_start(device) == 0,
         "the device does not start");
    for (int choice = 0; choice < 8; choice++)
        judge_bursts(choice & 1, choice & 2, choice & 4);
    for (int at = 0; at < SESSIONS; at++)
        judge_least_room(&suites[at]);
    judge_room();
    for (int choice = 0; choice < 4; choice++)
        judge_limits(choice & 1, choice & 2);
    judge_numbers();
    judge_headers();
    judge_checksums(false);
    judge_checksums(true);
    judge_refusals();
    judge(rte_mempool_avail_count(sessions) == 63, "all sessions were closed");
    judge(rte_mempool_avail_count(packets) == 1023, "all packets came back");
    printf("associations: %u executed, %u failed\n", executed, failed);
    fflush(stdout);
    /* Until the input ends, the counters of the driver can be read by telemetry. */
    while (getchar() != EOF)
        continue;
    rte_cryptodev_stop(device);
    return failed == 0 ? 0 : 1;
}
