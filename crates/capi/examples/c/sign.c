/*
 * Signs many messages with a private key, and checks the signatures with the public one.
 *
 *   openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem
 *   openssl pkey -in key.pem -pubout -out public.pem
 *   cc sign.c $(pkg-config --cflags --libs broadloom) -o sign
 *   ./sign key.pem public.pem first.sig
 */
#include <broadloom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 16

static void must(bl_status status)
{
    if (status != BL_OK) {
        fprintf(stderr, "%s: %s\n", bl_status_text(status), bl_last_error());
        exit(1);
    }
}

static size_t load(const char *path, uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t len = fread(bytes, 1, room, file);
    fclose(file);
    return len;
}

int main(int argc, char **argv)
{
    uint8_t private_key[8192], public_key[8192], signatures[COUNT][512];
    char messages[COUNT][32];
    bl_job jobs[COUNT];
    if (argc != 4) {
        fprintf(stderr, "usage: sign PRIVATE.pem PUBLIC.pem SIGNATURE\n");
        return 2;
    }
    size_t private_len = load(argv[1], private_key, sizeof private_key);
    size_t public_len = load(argv[2], public_key, sizeof public_key);
    for (int at = 0; at < COUNT; at++) {
        int len = snprintf(messages[at], sizeof messages[at], "message %d", at);
        jobs[at] = (bl_job) { .size = sizeof(bl_job), .source = (uint8_t *) messages[at],
            .len = (size_t) len, .tag = signatures[at], .tag_len = sizeof signatures[at] };
    }
    must(bl_sign_many(NULL, private_key, private_len, jobs, COUNT));
    for (int at = 0; at < COUNT; at++)
        jobs[at].tag_len = jobs[at].produced;
    must(bl_verify_many(NULL, public_key, public_len, jobs, COUNT));
    messages[3][0] ^= 1;
    if (bl_verify_many(NULL, public_key, public_len, jobs, COUNT) != BL_E_JOBS
        || jobs[3].status != BL_E_SIGNATURE_MISMATCH || jobs[4].status != BL_OK)
        return 1;
    printf("%s\n", bl_last_error());
    FILE *file = fopen(argv[3], "wb");
    if (!file || fwrite(signatures[0], 1, jobs[0].produced, file) != jobs[0].produced)
        return 1;
    fclose(file);
    memset(private_key, 0, sizeof private_key);
    return 0;
}
