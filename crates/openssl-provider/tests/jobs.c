/* Operations inside asynchronous jobs of libcrypto, each compared with the default provider's.
 *
 *   jobs [JOBS]
 *
 * Starts so many jobs at once, sleeps until the descriptors of some are readable, resumes those,
 * and fails when an answer is wrong, or when a job waits for longer than a minute. The provider's
 * configuration comes from OPENSSL_CONF.
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
#define MAX_LEN 40000
#define OURS "provider=broadloom"
#define THEIRS "provider=default"

static EVP_PKEY *rsa, *ed25519, *mine, *other, *curves[3][2];
static int has_curves;
static unsigned char text[MAX_LEN];

static int digest(const char *name, size_t len) {
    unsigned char got[2][64];
    unsigned int got_len[2];
    const char *where[2] = {OURS, THEIRS};
    for (int i = 0; i < 2; i++) {
        EVP_MD *md = EVP_MD_fetch(NULL, name, where[i]);
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        /* In three pieces, so that states go through lanes, too. */
        size_t first = len / 3, second = len / 2;
        int done = md != NULL && EVP_DigestInit_ex2(context, md, NULL) &&
                   EVP_DigestUpdate(context, text, first) &&
                   EVP_DigestUpdate(context, text + first, second - first) &&
                   EVP_DigestUpdate(context, text + second, len - second) &&
                   EVP_DigestFinal_ex(context, got[i], &got_len[i]);
        EVP_MD_CTX_free(context);
        EVP_MD_free(md);
        if (!done)
            return 0;
    }
    return got_len[0] == got_len[1] && memcmp(got[0], got[1], got_len[0]) == 0;
}

static int mac(const char *name, size_t len) {
    unsigned char got[2][64];
    size_t got_len[2] = {0};
    const char *where[2] = {OURS, THEIRS};
    for (int i = 0; i < 2; i++) {
        EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", where[i]);
        EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
        OSSL_PARAM list[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)name, 0),
            OSSL_PARAM_construct_end()};
        int done = EVP_MAC_init(context, text, len % 200, list) &&
                   EVP_MAC_update(context, text, len) &&
                   EVP_MAC_final(context, got[i], &got_len[i], sizeof got[i]);
        EVP_MAC_CTX_free(context);
        EVP_MAC_free(hmac);
        if (!done)
            return 0;
    }
    return got_len[0] == got_len[1] && memcmp(got[0], got[1], got_len[0]) == 0;
}

/* Signs with one provider, and verifies with the other, which must find a changed message, too. */
static int signature(EVP_PKEY *key, const char *hash, int pss, const char *signer,
                     const char *verifier) {
    unsigned char made[512];
    size_t made_len = sizeof made, len = 1000;
    int done = 0;
    for (int changed = -1; changed < 2; changed++) {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        EVP_PKEY_CTX *how;
        const char *where = changed < 0 ? signer : verifier;
        int begun = changed < 0
                        ? EVP_DigestSignInit_ex(context, &how, hash, NULL, where, key, NULL)
                        : EVP_DigestVerifyInit_ex(context, &how, hash, NULL, where, key, NULL);
        if (begun == 1 && pss) {
            OSSL_PARAM list[] = {
                OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_PAD_MODE, "pss", 0),
                OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "digest", 0),
                OSSL_PARAM_construct_end()};
            begun = EVP_PKEY_CTX_set_params(how, list);
        }
        if (begun == 1)
            done = changed < 0 ? EVP_DigestSign(context, made, &made_len, text, len)
                               : EVP_DigestVerify(context, made, made_len, text + changed, len);
        EVP_MD_CTX_free(context);
        ERR_clear_error();
        if (begun != 1 || (done == 1) != (changed < 1))
            return 0;
    }
    return 1;
}

