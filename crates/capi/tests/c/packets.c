/*
 * Packets of all protocols through the C library, as the standards have them: an ESP tunnel, SRTP
 * (libsrtp's packet under the key of RFC 3711's appendix), QUIC (RFC 9001, A.2 and A.5), a record
 * of TLS 1.3 (RFC 8448, section 3), and WireGuard, all in one burst. A packet that is damaged is
 * refused, and its neighbours pass. Null pointers and lengths that nothing has are errors.
 *
 *   cc packets.c $(pkg-config --cflags --libs broadloom) -o packets && ./packets
 */
#include <broadloom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 2048
#define BEGIN 128
#define COUNT 5

enum { ESP, SRTP, QUIC, TLS, WIREGUARD };

static const char *const quic_header = "c300000001088394c8f03e5157080000449e00000002";
static const char *const quic_frames =
    "060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c00000413"
    "011302010000c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d001700180010"
    "0007000504616c706e000500050100000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171"
    "fa71f50f1ce15d43e994ec74d748002b0003020304000d0010000e0403050306030203080408050806002d000201"
    "01001c00024001003900320408ffffffffffffffff05048000ffff07048000ffff0801100104800075300901100f"
    "088394c8f03e51570806048000ffff";
static const char *const quic_sent =
    "c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11d242b123dc9bd8bab936b47d92ec"
    "356c0bab7df5976d27cd449f63300099f3991c260ec4c60d17b31f8429157bb35a1282a643a8d2262cad67500cad"
    "b8e7378c8eb7539ec4d4905fed1bee1fc8aafba17c750e2c7ace01e6005f80fcb7df621230c83711b39343fa028c"
    "ea7f7fb5ff89eac2308249a02252155e2347b63d58c5457afd84d05dfffdb20392844ae812154682e9cf012f9021"
    "a6f0be17ddd0c2084dce25ff9b06cde535d0f920a2db1bf362c23e596d11a4f5a6cf3948838a3aec4e15daf8500a"
    "6ef69ec4e3feb6b1d98e610ac8b7ec3faf6ad760b7bad1db4ba3485e8a94dc250ae3fdb41ed15fb6a8e5eba0fc3d"
    "d60bc8e30c5c4287e53805db059ae0648db2f64264ed5e39be2e20d82df566da8dd5998ccabdae053060ae6c7b43"
    "78e846d29f37ed7b4ea9ec5d82e7961b7f25a9323851f681d582363aa5f89937f5a67258bf63ad6f1a0b1d96dbd4"
    "faddfcefc5266ba6611722395c906556be52afe3f565636ad1b17d508b73d8743eeb524be22b3dcbc2c7468d5411"
    "9c7468449a13d8e3b95811a198f3491de3e7fe942b330407abf82a4ed7c1b311663ac69890f4157015853d91e923"
    "037c227a33cdd5ec281ca3f79c44546b9d90ca00f064c99e3dd97911d39fe9c5d0b23a229a234cb36186c4819e8b"
    "9c5927726632291d6a418211cc2962e20fe47feb3edf330f2c603a9d48c0fcb5699dbfe5896425c5bac4aee82e57"
    "a85aaf4e2513e4f05796b07ba2ee47d80506f8d2c25e50fd14de71e6c418559302f939b0e1abd576f279c4b2e0fe"
    "b85c1f28ff18f58891ffef132eef2fa09346aee33c28eb130ff28f5b766953334113211996d20011a198e3fc433f"
    "9f2541010ae17c1bf202580f6047472fb36857fe843b19f5984009ddc324044e847a4f4a0ab34f719595de37252d"
    "6235365e9b84392b061085349d73203a4a13e96f5432ec0fd4a1ee65accdd5e3904df54c1da510b0ff20dcc0c77f"
    "cb2c0e0eb605cb0504db87632cf3d8b4dae6e705769d1de354270123cb11450efc60ac47683d7b8d0f811365565f"
    "d98c4c8eb936bcab8d069fc33bd801b03adea2e1fbc5aa463d08ca19896d2bf59a071b851e6c239052172f296bfb"
    "5e72404790a2181014f3b94a4e97d117b438130368cc39dbb2d198065ae3986547926cd2162f40a29f0c3c8745c0"
    "f50fba3852e566d44575c29d39a03f0cda721984b6f440591f355e12d439ff150aab7613499dbd49adabc8676eef"
    "023b15b65bfc5ca06948109f23f350db82123535eb8a7433bdabcb909271a6ecbcb58b936a88cd4e8f2e6ff58001"
    "75f113253d8fa9ca8885c2f552e657dc603f252e1a8e308f76f0be79e2fb8f5d5fbbe2e30ecadd220723c8c0aea8"
    "078cdfcb3868263ff8f0940054da48781893a7e49ad5aff4af300cd804a6b6279ab3ff3afb64491c85194aab760d"
    "58a606654f9f4400e8b38591356fbf6425aca26dc85244259ff2b19c41b9f96f3ca9ec1dde434da7d2d392b905dd"
    "f3d1f9af93d1af5950bd493f5aa731b4056df31bd267b6b90a079831aaf579be0a39013137aac6d404f518cfd468"
    "40647e78bfe706ca4cf5e9c5453e9f7cfd2b8b4c8d169a44e55c88d4a9a7f9474241e221af44860018ab0856972e"
    "194cd934";

