/* Pipelines of OpenSSL 3.5: many texts under one key in one call, each compared with what the
 * default provider makes of it alone.
 *
 *   pipelines [ROUNDS [SEED]]
 *
 * The seed decides how many texts there are, and how long. Without one, it is drawn.
 * Fails when a text or a tag differs, and when a wrong tag is taken. The provider's configuration
 * comes from OPENSSL_CONF.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32
#define MAX_LEN 20000
#define ROOM (MAX_LEN + 64)
#define OURS "provider=broadloom"
#define THEIRS "provider=default"

static const char *ciphers[] = {"AES-128-GCM", "AES-256-GCM", "ChaCha20-Poly1305", "AES-128-CBC",
                                "AES-256-CBC", "AES-128-CTR", "AES-256-OFB", "AES-128-CFB"};
#define CIPHERS (sizeof ciphers / sizeof *ciphers)

static unsigned char key[32], ivs[MOST][16], aad[MOST][32], text[MOST][ROOM];
static unsigned char made[MOST][ROOM], back[MOST][ROOM], expected[ROOM];
static unsigned char tags[MOST][16], expected_tag[16];
static size_t lens[MOST], made_lens[MOST], aad_lens[MOST];
static uint64_t seed;

static size_t draw(size_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % below;
}

/* One text by the default provider. Returns its length. */
static size_t alone(EVP_CIPHER *cipher, int at) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0, len = 0, last = 0;
    int done = EVP_EncryptInit_ex2(context, cipher, key, ivs[at], NULL) == 1 &&
               (!aead || EVP_EncryptUpdate(context, NULL, &len, aad[at], (int)aad_lens[at]) == 1) &&
               EVP_EncryptUpdate(context, expected, &len, text[at], (int)lens[at]) == 1 &&
               EVP_EncryptFinal_ex(context, expected + len, &last) == 1 &&
               (!aead ||
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, expected_tag) == 1);
    EVP_CIPHER_CTX_free(context);
    return done ? (size_t)(len + last) : (size_t)-1;
}

/* All texts in one pipeline, in so many pieces. The context is a new one: OpenSSL 3.5 and 4.0
 * forget the number of texts when a context gets a cipher again. */
static int pipeline(EVP_CIPHER *cipher, int encrypts, size_t count, int pieces,
                    unsigned char from[MOST][ROOM], const size_t *from_lens,
                    unsigned char to[MOST][ROOM], size_t *to_lens) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    const unsigned char *in[MOST], *begin[MOST];
    unsigned char *out[MOST], *tag[MOST], **tag_list = tag;
    size_t in_lens[MOST], out_lens[MOST], rooms[MOST];
    int aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_PIPELINE_AEAD_TAG,
                                                        (void **)&tag_list, 16),
                         OSSL_PARAM_construct_end()};
    for (size_t i = 0; i < count; i++) {
        begin[i] = ivs[i];
        tag[i] = tags[i];
        in[i] = aad[i];
        to_lens[i] = 0;
    }
    size_t iv_len = (size_t)EVP_CIPHER_get_iv_length(cipher);
    size_t key_len = (size_t)EVP_CIPHER_get_key_length(cipher);
    int done = (encrypts ? EVP_CipherPipelineEncryptInit(context, cipher, key, key_len, count,
                                                         begin, iv_len)
                         : EVP_CipherPipelineDecryptInit(context, cipher, key, key_len, count,
                                                         begin, iv_len)) == 1 &&
               (!aead || encrypts || EVP_CIPHER_CTX_set_params(context, list) == 1) &&
               (!aead ||
                EVP_CipherPipelineUpdate(context, NULL, out_lens, NULL, in, aad_lens) == 1);
    for (int piece = 0; done && piece < pieces; piece++) {
        for (size_t i = 0; i < count; i++) {
            size_t start = from_lens[i] * (size_t)piece / (size_t)pieces;
            in[i] = from[i] + start;
            in_lens[i] = from_lens[i] * (size_t)(piece + 1) / (size_t)pieces - start;
            out[i] = to[i] + to_lens[i];
            rooms[i] = ROOM - to_lens[i];
        }
        done = EVP_CipherPipelineUpdate(context, out, out_lens, rooms, in, in_lens) == 1;
        for (size_t i = 0; done && i < count; i++)
            to_lens[i] += out_lens[i];
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = to[i] + to_lens[i];
        rooms[i] = ROOM - to_lens[i];
    }
    done = done && EVP_CipherPipelineFinal(context, out, out_lens, rooms) == 1 &&
           (!aead || !encrypts || EVP_CIPHER_CTX_get_params(context, list) == 1);
    for (size_t i = 0; done && i < count; i++)
        to_lens[i] += out_lens[i];
    EVP_CIPHER_CTX_free(context);
    return done;
}

static int round_of(const char *name) {
    EVP_CIPHER *ours = EVP_CIPHER_fetch(NULL, name, OURS);
    EVP_CIPHER *theirs = EVP_CIPHER_fetch(NULL, name, THEIRS);
    size_t count = 1 + draw(MOST), back_lens[MOST];
    int aead = (EVP_CIPHER_get_flags(theirs) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    int pieces = draw(3) ? 1 : 1 + (int)draw(3), is_long = draw(3) > 0, done = 1;
    RAND_bytes(key, sizeof key);
    RAND_bytes(ivs[0], sizeof ivs);
    for (size_t i = 0; i < count; i++) {
        lens[i] = is_long ? 4096 + draw(MAX_LEN - 4096) : draw(3000);
        aad_lens[i] = draw(2) ? draw(33) : 13;
    }
    if (!EVP_CIPHER_can_pipeline(ours, 1) || !EVP_CIPHER_can_pipeline(ours, 0))
        done = 0;
    done = done && pipeline(ours, 1, count, pieces, text, lens, made, made_lens);
    for (size_t i = 0; done && i < count; i++) {
        size_t len = alone(theirs, (int)i);
        done = len == made_lens[i] && memcmp(expected, made[i], len) == 0 &&
               (!aead || memcmp(expected_tag, tags[i], 16) == 0);
        if (!done)
            fprintf(stderr, "pipelines: text %zu of %zu, %zu bytes, is wrong\n", i, count, lens[i]);
    }
    done = done && pipeline(ours, 0, count, pieces, made, made_lens, back, back_lens);
    for (size_t i = 0; done && i < count; i++)
        done = back_lens[i] == lens[i] && memcmp(back[i], text[i], lens[i]) == 0;
    if (done && aead) {
        tags[draw(count)][draw(16)] ^= 1;
        done = !pipeline(ours, 0, count, pieces, made, made_lens, back, back_lens);
        ERR_clear_error();
    }
    EVP_CIPHER_free(ours);
    EVP_CIPHER_free(theirs);
    return done;
}

int main(int arguments, char **values) {
    int rounds = arguments > 1 ? atoi(values[1]) : 20;
    if (arguments > 2)
        seed = strtoull(values[2], NULL, 0);
    else
        RAND_bytes((unsigned char *)&seed, sizeof seed);
    printf("pipelines: seed %llu\n", (unsigned long long)seed);
    RAND_bytes(text[0], sizeof text);
    RAND_bytes(aad[0], sizeof aad);
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < CIPHERS; i++)
            if (!round_of(ciphers[i])) {
                fprintf(stderr, "pipelines: %s fails in round %d\n", ciphers[i], round);
                ERR_print_errors_fp(stderr);
                return 1;
            }
    printf("pipelines: %zu ciphers are as the default provider's\n", CIPHERS);
    return 0;
}
