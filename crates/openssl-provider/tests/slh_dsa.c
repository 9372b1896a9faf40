/* Signatures of SLH-DSA, outside of asynchronous jobs and inside, compared with the default
 * provider's, which has them since OpenSSL 3.5.
 *
 *   slh_dsa [JOBS]
 *
 * Signs with one provider and verifies with the other, with and without a context string; finds
 * changed messages and signatures; and has both providers make the same signature where it does not
 * depend on randomness. The provider's configuration comes from OPENSSL_CONF.
 */
#include <openssl/async.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_JOBS 64
#define MAX_LEN 50000
#define OURS "provider=broadloom"
#define THEIRS "provider=default"

/* The fast sets, and one of the small ones. */
static const char *sets[] = {"SLH-DSA-SHA2-128f",  "SLH-DSA-SHAKE-128f", "SLH-DSA-SHA2-192f",
                             "SLH-DSA-SHAKE-192f", "SLH-DSA-SHA2-256f",  "SLH-DSA-SHAKE-256f",
                             "SLH-DSA-SHA2-128s"};
#define SETS (sizeof sets / sizeof *sets)
static EVP_PKEY *keys[SETS];
static const unsigned char text[] = "Broadloom weaves many threads side by side.";

/* What is set for a signature. */
struct how {
    const char *context;
    int deterministic, encoding;
    const unsigned char *randomness;
};

static int begin(EVP_MD_CTX *context, const char *who, EVP_PKEY *key, const struct how *how,
                 int signs) {
    int deterministic = how->deterministic, encoding = how->encoding, count = 0;
    OSSL_PARAM list[5];
    list[count++] = OSSL_PARAM_construct_int("deterministic", &deterministic);
    list[count++] = OSSL_PARAM_construct_int("message-encoding", &encoding);
    if (how->context != NULL)
        list[count++] = OSSL_PARAM_construct_octet_string("context-string", (char *)how->context,
                                                          strlen(how->context));
    if (how->randomness != NULL)
        list[count++] = OSSL_PARAM_construct_octet_string(
            "test-entropy", (unsigned char *)how->randomness,
            (size_t)EVP_PKEY_get_bits(key) / 8 / 2);
    list[count] = OSSL_PARAM_construct_end();
    return signs ? EVP_DigestSignInit_ex(context, NULL, NULL, NULL, who, key, list)
                 : EVP_DigestVerifyInit_ex(context, NULL, NULL, NULL, who, key, list);
}

static size_t sign(const char *who, EVP_PKEY *key, const struct how *how, unsigned char *made) {
    size_t len = 0, room = MAX_LEN;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = begin(context, who, key, how, 1) == 1 &&
               EVP_DigestSign(context, NULL, &len, text, sizeof text) == 1 &&
               EVP_DigestSign(context, made, &room, text, sizeof text) == 1 && room == len;
    EVP_MD_CTX_free(context);
    return done ? len : 0;
}

static int verify(const char *who, EVP_PKEY *key, const struct how *how, const unsigned char *made,
                  size_t len, const unsigned char *message) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = begin(context, who, key, how, 0) == 1 &&
               EVP_DigestVerify(context, made, len, message, sizeof text) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return done;
}

static int both_ways(EVP_PKEY *key, const struct how *how, const char *signer,
                     const char *verifier) {
    unsigned char *made = malloc(MAX_LEN), changed[sizeof text];
    struct how other = *how;
    size_t len = sign(signer, key, how, made);
    int done = len > 0 && verify(verifier, key, how, made, len, text);
    memcpy(changed, text, sizeof text);
    changed[3] ^= 1;
    done = done && !verify(verifier, key, how, made, len, changed);
    other.context = "another";
    done = done && !verify(verifier, key, &other, made, len, text) &&
           !verify(verifier, key, how, made, len - 1, text);
    made[len / 2] ^= 1;
    done = done && !verify(verifier, key, how, made, len, text);
    free(made);
    return done;
}

static int same(EVP_PKEY *key, const struct how *how) {
    unsigned char *made[2] = {malloc(MAX_LEN), malloc(MAX_LEN)};
    size_t len = sign(OURS, key, how, made[0]);
    int done = len > 0 && len == sign(THEIRS, key, how, made[1]) &&
               memcmp(made[0], made[1], len) == 0;
    free(made[0]);
    free(made[1]);
    return done;
}

static int operation(EVP_PKEY *key, int round) {
    static const unsigned char bytes[32] = {1, 2, 3};
    const struct how plain = {NULL, 0, 1, NULL}, named = {"tapestry", 0, 1, NULL},
                     fixed = {round & 1 ? "tapestry" : NULL, 1, 1, NULL},
                     known = {NULL, 0, 1, bytes}, raw = {NULL, 1, 0, NULL};
    switch (round % 6) {
    case 0: return both_ways(key, &plain, OURS, THEIRS);
    case 1: return both_ways(key, &named, THEIRS, OURS);
    case 2: return same(key, &fixed);
    case 3: return same(key, &fixed) && both_ways(key, &named, OURS, THEIRS);
    case 4: return same(key, &known);
    default: return same(key, &raw);
    }
}

static int run(void *argument) {
    int *numbers = argument;
    return operation(keys[numbers[0]], numbers[1]);
}

static int run_all(int count) {
    static ASYNC_JOB *jobs[MAX_JOBS];
    static ASYNC_WAIT_CTX *waits[MAX_JOBS];
    static int done[MAX_JOBS];
    int left = count, paused = 0;
    for (int i = 0; i < count; i++)
        waits[i] = ASYNC_WAIT_CTX_new();
    while (left > 0)
        for (int i = 0; i < count; i++) {
            int numbers[2] = {i % 2, i}, result = 0;
            if (done[i])
                continue;
            int status = ASYNC_start_job(&jobs[i], waits[i], &result, run, numbers, sizeof numbers);
            if (status == ASYNC_PAUSE) {
                paused++;
                continue;
            }
            if (status != ASYNC_FINISH || result != 1) {
                fprintf(stderr, "slh_dsa: job %d fails\n", i);
                ERR_print_errors_fp(stderr);
                exit(1);
            }
            done[i] = 1;
            left--;
        }
    for (int i = 0; i < count; i++)
        ASYNC_WAIT_CTX_free(waits[i]);
    return paused;
}

int main(int arguments, char **values) {
    int jobs = arguments > 1 ? atoi(values[1]) : 12;
    if (jobs < 1 || jobs > MAX_JOBS) {
        fprintf(stderr, "slh_dsa: from 1 to %d jobs would be right\n", MAX_JOBS);
        return 2;
    }
    for (size_t i = 0; i < SETS; i++) {
        int rounds = sets[i][strlen(sets[i]) - 1] == 's' ? 1 : 6;
        keys[i] = EVP_PKEY_Q_keygen(NULL, OURS, sets[i]);
        for (int round = 0; round < rounds; round++)
            if (keys[i] == NULL || !operation(keys[i], round)) {
                fprintf(stderr, "slh_dsa: %s: round %d fails\n", sets[i], round);
                ERR_print_errors_fp(stderr);
                return 1;
            }
    }
    int paused = run_all(jobs);
    if (paused == 0) {
        fprintf(stderr, "slh_dsa: no job ever paused: nothing went to lanes\n");
        return 1;
    }
    for (size_t i = 0; i < SETS; i++)
        EVP_PKEY_free(keys[i]);
    printf("slh_dsa: %zu sets are as the default provider's; %d jobs waited for lanes\n", SETS,
           paused);
    return 0;
}
