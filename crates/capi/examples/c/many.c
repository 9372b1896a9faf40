/*
 * Calls on many buffers, without objects: hash, authenticate, seal and open, compress.
 *
 *   cc many.c $(pkg-config --cflags --libs broadloom) -o many && ./many
 */
#include <broadloom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 64

/* Ends the program where a call has failed. */
static void must(bl_status status)
{
    if (status != BL_OK) {
        fprintf(stderr, "%s: %s\n", bl_status_text(status), bl_last_error());
        exit(1);
    }
}

static void print(const char *what, const uint8_t *bytes, size_t len)
{
    printf("%s: ", what);
    for (size_t at = 0; at < len; at++)
        printf("%02x", bytes[at]);
    printf("\n");
}

int main(void)
{
    static const char *texts[3] = { "abc", "", "many buffers, side by side" };
    uint8_t digests[3][32];
    bl_job jobs[3];

    for (int at = 0; at < 3; at++) {
        jobs[at] = (bl_job) { .size = sizeof(bl_job), .source = (const uint8_t *) texts[at],
            .len = strlen(texts[at]), .tag = digests[at], .tag_len = 32 };
    }
    must(bl_hash_many("sha256", jobs, 3));
    print("sha256(\"abc\")", digests[0], 32);

    must(bl_hmac_many("sha256", (const uint8_t *) "key", 3, jobs, 3));
    print("hmac-sha256(\"key\", \"abc\")", digests[0], 32);

    /* Packets, in place, each under a nonce of its own. */
    uint8_t key[16] = { 7 }, packets[COUNT][256], nonces[COUNT][12] = { { 0 } }, tags[COUNT][16];
    bl_job seal[COUNT];
    for (int at = 0; at < COUNT; at++) {
        memset(packets[at], at, sizeof packets[at]);
        nonces[at][0] = (uint8_t) at;
        seal[at] = (bl_job) { .size = sizeof(bl_job), .source = packets[at], .len = 256,
            .destination = packets[at], .nonce = nonces[at], .nonce_len = 12,
            .tag = tags[at], .tag_len = 16 };
    }
    must(bl_seal_many("aes-128-gcm", key, sizeof key, seal, COUNT));
    tags[5][0] ^= 1;
    if (bl_open_many("aes-128-gcm", key, sizeof key, seal, COUNT) != BL_E_JOBS)
        return 1;
    printf("%s\n", bl_last_error());
    for (int at = 0; at < COUNT; at++) {
        bl_status right = at == 5 ? BL_E_TAG_MISMATCH : BL_OK;
        if (seal[at].status != right || (right == BL_OK && packets[at][255] != at))
            return 1;
    }

    /* One input of any length. */
    size_t len = 1 << 20, room = 1 << 20, compressed, back;
    uint8_t *input = calloc(len, 1), *output = malloc(room), *again = malloc(len);
    for (size_t at = 0; at < len; at++)
        input[at] = (uint8_t) (at / 100);
    must(bl_compress(NULL, input, len, output, room, &compressed));
    must(bl_decompress(NULL, output, compressed, again, len, &back));
    printf("gzip: %s\n", back == len && memcmp(input, again, len) == 0 ? "same" : "different");
    if (bl_decompress(NULL, output, compressed / 2, again, len, &back) != BL_E_DATA)
        return 1;
    printf("cut short: %s\n", bl_last_error());
    free(input);
    free(output);
    free(again);
    return 0;
}
