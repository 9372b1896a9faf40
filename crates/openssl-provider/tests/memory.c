/* Keys in memory after their contexts were freed.
 *
 *   memory [PROPERTIES]
 *
 * Has the provider work under keys that are drawn, outside of jobs and inside, frees everything,
 * and searches all writable memory of the process: for the key, for the first round key that AES
 * derives from it, for HMAC's inner pad, for the half of a seed that ML-KEM's private key contains,
 * and for a part of ML-DSA's private key. Fails where one is found, and where a copy that was
 * planted is not. PROPERTIES choose another provider than this one. The provider's configuration
 * comes from OPENSSL_CONF.
 */
#include <openssl/async.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 8192
#define HIDE 0xa5

enum kind { CIPHER, MAC, KEY, SEED };

struct algorithm {
    enum kind kind;
    const char *name, *hash;
    int key_len;
};

static const struct algorithm algorithms[] = {
    {CIPHER, "AES-128-ECB", NULL, 16},  {CIPHER, "AES-256-CBC", NULL, 32},
    {CIPHER, "AES-128-CTR", NULL, 16},  {CIPHER, "AES-192-CFB", NULL, 24},
    {CIPHER, "AES-256-OFB", NULL, 32},  {CIPHER, "AES-256-XTS", NULL, 64},
    {CIPHER, "AES-128-GCM", NULL, 16},  {CIPHER, "AES-256-GCM", NULL, 32},
    {CIPHER, "AES-128-CCM", NULL, 16},  {CIPHER, "ChaCha20-Poly1305", NULL, 32},
    {MAC, "HMAC", "SHA1", 40},          {MAC, "HMAC", "SHA256", 32},
    {MAC, "HMAC", "SHA512", 64},        {MAC, "HMAC", "SHA3-256", 32},
    {MAC, "KMAC-128", NULL, 32},        {KEY, "X25519", NULL, 32},
    {KEY, "ED25519", NULL, 32},         {SEED, "ML-KEM-768", NULL, 64},
    {SEED, "ML-DSA-65", NULL, 32}};

/* What is looked for, hidden, so that no copy of it is here. */
struct needle {
    const char *what;
    unsigned char hidden[16];
};

static const char *properties = "provider=broadloom";
static unsigned char key[64], text[TEXT], made[TEXT + 64];
static struct needle needles[2];

static void hide(struct needle *needle, const char *what, const unsigned char *bytes) {
    needle->what = what;
    for (int i = 0; i < 16; i++)
        needle->hidden[i] = bytes[i] ^ HIDE;
}

/* So often it is in the writable memory of the process. */
static int count(const struct needle *needle, int tells) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    int found = 0;
    while (fgets(line, sizeof line, maps) != NULL) {
        uintptr_t start, end;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) != 3 || strncmp(rights, "rw", 2) != 0)
            continue;
        const unsigned char *at = (const unsigned char *)start;
        const unsigned char *last = (const unsigned char *)end - 16;
        for (; at <= last; at++) {
            at = memchr(at, needle->hidden[0] ^ HIDE, (size_t)(last - at) + 1);
            if (at == NULL)
                break;
            int same = 1;
            while (same < 16 && (at[same] ^ HIDE) == needle->hidden[same])
                same++;
            if (same == 16) {
                if (tells)
                    fprintf(stderr, "  %s at %p of %s", needle->what, (const void *)at, line);
                found++;
            }
        }
    }
    fclose(maps);
    return found;
}

/* The first 16 bytes that AES derives from a key: by AES itself, with a table of one row. */
static unsigned char substitute(unsigned char byte) {
    unsigned char inverse = 0, result;
    for (int other = 1; byte && other < 256 && !inverse; other++) {
        unsigned a = byte, b = (unsigned)other, product = 0;
        for (; b; b >>= 1, a = (a << 1) ^ (a & 0x80 ? 0x11b : 0))
            product ^= b & 1 ? a : 0;
        if (product == 1)
            inverse = (unsigned char)other;
    }
    result = inverse;
    for (int i = 1; i < 5; i++)
        result ^= (unsigned char)(inverse << i | inverse >> (8 - i));
    return result ^ 0x63;
}

static void derive(int key_len, unsigned char *derived) {
    unsigned char last[4];
    memcpy(last, key + key_len - 4, 4);
    for (int word = 0; word < 4; word++) {
        const unsigned char *before = word ? derived + 4 * (word - 1) : last;
        for (int i = 0; i < 4; i++) {
            unsigned char byte = word ? before[i] : substitute(last[(i + 1) % 4]);
            derived[4 * word + i] = key[4 * word + i] ^ byte ^ (word == 0 && i == 0);
        }
    }
    OPENSSL_cleanse(last, sizeof last);
}