static int exchange(EVP_PKEY *mine, EVP_PKEY *other) {
    unsigned char got[2][66];
    size_t lens[2];
    for (int i = 0; i < 2; i++) {
        lens[i] = sizeof got[i];
        EVP_PKEY_CTX *context =
            EVP_PKEY_CTX_new_from_pkey(NULL, i ? other : mine, i ? THEIRS : OURS);
        int done = EVP_PKEY_derive_init(context) == 1 &&
                   EVP_PKEY_derive_set_peer(context, i ? mine : other) == 1 &&
                   EVP_PKEY_derive(context, got[i], &lens[i]) == 1;
        EVP_PKEY_CTX_free(context);
        if (!done)
            return 0;
    }
    return lens[0] >= 32 && lens[0] == lens[1] && memcmp(got[0], got[1], lens[0]) == 0;
}

static EVP_PKEY *generated(const char *type, const char *group, const char *who) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME,
                                                          (char *)(group ? group : ""), 0),
        OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, who);
    if (EVP_PKEY_keygen_init(context) != 1 ||
        (group != NULL && EVP_PKEY_CTX_set_params(context, list) != 1) ||
        EVP_PKEY_generate(context, &key) != 1) {
        ERR_print_errors_fp(stderr);
        exit(1);
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

/* A key that is made inside a job agrees with another by the default provider, too. */
static int generation(void) {
    EVP_PKEY *made = generated("X25519", NULL, OURS);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, made, THEIRS);
    int done = EVP_PKEY_pairwise_check(context) == 1 && exchange(made, other);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(made);
    return done;
}

static int decryption(const char *padding) {
    unsigned char made[512], back[512];
    size_t made_len = sizeof made, back_len = sizeof back;
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_PAD_MODE, (char *)padding, 0),
        OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *theirs = EVP_PKEY_CTX_new_from_pkey(NULL, rsa, THEIRS);
    EVP_PKEY_CTX *ours = EVP_PKEY_CTX_new_from_pkey(NULL, rsa, OURS);
    int done = EVP_PKEY_encrypt_init_ex(theirs, list) == 1 &&
               EVP_PKEY_encrypt(theirs, made, &made_len, text, 48) == 1 &&
               EVP_PKEY_decrypt_init_ex(ours, list) == 1 &&
               EVP_PKEY_decrypt(ours, back, &back_len, made, made_len) == 1 && back_len == 48 &&
               memcmp(back, text, 48) == 0;
    EVP_PKEY_CTX_free(theirs);
    EVP_PKEY_CTX_free(ours);
    return done;
}

#ifdef OSSL_ASYM_CIPHER_PARAM_IMPLICIT_REJECTION
/* A wrong padding is an error where implicit rejection is off. */
static int rejection(void) {
    unsigned char block[256] = {0, 3}, made[256], back[256];
    size_t made_len = sizeof made, back_len = sizeof back;
    unsigned rejects = 0;
    OSSL_PARAM none[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_PAD_MODE, (char *)"none", 0),
        OSSL_PARAM_construct_end()};
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_PAD_MODE, (char *)"pkcs1", 0),
        OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_IMPLICIT_REJECTION, &rejects),
        OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *theirs = EVP_PKEY_CTX_new_from_pkey(NULL, rsa, THEIRS);
    EVP_PKEY_CTX *ours = EVP_PKEY_CTX_new_from_pkey(NULL, rsa, OURS);
    int done = EVP_PKEY_encrypt_init_ex(theirs, none) == 1 &&
               EVP_PKEY_encrypt(theirs, made, &made_len, block, sizeof block) == 1 &&
               EVP_PKEY_decrypt_init_ex(ours, list) == 1 &&
               EVP_PKEY_decrypt(ours, back, &back_len, made, made_len) != 1;
    EVP_PKEY_CTX_free(theirs);
    EVP_PKEY_CTX_free(ours);
    ERR_clear_error();
    return done;
}
#else
/* Before OpenSSL 3.2, the setting is unknown. */
static int rejection(void) {
    return decryption("pkcs1");
}
#endif

