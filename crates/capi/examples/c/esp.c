/*
 * Two ends of an IPsec tunnel, in bursts: the sender protects payloads as ESP and sends them in UDP
 * over loopback. The receiver takes them from its socket, finds the security association of each by
 * its SPI, and unprotects them. Of each burst the network damages one packet and repeats another.
 *
 *   cc esp.c $(pkg-config --cflags --libs broadloom) -o esp && ./esp
 */
#include <arpa/inet.h>
#include <broadloom.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ASSOCIATIONS 4
#define BURST 32
#define PACKETS 320
#define ROOM 2048
#define HEAD 128 /* room before a packet, for headers and the IV */
#define FIRST_SPI 256

static bl_flow *outbound[ASSOCIATIONS], *inbound[ASSOCIATIONS];
static uint8_t buffers[BURST][ROOM];
static bl_packet burst[BURST];

static void must(int succeeds, const char *what)
{
    if (!succeeds) {
        fprintf(stderr, "%s: %s\n", what, bl_last_error());
        exit(1);
    }
}

/* Opens both directions of a security association; a key exchange such as IKEv2 has the keys. */
static void associate(unsigned number)
{
    uint8_t key[16] = { (uint8_t) number, 1, 2, 3 }, salt[4] = { (uint8_t) number };
    bl_esp_config config = { .size = sizeof config, .algorithm = "esp-aes-128-gcm", .key = key,
        .key_len = sizeof key, .salt = salt, .salt_len = sizeof salt, .spi = FIRST_SPI + number,
        .flags = BL_ESP_EXTENDED, .window = 1024 };
    config.direction = "protect";
    must(bl_esp_open(&config, &outbound[number]) == BL_OK, "an outbound flow");
    config.direction = "unprotect";
    must(bl_esp_open(&config, &inbound[number]) == BL_OK, "an inbound flow");
}

/* Writes a payload for an association into a buffer, with room around it. */
static void write_packet(unsigned number, unsigned place)
{
    size_t len = 20 + number * 37 % 1300;
    memset(buffers[place] + HEAD, (int) number, len);
    burst[place] = (bl_packet) { .size = sizeof(bl_packet),
        .flow = outbound[number % ASSOCIATIONS], .buffer = buffers[place], .room = ROOM,
        .begin = HEAD, .len = len, .kind = 17 };
}

/* Takes a packet from a socket into a buffer, and finds its association. */
static int receive_packet(int socket, unsigned place)
{
    ssize_t len = recv(socket, buffers[place] + HEAD, ROOM - HEAD, MSG_DONTWAIT);
    if (len < 0)
        return 0;
    uint32_t spi = bl_esp_payload_spi(buffers[place] + HEAD, (size_t) len);
    must(spi >= FIRST_SPI && spi < FIRST_SPI + ASSOCIATIONS, "a packet of nobody");
    burst[place] = (bl_packet) { .size = sizeof(bl_packet), .flow = inbound[spi - FIRST_SPI],
        .buffer = buffers[place], .room = ROOM, .begin = HEAD, .len = (size_t) len };
    return 1;
}

int main(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t address_len = sizeof address;
    int sender = socket(AF_INET, SOCK_DGRAM, 0), receiver = socket(AF_INET, SOCK_DGRAM, 0);
    must(bind(receiver, (struct sockaddr *) &address, sizeof address) == 0, "bind");
    must(getsockname(receiver, (struct sockaddr *) &address, &address_len) == 0, "getsockname");
    must(connect(sender, (struct sockaddr *) &address, sizeof address) == 0, "connect");

    for (unsigned number = 0; number < ASSOCIATIONS; number++)
        associate(number);
    bl_processor *processor; /* one for each thread */
    must(bl_processor_open(&processor) == BL_OK, "a processor");

    unsigned delivered = 0, forged = 0, repeated = 0;
    for (unsigned first = 0; first < PACKETS; first += BURST) {
        for (unsigned place = 0; place < BURST; place++)
            write_packet(first + place, place);
        must(bl_protect_burst(processor, burst, BURST) == BL_OK, "a burst to send");
        for (unsigned place = 0; place < BURST; place++) {
            uint8_t *packet = burst[place].buffer + burst[place].begin;
            if (place == 7)
                packet[20] ^= 1;
            int copies = place == 9 ? 2 : 1;
            while (copies-- > 0)
                must(send(sender, packet, burst[place].len, 0) >= 0, "send");
        }
        unsigned left = BURST + 1;
        while (left > 0) {
            unsigned count = 0;
            while (count < BURST && receive_packet(receiver, count))
                count++;
            must(count > 0, "packets were lost");
            left -= count;
            /* Each packet has a status, so that what the call returns is nothing new. */
            bl_unprotect_burst(processor, burst, count);
            for (unsigned place = 0; place < count; place++) {
                const bl_packet *packet = &burst[place];
                if (packet->status == BL_OK && packet->kind == 17)
                    delivered++;
                else if (packet->status == BL_PACKET_INTEGRITY)
                    forged++;
                else if (packet->status == BL_PACKET_REPLAY)
                    repeated++;
                else
                    must(0, bl_status_text(packet->status));
            }
        }
    }
    printf("%u packets delivered, %u forged, %u repeated\n", delivered, forged, repeated);
    bl_processor_close(processor);
    for (unsigned number = 0; number < ASSOCIATIONS; number++) {
        bl_flow_close(outbound[number]);
        bl_flow_close(inbound[number]);
    }
    close(sender);
    close(receiver);
    return delivered == PACKETS / BURST * 31 && forged == PACKETS / BURST
        && repeated == PACKETS / BURST ? 0 : 1;
}
