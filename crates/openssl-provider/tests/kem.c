/* KEMs, outside of asynchronous jobs and inside: each answer is compared with the default
 * provider's, where it has the algorithm (OpenSSL 3.5), and otherwise with what the other side of
 * the exchange gets.
 *
 *   kem [JOBS]
 *
 * Fails when an answer is wrong, and when no job waited for lanes. The provider's configuration
 * comes from OPENSSL_CONF.
 */
#include <openssl/async.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_JOBS 512
#define MAX_LEN 4096
#define OURS "provider=broadloom"
#define THEIRS "provider=default"

struct kem {
    const char *name;
    /* Bytes of a public key and a ciphertext, and where ML-KEM's part of a public key begins. */
    size_t public_len, text_len, secret_len, ml_kem_at;
    /* SHA-256 of the ciphertext and the secret of a known seed and known randomness. */
    const char *known;
    int has_default;
};

static struct kem kems[] = {
    {"ML-KEM-512", 800, 768, 32, 0,
     "cd77e8181ccd1eb52a3dfe6c7d39edfab3645b42dea48f49b396400e3bea2347", 0},
    {"ML-KEM-768", 1184, 1088, 32, 0,
     "1a51175fffec27b5a6dab234747b8a1c1ad7ba01059b554aac7c40365ad9266d", 0},
    {"ML-KEM-1024", 1568, 1568, 32, 0,
     "3e787db66071113678e0c85356678dc74b2db95ab59d3692c8ab468c0a3c42c8", 0},
    {"X25519MLKEM768", 1216, 1120, 64, 0, NULL, 0},
    {"SecP256r1MLKEM768", 1249, 1153, 64, 65, NULL, 0}};
#define KEMS (sizeof kems / sizeof *kems)

static int failure(const struct kem *kem, const char *what) {
    fprintf(stderr, "kem: %s: %s\n", kem->name, what);
    ERR_print_errors_fp(stderr);
    return 0;
}

static EVP_PKEY *generated(const struct kem *kem, const char *who) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kem->name, who);
    if (context == NULL || EVP_PKEY_keygen_init(context) != 1 ||
        EVP_PKEY_generate(context, &key) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

/* The key that TLS makes of the other side's share. */
static EVP_PKEY *of_share(const struct kem *kem, const char *who, const unsigned char *share,
                          size_t len) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kem->name, who);
    int done = EVP_PKEY_paramgen_init(context) == 1 && EVP_PKEY_paramgen(context, &key) == 1 &&
               EVP_PKEY_set1_encoded_public_key(key, share, len) == 1;
    EVP_PKEY_CTX_free(context);
    if (!done) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    return key;
}

static int encapsulate(const struct kem *kem, const char *who, EVP_PKEY *key, unsigned char *text,
                       unsigned char *secret) {
    size_t text_len = 0, secret_len = 0;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, who);
    int done = context != NULL && EVP_PKEY_encapsulate_init(context, NULL) == 1 &&
               EVP_PKEY_encapsulate(context, NULL, &text_len, NULL, &secret_len) == 1 &&
               text_len == kem->text_len && secret_len == kem->secret_len &&
               EVP_PKEY_encapsulate(context, text, &text_len, secret, &secret_len) == 1 &&
               text_len == kem->text_len && secret_len == kem->secret_len;
    EVP_PKEY_CTX_free(context);
    return done;
}

static int decapsulate(const struct kem *kem, const char *who, EVP_PKEY *key,
                       const unsigned char *text, size_t text_len, unsigned char *secret) {
    size_t len = 0;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, who);
    int done = context != NULL && EVP_PKEY_decapsulate_init(context, NULL) == 1 &&
               EVP_PKEY_decapsulate(context, NULL, &len, text, text_len) == 1 &&
               len == kem->secret_len &&
               EVP_PKEY_decapsulate(context, secret, &len, text, text_len) == 1 &&
               len == kem->secret_len;
    EVP_PKEY_CTX_free(context);
    return done;
}