static int operation(int number, int round) {
    static const char *hashes[] = {"MD5",    "SHA1",   "SHA224",   "SHA256",   "SHA384",
                                   "SHA512", "SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512"};
    const char *hash = hashes[number / 10 % 10];
    size_t len = (size_t)(number * 977 + round * 6151) % MAX_LEN;
    switch (number % 10) {
    case 0: return digest(hash, len);
    case 1: return digest("SHA256", len);
    case 2: return mac(hash, len);
    case 3: return signature(rsa, "SHA256", round & 1, OURS, THEIRS);
    case 4: return signature(rsa, "SHA384", round & 1, THEIRS, OURS);
    case 5: return round & 1 ? generation() : exchange(mine, other);
    case 6:
        return round & 1 ? signature(ed25519, NULL, 0, OURS, THEIRS)
                         : signature(ed25519, NULL, 0, THEIRS, OURS);
    case 7: return round % 3 == 2 ? rejection() : decryption(round & 1 ? "oaep" : "pkcs1");
    case 8: {
        if (!has_curves)
            return digest(hash, len);
        EVP_PKEY *signing = curves[number / 10 % 3][0];
        return round & 1 ? signature(signing, "SHA256", 0, OURS, THEIRS)
                         : signature(signing, "SHA384", 0, THEIRS, OURS);
    }
    default: {
        EVP_PKEY **pair = curves[number / 10 % 3];
        return has_curves ? exchange(pair[0], pair[1]) : mac(hash, len);
    }
    }
}

static int run(void *argument) {
    int *numbers = argument;
    return operation(numbers[0], numbers[1]);
}

/* A message in a context whose key came before the job began. */
static int message(void *argument) {
    EVP_MAC_CTX *context = *(EVP_MAC_CTX **)argument;
    return EVP_MAC_init(context, NULL, 0, NULL) == 1 &&
           EVP_MAC_update(context, text, MAX_LEN) == 1;
}

/* Messages under a key that came before their jobs meet others, and have the right tags. */
static int keyed_before(void) {
    unsigned char got[2][64];
    size_t len[2];
    const char *where[2] = {OURS, THEIRS};
    int paused = 0, status, result = 0;
    for (int i = 0; i < 2; i++) {
        EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", where[i]);
        EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
        OSSL_PARAM list[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
            OSSL_PARAM_construct_end()};
        ASYNC_JOB *job = NULL;
        ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
        int done = EVP_MAC_init(context, text, 32, list);
        while ((status = ASYNC_start_job(&job, wait, &result, message, &context,
                                         sizeof context)) == ASYNC_PAUSE)
            paused++;
        done = done && status == ASYNC_FINISH && result == 1 &&
               EVP_MAC_final(context, got[i], &len[i], sizeof got[i]);
        ASYNC_WAIT_CTX_free(wait);
        EVP_MAC_CTX_free(context);
        EVP_MAC_free(hmac);
        if (!done)
            return 0;
    }
    if (paused == 0)
        fprintf(stderr, "a message under a key that came before its job waits for no other\n");
    return paused > 0 && len[0] == len[1] && memcmp(got[0], got[1], len[0]) == 0;
}

/* A text under an IV of its own, and its tag behind it. */
static int seal(EVP_CIPHER_CTX *context, unsigned char *out) {
    static unsigned char iv[12];
    int len = 8192, last;
    return EVP_EncryptInit_ex2(context, NULL, NULL, iv, NULL) == 1 &&
           EVP_EncryptUpdate(context, out, &len, text, len) == 1 &&
           EVP_EncryptFinal_ex(context, out + len, &last) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, out + len) == 1;
}

struct sealed {
    EVP_CIPHER_CTX *context;
    unsigned char out[8192 + 16];
};

static int seal_inside(void *argument) {
    struct sealed *sealed = *(struct sealed **)argument;
    return seal(sealed->context, sealed->out);
}

/* The same for texts of AEADs that meet others alone. */
static int sealed_before(const char *name) {
    static struct sealed sealed[2];
    const char *where[2] = {OURS, THEIRS};
    int paused = 0, status, result = 0;
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, where[i]);
        EVP_CIPHER_CTX *context = sealed[i].context = EVP_CIPHER_CTX_new();
        struct sealed *argument = &sealed[i];
        ASYNC_JOB *job = NULL;
        ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
        int done = EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL) == 1 &&
                   EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) == 1;
        if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE)
            done &= EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, NULL);
        done = done && EVP_EncryptInit_ex2(context, NULL, text, NULL, NULL) == 1;
        for (int message = 0; message < 3; message++)
            done = done && seal(context, sealed[i].out);
        while ((status = ASYNC_start_job(&job, wait, &result, seal_inside, &argument,
                                         sizeof argument)) == ASYNC_PAUSE)
            paused++;
        ASYNC_WAIT_CTX_free(wait);
        EVP_CIPHER_CTX_free(context);
        EVP_CIPHER_free(cipher);
        if (!done || status != ASYNC_FINISH || result != 1)
            return 0;
    }
    if (paused == 0)
        fprintf(stderr, "%s: a text whose key came before its job waits for no other\n", name);
    return paused > 0 && memcmp(sealed[0].out, sealed[1].out, sizeof sealed[0].out) == 0;
}