/* Ends the program where something is not as it has to be. */
static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, bl_last_error());
        exit(1);
    }
}

static size_t unhex(const char *text, uint8_t *bytes)
{
    size_t len = strlen(text) / 2;
    for (size_t at = 0; at < len; at++) {
        unsigned byte;
        must(sscanf(text + 2 * at, "%2x", &byte) == 1, "hexadecimal digits");
        bytes[at] = (uint8_t) byte;
    }
    return len;
}

static void compare(const char *what, const bl_packet *packet, const uint8_t *bytes, size_t len)
{
    must(packet->status == BL_OK, what);
    must(packet->len == len && memcmp(packet->buffer + packet->begin, bytes, len) == 0, what);
}

/* The flows of one end: those that protect, or those that unprotect. */
static void open_flows(bl_flow *flows[COUNT], int unprotects)
{
    uint8_t key[32], salt[16], secret[32];

    uint8_t ours[4] = { 203, 0, 113, 1 }, theirs[4] = { 203, 0, 113, 200 };
    memset(key, 7, sizeof key);
    memset(salt, 8, sizeof salt);
    bl_esp_config esp = { .size = sizeof esp, .algorithm = "esp-aes-128-cbc-hmac-sha1",
        .direction = unprotects ? "unprotect" : "protect", .key = key, .key_len = 16,
        .integrity_key = key, .integrity_key_len = 20, .spi = 0x1234, .mode = "tunnel",
        .source = ours, .destination = theirs, .address_len = 4, .flags = BL_ESP_EXTENDED };
    must(bl_esp_open(&esp, &flows[ESP]) == BL_OK, "an ESP flow");

    unhex("e1f97a0d3e018be0d64fa32c06de4139", key);
    unhex("0ec675ad498afeebb6960b3aabe6", salt);
    bl_srtp_key master = { .key = key, .key_len = 16, .salt = salt, .salt_len = 14 };
    bl_srtp_config srtp = { .size = sizeof srtp, .profile = "srtp-aes-128-cm-hmac-sha1-80",
        .keys = &master, .key_count = 1 };
    bl_srtp_context *context;
    must(bl_srtp_context_open(&srtp, &context) == BL_OK, "an SRTP context");
    must(bl_srtp_stream_open(context, 0xcafebabe, 0, 0, &flows[SRTP]) == BL_OK, "a stream");
    bl_srtp_context_close(context); /* the stream lives on */

    unhex("8394c8f03e515708", key);
    must(bl_quic_initial_open(BL_QUIC_V1, key, 8, unprotects, &flows[QUIC]) == BL_OK, "QUIC");

    unhex("9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5", secret);
    bl_record_keys keys = { .size = sizeof keys, .secret = secret, .secret_len = 32 };
    bl_records_config records = { .size = sizeof records, .suite = "tls13-aes-128-gcm",
        .write = &keys, .read = &keys };
    must(bl_records_open(&records, &flows[TLS]) == BL_OK, "records of TLS");

    memset(key, 7, sizeof key);
    must(bl_wireguard_open(key, 9, key, 9, &flows[WIREGUARD]) == BL_OK, "WireGuard");
}

static void close_flows(bl_flow *flows[COUNT])
{
    for (int at = 0; at < COUNT; at++)
        bl_flow_close(flows[at]);
}

static uint8_t texts[COUNT][ROOM], sent[COUNT][ROOM];
static size_t text_lens[COUNT], sent_lens[COUNT];

/* What is protected: an IPv4 packet, RTP, an Initial packet, application data, a text. */
static void write_texts(void)
{
    text_lens[ESP] = unhex("4500002012340000401152b1c0000201c6336407"
                           "1000200000140000abababababababab", texts[ESP]);
    texts[ESP][3] = (uint8_t) text_lens[ESP];
    text_lens[SRTP] = unhex("800f1234decafbadcafebabeabababababababababababababababab",
        texts[SRTP]);
    text_lens[QUIC] = unhex(quic_header, texts[QUIC]);
    unhex(quic_frames, texts[QUIC] + text_lens[QUIC]);
    text_lens[QUIC] += 1162; /* with PADDING frames, which are zero */
    text_lens[TLS] = 50;
    for (uint8_t at = 0; at < 50; at++)
        texts[TLS][at] = at;
    text_lens[WIREGUARD] = 32;
    memset(texts[WIREGUARD], 0x45, 32);
}