/* Messages there and back, in one context, with a copy of it in the middle. */
static int encrypt(const struct algorithm *algorithm) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, algorithm->name, properties);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0, len, last, good = 1;
    int ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    unsigned char iv[16] = {1}, tag[16];
    good &= EVP_CipherInit_ex2(context, cipher, NULL, NULL, 1, NULL);
    if (aead)
        good &= EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
    if (ccm)
        good &= EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, NULL);
    for (int i = 0; good && i < 8; i++) {
        iv[1] = (unsigned char)i;
        good &= EVP_CipherInit_ex2(context, NULL, i ? NULL : key, iv, 1, NULL);
        good &= EVP_CipherUpdate(context, made, &len, text, TEXT);
        good &= EVP_CipherFinal_ex(context, made + len, &last);
        if (aead)
            good &= EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag);
        if (i == 5) {
            EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
            good &= EVP_CIPHER_CTX_copy(copy, context);
            EVP_CIPHER_CTX_free(context);
            context = copy;
        }
    }
    len += last;
    for (int i = 0; good && i < 4; i++) {
        good &= EVP_CipherInit_ex2(context, NULL, i ? NULL : key, iv, 0, NULL);
        if (aead)
            good &= EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag);
        unsigned char *back = malloc(TEXT + 64);
        good &= EVP_CipherUpdate(context, back, &last, made, len);
        good &= memcmp(back, text, TEXT - 16) == 0;
        free(back);
    }
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
    return good;
}

static int authenticate(const struct algorithm *algorithm) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, algorithm->name, properties);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    OSSL_PARAM list[] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    int good = context != NULL;
    size_t len;
    char *hash = (char *)algorithm->hash;
    if (hash != NULL)
        list[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, hash, 0);
    good &= EVP_MAC_init(context, key, (size_t)algorithm->key_len, list);
    for (int i = 0; good && i < 4; i++) {
        good &= i == 0 || EVP_MAC_init(context, NULL, 0, NULL);
        good &= EVP_MAC_update(context, text, TEXT);
        EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(context);
        good &= EVP_MAC_final(context, made, &len, sizeof made);
        EVP_MAC_CTX_free(copy);
    }
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    return good;
}

static int use_key(const struct algorithm *algorithm) {
    size_t len = 64, key_len = (size_t)algorithm->key_len;
    EVP_PKEY *own =
        EVP_PKEY_new_raw_private_key_ex(NULL, algorithm->name, properties, key, key_len);
    int good = own != NULL;
    if (strcmp(algorithm->name, "X25519") == 0) {
        EVP_PKEY *peer = EVP_PKEY_Q_keygen(NULL, properties, "X25519");
        EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, own, properties);
        good = good && EVP_PKEY_derive_init(context) == 1 &&
               EVP_PKEY_derive_set_peer(context, peer) == 1 &&
               EVP_PKEY_derive(context, made, &len) == 1;
        EVP_PKEY_CTX_free(context);
        EVP_PKEY_free(peer);
    } else {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        good = good &&
               EVP_DigestSignInit_ex(context, NULL, NULL, NULL, properties, own, NULL) == 1 &&
               EVP_DigestSign(context, made, &len, text, 100) == 1;
        EVP_MD_CTX_free(context);
    }
    EVP_PKEY_free(own);
    return good;
}

/* Encapsulates and decapsulates a secret with a key. */
static int encapsulate(EVP_PKEY *own) {
    unsigned char text_of[1088], secret[2][32];
    size_t len = sizeof text_of, secret_len = 32;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, own, properties);
    int good = EVP_PKEY_encapsulate_init(context, NULL) == 1 &&
               EVP_PKEY_encapsulate(context, text_of, &len, secret[0], &secret_len) == 1 &&
               EVP_PKEY_decapsulate_init(context, NULL) == 1 &&
               EVP_PKEY_decapsulate(context, secret[1], &secret_len, text_of, len) == 1 &&
               memcmp(secret[0], secret[1], 32) == 0;
    EVP_PKEY_CTX_free(context);
    return good;
}

/* Signs with a key, with and without a context string, and hides a part of it. */
static int sign(EVP_PKEY *own) {
    static unsigned char private[4032];
    OSSL_PARAM list[] = {OSSL_PARAM_construct_octet_string("context-string", text, 20),
                         OSSL_PARAM_construct_end()};
    size_t private_len, len = 0;
    int good = EVP_PKEY_get_octet_string_param(own, "priv", private, sizeof private, &private_len);
    hide(&needles[1], "K of the private key", private + 32);
    OPENSSL_cleanse(private, sizeof private);
    for (int i = 0; i < 2; i++) {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        len = sizeof made;
        good = good &&
               EVP_DigestSignInit_ex(context, NULL, NULL, NULL, properties, own, list + i) == 1 &&
               EVP_DigestSign(context, made, &len, text, 100) == 1;
        EVP_MD_CTX_free(context);
    }
    return good;
}