/* A key that one provider makes, of whose share the second makes a secret, which the first finds in
 * the ciphertext. Of a changed ciphertext it makes another secret, as FIPS 203 wants it. */
static int exchange(const struct kem *kem, const char *first, const char *second) {
    unsigned char text[MAX_LEN], secret[64], found[64], *share = NULL;
    EVP_PKEY *key = generated(kem, first), *other = NULL;
    size_t len = key == NULL ? 0 : EVP_PKEY_get1_encoded_public_key(key, &share);
    int done = len == kem->public_len && (other = of_share(kem, second, share, len)) != NULL &&
               EVP_PKEY_eq(key, other) == 1 &&
               encapsulate(kem, second, other, text, secret) &&
               decapsulate(kem, first, key, text, kem->text_len, found) &&
               memcmp(secret, found, kem->secret_len) == 0;
    text[kem->text_len / 2] ^= 1;
    done = done && decapsulate(kem, first, key, text, kem->text_len, found) &&
           memcmp(secret, found, kem->secret_len) != 0;
    OPENSSL_free(share);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
    return done;
}

/* Both providers find the same secret with one key, also where the ciphertext is changed. */
static int same_secrets(const struct kem *kem, EVP_PKEY *key) {
    unsigned char text[MAX_LEN], secret[64], found[2][64];
    if (!encapsulate(kem, THEIRS, key, text, secret))
        return 0;
    for (int changed = 0; changed < 2; changed++) {
        text[kem->text_len / 2] ^= (unsigned char)changed;
        if (!decapsulate(kem, OURS, key, text, kem->text_len, found[0]) ||
            !decapsulate(kem, THEIRS, key, text, kem->text_len, found[1]) ||
            memcmp(found[0], found[1], kem->secret_len) != 0 ||
            (memcmp(found[0], secret, kem->secret_len) == 0) != !changed)
            return 0;
    }
    return 1;
}

static int operation(const struct kem *kem, int round) {
    switch (kem->has_default ? round % 4 : 0) {
    case 1: return exchange(kem, OURS, THEIRS);
    case 2: return exchange(kem, THEIRS, OURS);
    case 3: {
        /* The default provider neither gives nor takes private keys of the hybrid with P-256. */
        if (kem->ml_kem_at > 0)
            return exchange(kem, OURS, THEIRS);
        EVP_PKEY *key = generated(kem, round & 4 ? OURS : THEIRS);
        int done = key != NULL && same_secrets(kem, key);
        EVP_PKEY_free(key);
        return done;
    }
    default: return exchange(kem, OURS, OURS);
    }
}

static int run(void *argument) {
    int *numbers = argument;
    return operation(&kems[numbers[0]], numbers[1]);
}

/* So many jobs at once. Returns how often one waited for lanes, or -1. */
static int run_all(int count, int round) {
    static ASYNC_JOB *jobs[MAX_JOBS];
    static ASYNC_WAIT_CTX *waits[MAX_JOBS];
    static int done[MAX_JOBS];
    int left = count, paused = 0, failed = 0;
    for (int i = 0; i < count; i++) {
        jobs[i] = NULL;
        waits[i] = ASYNC_WAIT_CTX_new();
        done[i] = 0;
    }
    while (left > 0)
        for (int i = 0; i < count; i++) {
            int numbers[2] = {i % (int)KEMS, round + i / (int)KEMS}, result = 0;
            if (done[i])
                continue;
            int status = ASYNC_start_job(&jobs[i], waits[i], &result, run, numbers, sizeof numbers);
            if (status == ASYNC_PAUSE) {
                paused++;
                continue;
            }
            if (status != ASYNC_FINISH || result != 1)
                failed += !failure(&kems[numbers[0]], "an exchange inside of jobs fails");
            done[i] = 1;
            left--;
        }
    for (int i = 0; i < count; i++)
        ASYNC_WAIT_CTX_free(waits[i]);
    return failed ? -1 : paused;
}