/* A burst of one packet of each flow, in buffers with room around them. */
static void write_burst(bl_flow *flows[COUNT], uint8_t bytes[COUNT][ROOM], size_t lens[COUNT],
    uint8_t buffers[COUNT][ROOM], bl_packet burst[COUNT])
{
    for (int at = 0; at < COUNT; at++) {
        memcpy(buffers[at] + BEGIN, bytes[at], lens[at]);
        burst[at] = (bl_packet) { .size = sizeof(bl_packet), .flow = flows[at],
            .buffer = buffers[at], .room = ROOM, .begin = BEGIN, .len = lens[at] };
    }
}

/* The packets of all protocols in one call are those of the standards. */
static void protect(bl_processor *processor)
{
    bl_flow *flows[COUNT];
    uint8_t buffers[COUNT][ROOM], expected[ROOM];
    bl_packet burst[COUNT];
    size_t head, tail;

    open_flows(flows, 0);
    /* The client's Initial packet has the number 2. */
    for (int number = 0; number < 2; number++) {
        write_burst(flows, texts, text_lens, buffers, burst);
        must(bl_protect_burst(processor, &burst[QUIC], 1) == BL_OK, "a packet before");
    }
    write_burst(flows, texts, text_lens, buffers, burst);
    must(bl_protect_burst(processor, burst, COUNT) == BL_OK, "a burst of all protocols");
    for (int at = 0; at < COUNT; at++) {
        must(bl_flow_room(flows[at], &head, &tail) == BL_OK, "room");
        must(BEGIN - burst[at].begin <= head, "head room");
        sent_lens[at] = burst[at].len;
        memcpy(sent[at], burst[at].buffer + burst[at].begin, burst[at].len);
    }
    size_t len = unhex("800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402"
                       "b78d6acc99ea179b8dbb", expected);
    compare("SRTP, RFC 3711", &burst[SRTP], expected, len);
    must(burst[SRTP].number == 0x1234, "the index of SRTP");
    len = unhex(quic_sent, expected);
    compare("QUIC, RFC 9001, A.2", &burst[QUIC], expected, len);
    must(burst[QUIC].number == 2, "the number of QUIC");
    len = unhex("1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b4"
                "6b395bd54a9a20441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4", expected);
    compare("TLS 1.3, RFC 8448", &burst[TLS], expected, len);
    must(bl_esp_spi(sent[ESP], sent_lens[ESP]) == 0x1234, "the SPI");
    uint32_t found;
    must(bl_srtp_ssrc(sent[SRTP], sent_lens[SRTP], &found) == BL_OK && found == 0xcafebabe, "SSRC");
    must(bl_wireguard_index(sent[WIREGUARD], sent_lens[WIREGUARD], &found) == BL_OK && found == 9,
        "the index of WireGuard");
    bl_quic_packet packets[2];
    size_t count, record;
    must(bl_quic_split(sent[QUIC], sent_lens[QUIC], 8, packets, 2, &count) == BL_OK, "a datagram");
    must(count == 1 && packets[0].kind == BL_QUIC_INITIAL && packets[0].len == 1200, "a datagram");
    must(bl_records_tls_len(sent[TLS], sent_lens[TLS], &record) == BL_OK
        && record == sent_lens[TLS], "a record");
    close_flows(flows);
}

/* RFC 9001, A.5: a short header, ChaCha20-Poly1305, and a number that the caller gives. */
static void protect_short_header(bl_processor *processor)
{
    uint8_t secret[32], buffer[64] = { 0x42, 0, 0, 0, 1 }, expected[64];
    bl_flow *flow;
    unhex("9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b", secret);
    bl_quic_config config = { .size = sizeof config, .suite = "quic-chacha20-poly1305",
        .send_secret = secret, .send_secret_len = 32, .flags = BL_QUIC_GIVEN_NUMBERS };
    must(bl_quic_open(&config, &flow) == BL_OK, "QUIC");
    bl_packet packet = { .size = sizeof packet, .flow = flow, .buffer = buffer,
        .room = sizeof buffer, .len = 5, .number = 654360564 };
    must(bl_protect_burst(processor, &packet, 1) == BL_OK, "a short header");
    size_t len = unhex("4cfe4189655e5cd55c41f69080575d7999c25a5bfb", expected);
    compare("QUIC, RFC 9001, A.5", &packet, expected, len);
    bl_flow_close(flow);
}

