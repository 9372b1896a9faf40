/* Signatures and keys of ML-DSA, outside of asynchronous jobs and inside, compared with the default
 * provider's, where it has them (OpenSSL 3.5), and with known answers.
 *
 *   ml_dsa [JOBS]
 *
 * Signs with one provider and verifies with the other, with and without a context string; finds
 * changed messages, signatures and keys; gives mu in place of a message; and has both providers
 * make the same signature where it does not depend on randomness. Without a default provider that
 * has ML-DSA, both sides are this provider. Fails when no job waited for lanes. The provider's
 * configuration comes from OPENSSL_CONF.
 */
#include <openssl/async.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_JOBS 512
#define MAX_LEN 4627
#define OURS "provider=broadloom"
#define DEFAULT "provider=default"

struct set {
    const char *name;
    size_t public_len, private_len, signature_len;
    /* SHA-256 of the deterministic signature of "a message" under the context "an application" with
     * the key of the seed 0, 1, 2..., by OpenSSL 3.5.5. */
    const char *known;
};

static const struct set sets[] = {
    {"ML-DSA-44", 1312, 2560, 2420,
     "9dea3f3861d70a5aff5fb2a3a815207864e84d9e934c894e356adacfd804e941"},
    {"ML-DSA-65", 1952, 4032, 3309,
     "51987d676c5aa11914c2ef56773502964ae5ad765028a0d93464fc6b9abc2734"},
    {"ML-DSA-87", 2592, 4896, 4627,
     "55e2913d248f7408b8aac961809abc6f915e7fd3d16f18c2a0224af68bf07263"}};
#define SETS (sizeof sets / sizeof *sets)
static EVP_PKEY *keys[SETS];
static const unsigned char text[] = "Broadloom weaves many threads side by side.";
/* The other side: the default provider, or this one. */
static const char *theirs = OURS;

/* What is set for a signature. */
struct how {
    const char *context;
    int deterministic, encoding, mu;
    const unsigned char *randomness;
};

/* What is signed. */
struct bytes {
    const unsigned char *at;
    size_t len;
};

static int begin(EVP_MD_CTX *context, const char *who, EVP_PKEY *key, const struct how *how,
                 int signs) {
    int deterministic = how->deterministic, encoding = how->encoding, mu = how->mu, count = 0;
    OSSL_PARAM list[6];
    list[count++] = OSSL_PARAM_construct_int("deterministic", &deterministic);
    list[count++] = OSSL_PARAM_construct_int("message-encoding", &encoding);
    if (how->mu)
        list[count++] = OSSL_PARAM_construct_int("mu", &mu);
    if (how->context != NULL)
        list[count++] = OSSL_PARAM_construct_octet_string("context-string", (char *)how->context,
                                                          strlen(how->context));
    if (how->randomness != NULL)
        list[count++] = OSSL_PARAM_construct_octet_string(
            "test-entropy", (unsigned char *)how->randomness, 32);
    list[count] = OSSL_PARAM_construct_end();
    return signs ? EVP_DigestSignInit_ex(context, NULL, NULL, NULL, who, key, list)
                 : EVP_DigestVerifyInit_ex(context, NULL, NULL, NULL, who, key, list);
}

static size_t sign(const char *who, EVP_PKEY *key, const struct how *how, struct bytes message,
                   unsigned char *made) {
    size_t len = 0, room = MAX_LEN;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = begin(context, who, key, how, 1) == 1 &&
               EVP_DigestSign(context, NULL, &len, message.at, message.len) == 1 &&
               EVP_DigestSign(context, made, &room, message.at, message.len) == 1 && room == len;
    EVP_MD_CTX_free(context);
    return done ? len : 0;
}

static int verify(const char *who, EVP_PKEY *key, const struct how *how, const unsigned char *made,
                  size_t len, struct bytes message) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = begin(context, who, key, how, 0) == 1 &&
               EVP_DigestVerify(context, made, len, message.at, message.len) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return done;
}