/* A seed and randomness of 0, 1, 2... give what they give everywhere. */
static int known(const struct kem *kem, const char *who) {
    unsigned char bytes[64], text[MAX_LEN], digest[32];
    char hex[65];
    for (int i = 0; i < 64; i++)
        bytes[i] = (unsigned char)i;
    OSSL_PARAM seed[] = {OSSL_PARAM_construct_octet_string("seed", bytes, 64),
        OSSL_PARAM_construct_end()};
    OSSL_PARAM randomness[] = {OSSL_PARAM_construct_octet_string("ikme", bytes, 32),
        OSSL_PARAM_construct_end()};
    EVP_PKEY *key = NULL;
    size_t len = kem->text_len, secret_len = kem->secret_len, digest_len;
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, kem->name, who);
    int done = EVP_PKEY_keygen_init(maker) == 1 && EVP_PKEY_CTX_set_params(maker, seed) == 1 &&
               EVP_PKEY_generate(maker, &key) == 1;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, who);
    done = done && EVP_PKEY_encapsulate_init(context, randomness) == 1 &&
           EVP_PKEY_encapsulate(context, text, &len, text + len, &secret_len) == 1 &&
           EVP_Q_digest(NULL, "SHA256", NULL, text, len + secret_len, digest, &digest_len);
    EVP_PKEY_CTX_free(maker);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(key);
    for (int i = 0; done && i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    if (done && strcmp(hex, kem->known) != 0)
        fprintf(stderr, "kem: %s by %s gives %s\n", kem->name, who, hex);
    return done && strcmp(hex, kem->known) == 0;
}

/* What is wrong is refused: lengths, and a number of ML-KEM that is not below 3329. */
static int refusals(const struct kem *kem) {
    unsigned char *share = NULL, text[MAX_LEN], secret[64];
    EVP_PKEY *key = generated(kem, OURS), *wrong;
    size_t len = EVP_PKEY_get1_encoded_public_key(key, &share);
    int done = encapsulate(kem, OURS, key, text, secret) &&
               !decapsulate(kem, OURS, key, text, kem->text_len - 1, secret);
    /* Too short; the number 4095; and the number 0, which is right. */
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            memset(share + kem->ml_kem_at, i == 1 ? 0xff : 0, 2);
        wrong = of_share(kem, OURS, share, i == 0 ? len - 1 : len);
        done = done && (wrong != NULL) == (i == 2);
        EVP_PKEY_free(wrong);
    }
    OPENSSL_free(share);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return done;
}

int main(int arguments, char **values) {
    int jobs = arguments > 1 ? atoi(values[1]) : 40, paused = 0, with_default = 0;
    if (jobs < 1 || jobs > MAX_JOBS) {
        fprintf(stderr, "kem: from 1 to %d jobs would be right\n", MAX_JOBS);
        return 2;
    }
    for (size_t i = 0; i < KEMS; i++) {
        struct kem *kem = &kems[i];
        EVP_KEYMGMT *theirs = EVP_KEYMGMT_fetch(NULL, kem->name, THEIRS);
        kem->has_default = theirs != NULL;
        with_default += kem->has_default;
        EVP_KEYMGMT_free(theirs);
        ERR_clear_error();
        for (int round = 0; round < 8; round++)
            if (!operation(kem, round))
                return failure(kem, "an exchange outside of jobs fails") || 1;
        if (!refusals(kem))
            return failure(kem, "something wrong was taken") || 1;
        if (kem->known != NULL &&
            (!known(kem, OURS) || (kem->has_default && !known(kem, THEIRS))))
            return failure(kem, "a known answer is wrong") || 1;
    }
    for (int round = 0; round < 8; round++) {
        int waited = run_all(jobs, round);
        if (waited < 0)
            return 1;
        paused += waited;
    }
    if (paused == 0) {
        fprintf(stderr, "kem: no job ever paused: nothing went to lanes\n");
        return 1;
    }
    printf("kem: %zu KEMs, of which the default provider has %d; %d jobs waited for lanes\n", KEMS,
           with_default, paused);
    return 0;
}
