/*
 * The data path of an ESP-like gateway: bursts of packets come from a port, each is encrypted and
 * authenticated under the keys of its security association (AES-128-GCM, RFC 4106), and the burst
 * goes out. A DPDK or VPP developer will miss only the network: receive() and transmit() stand in.
 * A peer, which is a second queue pair, opens every packet and compares it.
 *
 *   cc packets.c $(pkg-config --cflags --libs broadloom) -o packets && ./packets
 */
#include <broadloom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BURST 32
#define ASSOCIATIONS 8
#define POOL 256
#define PACKETS 20000
#define HEADER 16 /* SPI, sequence number, explicit IV */
#define TAG 16
#define ROOM 2048

/* A security association: a session for each direction, a salt, a sequence number. */
struct association {
    uint32_t spi, sequence;
    uint8_t salt[4];
    bl_session *seal, *open;
};

/* A packet as a pool has it: buffer, length, and the job that travels with it. */
struct packet {
    uint8_t bytes[ROOM], nonce[12];
    uint16_t payload;
    uint32_t number;
    bl_job job;
};

static struct association associations[ASSOCIATIONS];
static struct packet *pool[POOL];
static size_t pooled;
static uint32_t received, transmitted, failed;

static void must(bl_status status)
{
    if (status != BL_OK) {
        fprintf(stderr, "%s: %s\n", bl_status_text(status), bl_last_error());
        exit(1);
    }
}

/* rte_eth_rx_burst: packets of mixed lengths, as long as the pool has buffers. */
static size_t receive(struct packet **burst)
{
    size_t count = 0;
    while (count < BURST && pooled > 0 && received < PACKETS) {
        struct packet *packet = pool[--pooled];
        packet->number = received++;
        packet->payload = 40 + packet->number * 37 % 1400;
        memset(packet->bytes + HEADER, (int) packet->number, packet->payload);
        burst[count++] = packet;
    }
    return count;
}

/* Writes the ESP header and describes the work: encrypt the payload, authenticate the header. */
static void encapsulate(struct packet *packet)
{
    struct association *sa = &associations[packet->number % ASSOCIATIONS];
    uint32_t sequence = ++sa->sequence;
    memcpy(packet->bytes, &sa->spi, 4);
    memcpy(packet->bytes + 4, &sequence, 4);
    memset(packet->bytes + 8, 0, 8);
    memcpy(packet->bytes + 8, &sequence, 4);
    memcpy(packet->nonce, sa->salt, 4);
    memcpy(packet->nonce + 4, packet->bytes + 8, 8);
    uint8_t *payload = packet->bytes + HEADER;
    packet->job = (bl_job) { .size = sizeof(bl_job), .session = sa->seal,
        .source = payload, .len = packet->payload, .destination = payload,
        .nonce = packet->nonce, .nonce_len = sizeof packet->nonce,
        .associated = packet->bytes, .associated_len = 8,
        .tag = payload + packet->payload, .tag_len = TAG, .user = packet };
}

/* rte_eth_tx_burst, and the peer behind it: same buffers, the other direction. */
static void transmit(bl_queue_pair *peer, bl_job **burst, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        struct packet *packet = burst[at]->user;
        uint32_t spi;
        memcpy(&spi, packet->bytes, 4);
        if (burst[at]->status != BL_OK || spi >= ASSOCIATIONS)
            exit(1);
        if (packet->number % 1000 == 999)
            packet->bytes[HEADER] ^= 1; /* the network damages one in a thousand */
        burst[at]->session = associations[spi].open;
    }
    size_t accepted, given;
    must(bl_queue_pair_enqueue(peer, burst, count, &accepted));
    must(bl_queue_pair_flush(peer));
    must(bl_queue_pair_dequeue(peer, burst, count, &given));
    if (accepted != count || given != count)
        exit(1);
    for (size_t at = 0; at < count; at++) {
        struct packet *packet = burst[at]->user;
        const uint8_t *payload = packet->bytes + HEADER;
        if (burst[at]->status == BL_E_TAG_MISMATCH)
            failed++;
        else if (burst[at]->status != BL_OK || payload[0] != (uint8_t) packet->number
            || payload[packet->payload - 1] != (uint8_t) packet->number)
            exit(1);
        transmitted++;
        pool[pooled++] = packet;
    }
}

int main(void)
{
    for (uint32_t spi = 0; spi < ASSOCIATIONS; spi++) {
        uint8_t key[16] = { (uint8_t) spi, 1, 2, 3 };
        struct association *sa = &associations[spi];
        bl_transform transform = { .size = sizeof transform, .algorithm = "aes-128-gcm",
            .direction = "seal", .key = key, .key_len = sizeof key };
        *sa = (struct association) { .spi = spi, .salt = { 9, 9, 9, (uint8_t) spi } };
        must(bl_session_open(&transform, &sa->seal));
        transform.direction = "open";
        must(bl_session_open(&transform, &sa->open));
    }
    printf("%s, %s\n", bl_session_provider(associations[0].seal),
        bl_session_kernel(associations[0].seal));
    for (pooled = 0; pooled < POOL; pooled++)
        pool[pooled] = malloc(sizeof(struct packet));

    /* One queue pair for each lcore; packets leave as they came. */
    bl_queue_config config = { .size = sizeof config, .capacity = POOL, .in_order = 1 };
    bl_queue_pair *gateway, *peer;
    must(bl_queue_pair_open(&config, &gateway));
    must(bl_queue_pair_open(&config, &peer));
    while (transmitted < PACKETS) {
        struct packet *burst[BURST];
        bl_job *jobs[BURST];
        size_t accepted, given, count = receive(burst);
        for (size_t at = 0; at < count; at++) {
            encapsulate(burst[at]);
            jobs[at] = &burst[at]->job;
        }
        must(bl_queue_pair_enqueue(gateway, jobs, count, &accepted));
        if (accepted != count)
            return 1; /* the ring has a place for every buffer of the pool */
        if (count < BURST)
            must(bl_queue_pair_flush(gateway)); /* nothing more to come for now */
        must(bl_queue_pair_dequeue(gateway, jobs, BURST, &given));
        transmit(peer, jobs, given);
    }

    printf("%u packets, %u refused by the peer\n", transmitted, failed);
    bl_queue_pair_close(gateway);
    bl_queue_pair_close(peer);
    for (uint32_t spi = 0; spi < ASSOCIATIONS; spi++) {
        bl_session_close(associations[spi].seal);
        bl_session_close(associations[spi].open);
    }
    while (pooled > 0)
        free(pool[--pooled]);
    return failed == PACKETS / 1000 ? 0 : 1;
}