/* Unprotects a burst, of which one packet is damaged; none where `damaged` is COUNT. */
static void unprotect(bl_processor *processor, int damaged, size_t at_byte)
{
    bl_flow *flows[COUNT];
    uint8_t buffers[COUNT][ROOM];
    bl_packet burst[COUNT];

    open_flows(flows, 1);
    write_burst(flows, sent, sent_lens, buffers, burst);
    if (damaged < COUNT)
        buffers[damaged][BEGIN + at_byte] ^= 1;
    bl_status status = bl_unprotect_burst(processor, burst, COUNT);
    must(status == (damaged < COUNT ? BL_E_PACKETS : BL_OK), "a burst that is unprotected");
    for (int at = 0; at < COUNT; at++) {
        bl_flow_statistics statistics = { .size = sizeof statistics };
        must(bl_flow_read(flows[at], &statistics) == BL_OK, "statistics");
        if (at == damaged) {
            must(burst[at].status >= BL_PACKET_REPLAY, "a damaged packet has passed");
            must(burst[at].begin == BEGIN && burst[at].len == sent_lens[at], "it stays");
            must(statistics.refused[burst[at].status - BL_PACKET_REPLAY] == 1, "it is counted");
            continue;
        }
        /* What comes out of QUIC is the payload behind the header of 22 bytes. */
        size_t skip = at == QUIC ? 22 : 0;
        compare("a packet there and back", &burst[at], texts[at] + skip, text_lens[at] - skip);
        must(statistics.packets == 1, "it is counted");
    }
    close_flows(flows);
}

/* Whatever is null or cannot be is an error, and no function reads it. */
static void refuse(bl_processor *processor)
{
    bl_flow *flow;
    bl_packet packet = { .size = sizeof packet };
    size_t number;
    uint32_t word;
    uint8_t byte = 0;
    must(bl_esp_open(NULL, &flow) == BL_E_ARGUMENT, "null");
    must(bl_srtp_context_open(NULL, NULL) == BL_E_ARGUMENT, "null");
    must(bl_srtp_stream_open(NULL, 0, 0, 0, &flow) == BL_E_ARGUMENT, "null");
    must(bl_srtp_session_open(NULL, 1, &flow) == BL_E_ARGUMENT, "null");
    must(bl_srtp_ssrc(NULL, SIZE_MAX, &word) == BL_E_ARGUMENT, "null");
    must(bl_quic_open(NULL, &flow) == BL_E_ARGUMENT, "null");
    must(bl_quic_initial_open(0, &byte, SIZE_MAX, 0, &flow) == BL_E_ARGUMENT, "a length");
    must(bl_quic_update(NULL, &flow) == BL_E_ARGUMENT, "null");
    must(bl_quic_split(&byte, SIZE_MAX, 0, NULL, 0, &number) == BL_E_ARGUMENT, "a length");
    must(bl_records_open(NULL, &flow) == BL_E_ARGUMENT, "null");
    must(bl_records_update_read(NULL) == BL_E_ARGUMENT, "null");
    must(bl_records_tls_len(&byte, SIZE_MAX, &number) == BL_E_ARGUMENT, "a length");
    must(bl_records_connection_id(&byte, 1, SIZE_MAX) == NULL, "a length");
    must(bl_wireguard_open(NULL, 0, NULL, 0, &flow) == BL_E_ARGUMENT, "null");
    must(bl_wireguard_index(&byte, SIZE_MAX, &word) == BL_E_ARGUMENT, "a length");
    must(bl_protect_burst(NULL, &packet, 1) == BL_E_ARGUMENT, "null");
    must(bl_protect_burst(processor, NULL, 1) == BL_E_ARGUMENT, "null");
    must(bl_protect_burst(processor, &packet, SIZE_MAX) == BL_E_ARGUMENT, "a count");
    must(bl_unprotect_burst(processor, &packet, 1) == BL_E_PACKETS, "no flow");
    must(packet.status == BL_E_ARGUMENT, "no flow");
    must(bl_flow_read(NULL, NULL) == BL_E_ARGUMENT, "null");
    must(bl_flow_room(NULL, NULL, NULL) == BL_E_ARGUMENT, "null");
    bl_flow_close(NULL);
    bl_srtp_context_close(NULL);
}

int main(void)
{
    bl_processor *processor;
    must(bl_processor_open(&processor) == BL_OK, "a processor");
    write_texts();
    protect(processor);
    protect_short_header(processor);
    unprotect(processor, COUNT, 0);
    for (int damaged = 0; damaged < COUNT; damaged++) {
        size_t step = damaged == QUIC ? 97 : 7;
        for (size_t at = 0; at < sent_lens[damaged]; at += step)
            unprotect(processor, damaged, at);
        unprotect(processor, damaged, sent_lens[damaged] - 1);
    }
    refuse(processor);
    bl_processor_close(processor);
    printf("the packets of %d protocols are as they should be\n", COUNT);
    return 0;
}