int main(int count, char **arguments) {
    int jobs = count > 1 ? atoi(arguments[1]) : 80, failed = 0, paused = 0, answers = 0;
    if (jobs < 1 || jobs > MAX_JOBS) {
        fprintf(stderr, "jobs: %d jobs; 1 to %d would be right\n", jobs, MAX_JOBS);
        return 2;
    }
    rsa = generated("RSA", NULL, THEIRS);
    ed25519 = generated("ED25519", NULL, THEIRS);
    mine = generated("X25519", NULL, THEIRS);
    other = generated("X25519", NULL, THEIRS);
    const char *const names[3] = {"P-256", "P-384", "P-521"};
    for (int i = 0; i < 6; i++)
        curves[i / 2][i % 2] = generated("EC", names[i / 2], THEIRS);
    EVP_SIGNATURE *ecdsa = EVP_SIGNATURE_fetch(NULL, "ECDSA", OURS);
    has_curves = ecdsa != NULL;
    EVP_SIGNATURE_free(ecdsa);
    ERR_clear_error();
    RAND_bytes(text, sizeof text);
    if (!keyed_before() || !sealed_before("AES-128-CCM") || !sealed_before("ChaCha20-Poly1305"))
        return 1;
    for (int round = 0; round < 6; round++) {
        ASYNC_JOB *job[MAX_JOBS] = {0};
        ASYNC_WAIT_CTX *wait[MAX_JOBS];
        struct pollfd polled[MAX_JOBS];
        int waiting, begun = 0;
        for (int i = 0; i < jobs; i++)
            wait[i] = ASYNC_WAIT_CTX_new();
        do {
            for (int i = 0; i < jobs; i++) {
                int numbers[2] = {i, round}, result, status;
                size_t fds = 1;
                if (begun && (job[i] == NULL || !(polled[i].revents & POLLIN)))
                    continue;
                status = ASYNC_start_job(&job[i], wait[i], &result, run, numbers, sizeof numbers);
                polled[i] = (struct pollfd){.fd = -1};
                if (status == ASYNC_PAUSE) {
                    paused++;
                    ASYNC_WAIT_CTX_get_all_fds(wait[i], &polled[i].fd, &fds);
                    polled[i].events = POLLIN;
                } else if (status == ASYNC_FINISH) {
                    answers++;
                    if (result != 1) {
                        fprintf(stderr, "job %d of round %d: a wrong answer\n", i, round);
                        ERR_print_errors_fp(stderr);
                        failed = 1;
                    }
                } else {
                    fprintf(stderr, "job %d of round %d: status %d\n", i, round, status);
                    return 1;
                }
            }
            begun = 1;
            waiting = 0;
            for (int i = 0; i < jobs; i++)
                waiting += job[i] != NULL;
            if (waiting > 0 && poll(polled, (nfds_t)jobs, 60000) <= 0) {
                fprintf(stderr, "%d jobs wait, and none is told after a minute\n", waiting);
                return 1;
            }
        } while (waiting > 0);
        for (int i = 0; i < jobs; i++)
            ASYNC_WAIT_CTX_free(wait[i]);
    }
    printf("jobs: %d answers in %d jobs at a time as the default provider's, %d pauses, "
           "%s curves of NIST's\n",
           answers, jobs, paused, has_curves ? "with" : "without");
    if (jobs > 1 && paused == 0) {
        fprintf(stderr, "no job ever paused: nothing went through the line\n");
        return 1;
    }
    return failed;
}