static int both_ways(EVP_PKEY *key, const struct how *how, const char *signer,
                     const char *verifier) {
    unsigned char *made = malloc(MAX_LEN), changed[sizeof text];
    struct bytes message = {text, sizeof text}, wrong = {changed, sizeof text};
    struct how other = *how;
    size_t len = sign(signer, key, how, message, made);
    int done = len > 0 && verify(verifier, key, how, made, len, message);
    memcpy(changed, text, sizeof text);
    changed[3] ^= 1;
    done = done && !verify(verifier, key, how, made, len, wrong);
    other.context = "another";
    done = done && !verify(verifier, key, &other, made, len, message) &&
           !verify(verifier, key, how, made, len - 1, message);
    made[len / 2] ^= 1;
    done = done && !verify(verifier, key, how, made, len, message);
    free(made);
    return done;
}

static int same(EVP_PKEY *key, const struct how *how) {
    unsigned char *made[2] = {malloc(MAX_LEN), malloc(MAX_LEN)};
    struct bytes message = {text, sizeof text};
    size_t len = sign(OURS, key, how, message, made[0]);
    int done = len > 0 && len == sign(theirs, key, how, message, made[1]) &&
               memcmp(made[0], made[1], len) == 0;
    free(made[0]);
    free(made[1]);
    return done;
}

static int shake(const struct bytes *pieces, int count, unsigned char *made) {
    EVP_MD *hash = EVP_MD_fetch(NULL, "SHAKE256", DEFAULT);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = EVP_DigestInit_ex2(context, hash, NULL) == 1;
    for (int i = 0; i < count; i++)
        done = done && EVP_DigestUpdate(context, pieces[i].at, pieces[i].len) == 1;
    done = done && EVP_DigestFinalXOF(context, made, 64) == 1;
    EVP_MD_CTX_free(context);
    EVP_MD_free(hash);
    return done;
}

/* The signature of mu is that of the message (FIPS 204, algorithm 7, line 6). */
static int mu_is_the_message(EVP_PKEY *key, const char *signer, const char *verifier) {
    static const unsigned char prefix[] = {0, 8};
    const struct how named = {"tapestry", 1, 1, 0, NULL}, by_mu = {NULL, 1, 1, 1, NULL};
    unsigned char *made[2] = {malloc(MAX_LEN), malloc(MAX_LEN)}, digest[64], mu[64];
    unsigned char *public = malloc(2592);
    size_t public_len = 0;
    struct bytes whole = {public, 0}, given = {mu, 64}, message = {text, sizeof text};
    int done = EVP_PKEY_get_octet_string_param(key, "pub", public, 2592, &public_len);
    whole.len = public_len;
    done = done && shake(&whole, 1, digest);
    struct bytes pieces[] = {{digest, 64}, {prefix, 2}, {(const unsigned char *)"tapestry", 8},
                             {text, sizeof text}};
    done = done && shake(pieces, 4, mu);
    size_t len = done ? sign(signer, key, &by_mu, given, made[0]) : 0;
    done = len > 0 && len == sign(verifier, key, &named, message, made[1]) &&
           memcmp(made[0], made[1], len) == 0 &&
           verify(verifier, key, &by_mu, made[1], len, given) &&
           verify(verifier, key, &named, made[0], len, message);
    mu[5] ^= 1;
    done = done && !verify(verifier, key, &by_mu, made[0], len, given);
    given.len = 63;
    done = done && sign(OURS, key, &by_mu, given, made[0]) == 0;
    ERR_clear_error();
    free(made[0]);
    free(made[1]);
    free(public);
    return done;
}