/* A key of a seed, with which a secret is encapsulated and decapsulated, or a message is signed. */
static int use_seed(const struct algorithm *algorithm) {
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_octet_string("seed", key, (size_t)algorithm->key_len),
        OSSL_PARAM_construct_end()};
    EVP_PKEY *own = NULL;
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, algorithm->name, properties);
    int good = EVP_PKEY_keygen_init(maker) == 1 && EVP_PKEY_CTX_set_params(maker, list) == 1 &&
               EVP_PKEY_generate(maker, &own) == 1 &&
               (algorithm->key_len == 64 ? encapsulate(own) : sign(own));
    EVP_PKEY_CTX_free(maker);
    EVP_PKEY_free(own);
    return good;
}

static int work(void *argument) {
    const struct algorithm *algorithm = *(const struct algorithm **)argument;
    switch (algorithm->kind) {
    case CIPHER: return encrypt(algorithm);
    case MAC: return authenticate(algorithm);
    case KEY: return use_key(algorithm);
    case SEED: return use_seed(algorithm);
    }
    return 0;
}

/* Works inside of a job, and takes the job apart. */
static int inside(const struct algorithm *algorithm) {
    ASYNC_JOB *job = NULL;
    ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
    int result = 0, status;
    do
        status = ASYNC_start_job(&job, wait, &result, work, &algorithm, sizeof algorithm);
    while (status == ASYNC_PAUSE);
    ASYNC_WAIT_CTX_free(wait);
    ASYNC_cleanup_thread();
    return status == ASYNC_FINISH && result;
}

/* Wipes what calls have left on this stack, as libcrypto's own do. */
static void wipe_stack(void) {
    unsigned char room[1 << 17];
    OPENSSL_cleanse(room, sizeof room);
}

/* Draws a key, and hides what must not be found. */
static size_t draw(const struct algorithm *algorithm) {
    unsigned char derived[16];
    size_t needed = 1;
    RAND_bytes(key, algorithm->key_len);
    hide(&needles[0], "the key", key);
    if (algorithm->kind == CIPHER && strncmp(algorithm->name, "AES", 3) == 0) {
        int xts = algorithm->key_len == 64;
        derive(xts ? 32 : algorithm->key_len, derived);
        hide(&needles[needed++], "a round key", derived);
    } else if (algorithm->kind == SEED) {
        /* Of ML-DSA, the work knows what else is to be hidden. */
        hide(&needles[needed++], "the rejection's part of the seed", key + 32);
    } else if (algorithm->hash != NULL) {
        for (int i = 0; i < 16; i++)
            derived[i] = key[i] ^ 0x36;
        hide(&needles[needed++], "the inner pad", derived);
    }
    OPENSSL_cleanse(derived, sizeof derived);
    return needed;
}

/* Whether the provider has a type of keys. The default provider has ML-KEM and ML-DSA since 3.5. */
static int has_keys(const char *name) {
    EVP_KEYMGMT *manager = EVP_KEYMGMT_fetch(NULL, name, properties);
    EVP_KEYMGMT_free(manager);
    ERR_clear_error();
    return manager != NULL;
}

int main(int arguments, char **values) {
    int failed = 0, searched = 0;
    if (arguments > 1)
        properties = values[1];
    RAND_bytes(text, sizeof text);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        const struct algorithm *algorithm = &algorithms[i];
        if (algorithm->kind == SEED && !has_keys(algorithm->name))
            continue;
        /* Inside first: what the provider makes at its first use must fit a job's stack. */
        for (int in_job = 1; in_job >= 0; in_job--) {
            const char *where = in_job ? "inside of a job" : "outside of jobs";
            size_t needed = draw(algorithm);
            if ((in_job ? inside(algorithm) : work(&algorithm)) != 1) {
                fprintf(stderr, "memory: %s fails %s\n", algorithm->name, where);
                ERR_print_errors_fp(stderr);
                return 1;
            }
            OPENSSL_cleanse(key, sizeof key);
            wipe_stack();
            for (size_t which = 0; which < needed; which++, searched++) {
                if (count(&needles[which], 1) == 0)
                    continue;
                fprintf(stderr, "memory: %s %s, %s: %s remains\n", algorithm->name,
                        algorithm->hash ? algorithm->hash : "", where, needles[which].what);
                failed = 1;
            }
        }
    }
    size_t needed = draw(&algorithms[0]);
    unsigned char *planted = malloc(16);
    derive(16, planted);
    wipe_stack();
    for (size_t which = 0; which < needed; which++)
        if (count(&needles[which], 0) != 1) {
            fprintf(stderr, "memory: %s was planted and not found\n", needles[which].what);
            failed = 1;
        }
    OPENSSL_cleanse(planted, 16);
    free(planted);
    if (!failed)
        printf("memory: none of %d secrets remains, and what was planted is found\n", searched);
    return failed;
}
