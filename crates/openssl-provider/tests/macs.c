/* MACs of the provider, called in random orders, each call compared with the default provider's.
 *
 *   macs [SEQUENCES [SEED]]
 *
 * Draws so many sequences of calls, half of them inside of jobs: begin with and without a key, a
 * digest or a parameter, pieces around the lengths at which the provider changes its way, end,
 * copies of contexts. A context that has ended is begun again before all else: what it does
 * otherwise is not the same in all versions of OpenSSL. Fails when a status, a length or a byte of
 * output differs. The provider's configuration comes from OPENSSL_CONF.
 */
#include <openssl/async.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 9000

static const char *const names[] = {"HMAC", "HMAC", "HMAC", "KMAC-128", "KMAC-256"};
static const char *const digests[] = {"SHA256", "SHA1",     "SHA512",   "MD5",
                                      "SM3",    "SHA3-256", "SHA2-384", "RIPEMD160"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static unsigned long long seed;
static unsigned char noise[4 * MOST];
static EVP_MAC *macs[2][COUNT(names)];

static unsigned draw(unsigned below) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(seed >> 33) % below;
}

struct outcome {
    int status;
    size_t len, size;
    unsigned char out[200];
};

enum kind { INIT, SET, UPDATE, END, COPY, KINDS };

/* One call, of the same arguments for both providers. */
static void make(EVP_MAC_CTX **context, enum kind kind, const unsigned char *data, size_t len,
                 const OSSL_PARAM *list, struct outcome *made) {
    made->len = 0;
    switch (kind) {
    case INIT: made->status = EVP_MAC_init(*context, data, len, list); break;
    case SET: made->status = EVP_MAC_CTX_set_params(*context, list); break;
    case UPDATE: made->status = EVP_MAC_update(*context, data, len); break;
    case END:
        made->status = EVP_MAC_final(*context, made->out, &made->len, sizeof made->out);
        break;
    case COPY: {
        EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(*context);
        EVP_MAC_CTX_free(*context);
        *context = copy;
        made->status = copy != NULL;
        break;
    }
    case KINDS: abort();
    }
    made->size = EVP_MAC_CTX_get_mac_size(*context);
    ERR_clear_error();
}

/* Whether a sequence of calls has the same answers from both. */
static int sequence(void) {
    static const char *const kinds[] = {"init", "set", "update", "end", "copy"};
    static const unsigned lens[] = {0, 1, 63, 64, 127, 128, 129, 999, 1000, 1001, 4096, 8999};
    size_t which = draw(COUNT(names));
    int is_hmac = which < 3, must_begin = 1, has_key = 0, same = 1;
    EVP_MAC_CTX *contexts[2] = {EVP_MAC_CTX_new(macs[0][which]), EVP_MAC_CTX_new(macs[1][which])};
    static struct outcome outcomes[2];
    for (unsigned left = 3 + draw(12); same && left > 0; left--) {
        enum kind kind = must_begin ? INIT : (enum kind)draw(KINDS);
        const unsigned char *data = noise + draw(3 * MOST);
        size_t len = lens[draw(COUNT(lens))], count = 0, size = 8 + draw(60);
        OSSL_PARAM list[3];
        if (kind == INIT) {
            len = 4 + draw(150);
            if (has_key && draw(2))
                data = NULL, len = 0;
        }
        if ((kind == INIT && (!has_key || draw(4) == 0)) || (kind == SET && draw(2))) {
            if (is_hmac)
                list[count++] = OSSL_PARAM_construct_utf8_string(
                    OSSL_MAC_PARAM_DIGEST, (char *)digests[draw(COUNT(digests))], 0);
            else if (draw(2))
                list[count++] = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size);
        }
        if (kind == SET && draw(4) == 0)
            list[count++] =
                OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)data, 40);
        list[count] = OSSL_PARAM_construct_end();
        for (int who = 0; who < 2; who++) {
            memset(&outcomes[who], 0x5a, sizeof outcomes[who]);
            make(&contexts[who], kind, data, len, list, &outcomes[who]);
        }
        same = memcmp(&outcomes[0], &outcomes[1], sizeof outcomes[0]) == 0;
        if (!same)
            fprintf(stderr, "%s: %s of %zu bytes%s%s%s: status %d, and %d would be right\n",
                    names[which], kinds[kind], len, kind == INIT && data ? " with a key" : "",
                    count ? " and " : "", count ? list[0].key : "", outcomes[0].status,
                    outcomes[1].status);
        has_key |= kind == INIT && outcomes[1].status == 1;
        must_begin = kind == END || outcomes[1].status != 1;
    }
    for (int who = 0; who < 2; who++)
        EVP_MAC_CTX_free(contexts[who]);
    return same;
}

static int sequences(void *argument) {
    int left = *(int *)argument;
    while (left > 0 && sequence())
        left--;
    return left == 0;
}

int main(int count, char **arguments) {
    int half = (count > 1 ? atoi(arguments[1]) : 20000) / 2, paused = 0, status, result = 0;
    unsigned long long first;
    if (count > 2)
        first = strtoull(arguments[2], NULL, 0);
    else
        RAND_bytes((unsigned char *)&first, sizeof first);
    printf("macs: seed %llu\n", first);
    fflush(stdout);
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)draw(256);
    for (size_t i = 0; i < COUNT(names); i++) {
        macs[0][i] = EVP_MAC_fetch(NULL, names[i], "provider=broadloom");
        macs[1][i] = EVP_MAC_fetch(NULL, names[i], "provider=default");
    }
    seed = first;
    if (!sequences(&half))
        return 1;
    ASYNC_JOB *job = NULL;
    ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
    while ((status = ASYNC_start_job(&job, wait, &result, sequences, &half, sizeof half)) ==
           ASYNC_PAUSE)
        paused++;
    ASYNC_WAIT_CTX_free(wait);
    if (status != ASYNC_FINISH || result != 1 || paused == 0) {
        fprintf(stderr, "macs: wrong inside of a job, or never paused\n");
        return 1;
    }
    printf("macs: %d sequences are as the default provider's, %d pauses\n", 2 * half, paused);
    return 0;
}