static int operation(EVP_PKEY *key, int round) {
    static const unsigned char bytes[32] = {1, 2, 3};
    const struct how plain = {NULL, 0, 1, 0, NULL}, named = {"tapestry", 0, 1, 0, NULL},
                     fixed = {round & 1 ? "tapestry" : NULL, 1, 1, 0, NULL},
                     known = {NULL, 0, 1, 0, bytes}, raw = {NULL, 1, 0, 0, NULL};
    int has_default = strcmp(theirs, DEFAULT) == 0;
    switch (round % 7) {
    case 0: return both_ways(key, &plain, OURS, theirs);
    case 1: return both_ways(key, &named, theirs, OURS);
    case 2: return same(key, &fixed);
    case 3: return same(key, &fixed) && both_ways(key, &plain, OURS, OURS);
    case 4: return mu_is_the_message(key, OURS, theirs) && mu_is_the_message(key, theirs, OURS);
    /* Only the default provider has these. */
    case 5: return same(key, &known) == has_default;
    default: return same(key, &raw) == has_default;
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
            int numbers[2] = {i % (int)SETS, i / (int)SETS}, result = 0;
            if (done[i])
                continue;
            int status = ASYNC_start_job(&jobs[i], waits[i], &result, run, numbers, sizeof numbers);
            if (status == ASYNC_PAUSE) {
                paused++;
                continue;
            }
            if (status != ASYNC_FINISH || result != 1) {
                fprintf(stderr, "ml_dsa: %s: job %d fails\n", sets[numbers[0]].name, i);
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

static EVP_PKEY *generated(const struct set *set, const char *who, unsigned char *seed,
                           size_t seed_len) {
    OSSL_PARAM list[] = {OSSL_PARAM_construct_octet_string("seed", seed, seed_len),
                         OSSL_PARAM_construct_end()};
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, set->name, who);
    if (EVP_PKEY_keygen_init(context) != 1 ||
        (seed_len > 0 && EVP_PKEY_CTX_set_params(context, list) != 1) ||
        EVP_PKEY_generate(context, &key) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

/* A key of parts: those that are null are missing. */
static EVP_PKEY *of_parts(const struct set *set, const char *who, unsigned char *seed,
                          unsigned char *private, unsigned char *public) {
    OSSL_PARAM list[4];
    EVP_PKEY *key = NULL;
    int count = 0;
    if (seed != NULL)
        list[count++] = OSSL_PARAM_construct_octet_string("seed", seed, 32);
    if (private != NULL)
        list[count++] = OSSL_PARAM_construct_octet_string("priv", private, set->private_len);
    if (public != NULL)
        list[count++] = OSSL_PARAM_construct_octet_string("pub", public, set->public_len);
    list[count] = OSSL_PARAM_construct_end();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, set->name, who);
    if (EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, list) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return key;
}

static int is_refused(EVP_PKEY *key) {
    int refused = key == NULL;
    EVP_PKEY_free(key);
    return refused;
}

/* Keys are what they were made of, and parts that do not belong together make none. */
static int parts(const struct set *set) {
    unsigned char seed[32], private[4896], public[2592], other[2592];
    size_t seed_len, private_len, public_len, other_len;
    const struct how fixed = {NULL, 1, 1, 0, NULL};
    struct bytes message = {text, sizeof text};
    unsigned char *made[2] = {malloc(MAX_LEN), malloc(MAX_LEN)};
    EVP_PKEY *key = generated(set, OURS, NULL, 0), *second = generated(set, theirs, NULL, 0);
    int done =
        key != NULL && second != NULL && EVP_PKEY_eq(key, second) == 0 &&
        EVP_PKEY_get_octet_string_param(key, "seed", seed, 32, &seed_len) && seed_len == 32 &&
        EVP_PKEY_get_octet_string_param(key, "priv", private, sizeof private, &private_len) &&
        private_len == set->private_len &&
        EVP_PKEY_get_octet_string_param(key, "pub", public, sizeof public, &public_len) &&
        public_len == set->public_len &&
        EVP_PKEY_get_octet_string_param(second, "pub", other, sizeof other, &other_len) &&
        EVP_PKEY_get_bits(key) == 8 * (int)set->public_len &&
        EVP_PKEY_get_size(key) == (int)set->signature_len;
    done = done && sign(OURS, key, &fixed, message, made[0]) == set->signature_len;
    /* The seed, both, the expanded key with the public key, and all. */
    for (int i = 0; done && i < 4; i++) {
        EVP_PKEY *again = of_parts(set, OURS, i == 2 ? NULL : seed, i == 0 ? NULL : private,
                                   i < 2 ? NULL : public);
        done = again != NULL && EVP_PKEY_eq(key, again) == 1 &&
               sign(OURS, again, &fixed, message, made[1]) == set->signature_len &&
               memcmp(made[0], made[1], set->signature_len) == 0;
        EVP_PKEY_free(again);
    }
    EVP_PKEY *half = of_parts(set, OURS, NULL, NULL, public);
    done = done && half != NULL &&
           verify(OURS, half, &fixed, made[0], set->signature_len, message) &&
           sign(OURS, half, &fixed, message, made[1]) == 0;
    EVP_PKEY_free(half);
    /* The default provider finds the public key of a private one, and nobody else does. */
    EVP_PKEY *lone = of_parts(set, OURS, NULL, private, NULL);
    done = done && (lone != NULL) == (strcmp(theirs, DEFAULT) == 0) &&
           (lone == NULL || EVP_PKEY_eq(key, lone) == 1);
    EVP_PKEY_free(lone);
    done = done && is_refused(of_parts(set, OURS, NULL, private, other)) &&
           is_refused(of_parts(set, OURS, seed, NULL, other)) &&
           is_refused(generated(set, OURS, seed, 31));
    seed[4] ^= 1;
    done = done && is_refused(of_parts(set, OURS, seed, private, NULL));
    /* A number of four or three bits that is out of its range. */
    private[128] = 0xff;
    done = done && is_refused(of_parts(set, OURS, NULL, private, public));
    ERR_clear_error();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, OURS);
    done = done && EVP_PKEY_pairwise_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    done = done && EVP_DigestSignInit_ex(digest, NULL, "SHA256", NULL, OURS, key, NULL) != 1;
    EVP_MD_CTX_free(digest);
    ERR_clear_error();
    free(made[0]);
    free(made[1]);
    EVP_PKEY_free(key);
    EVP_PKEY_free(second);
    return done;
}

static int known(const struct set *set, const char *who) {
    const struct how how = {"an application", 1, 1, 0, NULL};
    const struct bytes message = {(const unsigned char *)"a message", 9};
    unsigned char seed[32], *made = malloc(MAX_LEN), digest[32];
    char hex[65];
    size_t digest_len;
    for (int i = 0; i < 32; i++)
        seed[i] = (unsigned char)i;
    EVP_PKEY *key = generated(set, who, seed, 32);
    size_t len = key == NULL ? 0 : sign(who, key, &how, message, made);
    int done = len == set->signature_len &&
               EVP_Q_digest(NULL, "SHA256", NULL, made, len, digest, &digest_len);
    for (int i = 0; done && i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    if (done && strcmp(hex, set->known) != 0)
        fprintf(stderr, "ml_dsa: %s by %s gives %s\n", set->name, who, hex);
    EVP_PKEY_free(key);
    free(made);
    return done && strcmp(hex, set->known) == 0;
}

static int failure(const struct set *set, const char *what) {
    fprintf(stderr, "ml_dsa: %s: %s\n", set->name, what);
    ERR_print_errors_fp(stderr);
    return 1;
}

int main(int arguments, char **values) {
    int jobs = arguments > 1 ? atoi(values[1]) : 40;
    if (jobs < 1 || jobs > MAX_JOBS) {
        fprintf(stderr, "ml_dsa: from 1 to %d jobs would be right\n", MAX_JOBS);
        return 2;
    }
    EVP_KEYMGMT *manager = EVP_KEYMGMT_fetch(NULL, sets[0].name, DEFAULT);
    if (manager != NULL)
        theirs = DEFAULT;
    EVP_KEYMGMT_free(manager);
    ERR_clear_error();
    for (size_t i = 0; i < SETS; i++) {
        if (!known(&sets[i], OURS) || !known(&sets[i], theirs))
            return failure(&sets[i], "a known answer is wrong");
        if (!parts(&sets[i]))
            return failure(&sets[i], "keys are not what they were made of");
        keys[i] = generated(&sets[i], i & 1 ? theirs : OURS, NULL, 0);
        for (int round = 0; round < 14; round++)
            if (keys[i] == NULL || !operation(keys[i], round)) {
                fprintf(stderr, "ml_dsa: round %d\n", round);
                return failure(&sets[i], "an operation outside of jobs fails");
            }
    }
    int paused = run_all(jobs);
    if (paused == 0) {
        fprintf(stderr, "ml_dsa: no job ever paused: nothing went to lanes\n");
        return 1;
    }
    for (size_t i = 0; i < SETS; i++)
        EVP_PKEY_free(keys[i]);
    printf("ml_dsa: %zu sets, the other side is %s; %d jobs waited for lanes\n", SETS, theirs,
           paused);
    return 0;
}
