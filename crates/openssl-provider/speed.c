/* Times every algorithm of the provider, beside the default provider's.
 *
 *   speed FOLDER SECONDS ALGORITHM JSON
 *
 * FOLDER has the provider as broadloom.so. Each algorithm that the provider offers is called
 * through EVP in two library contexts of this process: one has the default provider alone, the
 * other has both and prefers this one. The two take turns, in blocks of many calls, until a cell
 * has had SECONDS of the processor; a block's time is the thread's own. A ratio is the default
 * provider's least time of a call divided by this provider's: more than 1 is faster. ALGORITHM
 * chooses the rows whose operation and algorithm contain it; empty, all. JSON is the file for the
 * rows in nanoseconds; empty, none.
 *
 * What a call is:
 *
 *   digest            EVP_Digest: a context of its own for each message
 *   mac               EVP_MAC_init without a key, update, final
 *   encrypt, decrypt  an update of a text that goes on, as openssl speed calls it
 *   seal, open        a whole message: its IV, 13 bytes of associated data, its text, its tag
 *   sign, verify      EVP_PKEY_sign and EVP_PKEY_verify of a digest
 *   message-sign, message-verify
 *                     a message of 64 bytes with all that begins it: EVP_DigestSignInit and so on
 *   derive            EVP_PKEY_derive
 *   encapsulate, decapsulate, public-encrypt, private-decrypt
 */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define MOST 16384
#define BLOCK 1e-4 /* seconds of a block of calls */
#define ROUNDS 4096

enum side { THEIRS, OURS, SIDES };

static const size_t sizes[] = {16, 64, 256, 1024, 8192, MOST};
static OSSL_LIB_CTX *libraries[SIDES];
static unsigned char text[MOST + 64], out[MOST + 64], sealed[MOST + 64];
static unsigned char key[512], iv[16], associated[13], tag[16];
static const char *filter;
static double seconds;
static int begun;
static FILE *json;

static void die(const char *what, const char *algorithm) {
    fprintf(stderr, "speed: %s fails: %s\n", what, algorithm);
    ERR_print_errors_fp(stderr);
    exit(1);
}

#define MUST(call, algorithm) \
    do { \
        if (!(call)) die(#call, algorithm); \
    } while (0)

/* Seconds of the processor that this thread has had. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* An operation that is ready to be called, for one provider. */
struct ready {
    const char *algorithm;
    EVP_MD *md;
    EVP_MAC_CTX *mac;
    EVP_CIPHER_CTX *cipher;
    EVP_PKEY *key;
    EVP_PKEY_CTX *operation;
    const char *digest;
    enum side side;
    size_t size, len, secret_len;
    unsigned char made[65536], secret[64];
};

typedef int call(struct ready *ready);

/* A line of the table. */
struct row {
    char operation[32], algorithm[48];
    double ratios[COUNT(sizes)], medians[COUNT(sizes)], worst;
    size_t cells;
};

static struct row *rows;
static size_t count;
static struct ready readies[SIDES];

static int up(const void *left, const void *right) {
    double one = *(const double *)left, other = *(const double *)right;
    return (one > other) - (one < other);
}

/* Seconds of a number of calls. */
static double block(call *call, struct ready *ready, size_t calls) {
    double start = now();
    for (size_t at = 0; at < calls; at++)
        if (!call(ready)) die("a call", ready->algorithm);
    return now() - start;
}

/* Times both providers, and notes a cell of a row. */
static void cell(struct row *row, call *call, size_t size) {
    static double times[SIDES][ROUNDS];
    size_t calls = 1, round = 0;
    double total = 0;
    for (enum side side = THEIRS; side < SIDES; side++) readies[side].size = size;
    for (double time = 0; time < BLOCK; calls *= 2) {
        time = block(call, &readies[THEIRS], calls);
        block(call, &readies[OURS], calls);
        if (time >= BLOCK) break;
    }
    for (; round < ROUNDS && (total < seconds || round < 4); round++)
        for (int turn = 0; turn < SIDES; turn++) {
            enum side side = (enum side)((turn + (int)round) % SIDES);
            double time = block(call, &readies[side], calls);
            total += time;
            times[side][round] = time / (double)calls;
        }
    for (enum side side = THEIRS; side < SIDES; side++)
        qsort(times[side], round, sizeof *times[side], up);
    double ratio = times[THEIRS][0] / times[OURS][0];
    double median = times[THEIRS][round / 2] / times[OURS][round / 2];
    row->ratios[row->cells] = ratio;
    row->medians[row->cells++] = median;
    if (row->cells == 1 || ratio < row->worst) row->worst = ratio;
    if (!json) return;
    fprintf(json,
            "%s\n  {\"operation\": \"%s\", \"algorithm\": \"%s\", \"size\": %zu, "
            "\"default_ns\": %.2f, \"provider_ns\": %.2f, \"default_ns_median\": %.2f, "
            "\"provider_ns_median\": %.2f, \"ratio\": %.4f, \"ratio_median\": %.4f}",
            begun++ ? "," : "", row->operation, row->algorithm, size, times[THEIRS][0] * 1e9,
            times[OURS][0] * 1e9, times[THEIRS][round / 2] * 1e9, times[OURS][round / 2] * 1e9,
            ratio, median);
}

static int is_chosen(const char *operation, const char *algorithm) {
    char line[96];
    snprintf(line, sizeof line, "%s %s", operation, algorithm);
    for (size_t at = 0; line[at]; at++)
        if (!strncasecmp(line + at, filter, strlen(filter))) return 1;
    return !*filter;
}

/* Begins a row. */
static struct row *row_of(const char *operation, const char *algorithm) {
    for (enum side side = THEIRS; side < SIDES; side++) readies[side].algorithm = algorithm;
    rows = realloc(rows, (count + 1) * sizeof *rows);
    MUST(rows, algorithm);
    struct row *row = &rows[count++];
    memset(row, 0, sizeof *row);
    snprintf(row->operation, sizeof row->operation, "%s", operation);
    snprintf(row->algorithm, sizeof row->algorithm, "%s", algorithm);
    return row;
}

/* Times an operation at every size. */
static void measure(const char *operation, const char *algorithm, call *call) {
    struct row *row = row_of(operation, algorithm);
    for (size_t at = 0; at < COUNT(sizes); at++) cell(row, call, sizes[at]);
}

/* Says that the default provider lacks an algorithm, or that there is one of it to compare. */
static int is_lacking(const char *operation, const char *algorithm, int is_there) {
    if (!is_there) {
        ERR_clear_error();
        printf("the default provider lacks %s: %s\n", operation, algorithm);
    }
    return !is_there;
}

static int is_ours(const OSSL_PROVIDER *provider) {
    return !strcmp(OSSL_PROVIDER_get0_name(provider), "broadloom");
}

static int digest(struct ready *ready) {
    return EVP_Digest(text, ready->size, out, NULL, ready->md, NULL);
}

/* Takes output of a length, without which newer versions of OpenSSL compute no SHAKE. */
static int extendable(struct ready *ready) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int made = EVP_DigestInit_ex(context, ready->md, NULL) &&
               EVP_DigestUpdate(context, text, ready->size) &&
               EVP_DigestFinalXOF(context, out, 32);
    EVP_MD_CTX_free(context);
    return made;
}

static int mac(struct ready *ready) {
    size_t len;
    return EVP_MAC_init(ready->mac, NULL, 0, NULL) &&
           EVP_MAC_update(ready->mac, text, ready->size) &&
           EVP_MAC_final(ready->mac, out, &len, sizeof out);
}

static int update(struct ready *ready) {
    int len;
    return EVP_CipherUpdate(ready->cipher, out, &len, text, (int)ready->size);
}

static int is_aead(const EVP_CIPHER_CTX *cipher) {
    return EVP_CIPHER_CTX_get_mode(cipher) == EVP_CIPH_GCM_MODE ||
           EVP_CIPHER_CTX_get_mode(cipher) == EVP_CIPH_CCM_MODE ||
           EVP_CIPHER_CTX_get_nid(cipher) == NID_chacha20_poly1305;
}

/* Seals a message from one place into another. */
static int seal_into(EVP_CIPHER_CTX *cipher, unsigned char *to, size_t size) {
    int len;
    int is_ccm = EVP_CIPHER_CTX_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    return EVP_EncryptInit_ex(cipher, NULL, NULL, NULL, iv) &&
           (!is_ccm || EVP_EncryptUpdate(cipher, NULL, &len, NULL, (int)size)) &&
           EVP_EncryptUpdate(cipher, NULL, &len, associated, sizeof associated) &&
           EVP_EncryptUpdate(cipher, to, &len, text, (int)size) &&
           EVP_EncryptFinal_ex(cipher, to + len, &len) &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag);
}

static int seal(struct ready *ready) {
    return seal_into(ready->cipher, out, ready->size);
}

static int open(struct ready *ready) {
    int len;
    EVP_CIPHER_CTX *cipher = ready->cipher;
    if (EVP_CIPHER_CTX_get_mode(cipher) != EVP_CIPH_CCM_MODE)
        return EVP_DecryptInit_ex(cipher, NULL, NULL, NULL, iv) &&
               EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) &&
               EVP_DecryptUpdate(cipher, NULL, &len, associated, sizeof associated) &&
               EVP_DecryptUpdate(cipher, out, &len, sealed, (int)ready->size) &&
               EVP_DecryptFinal_ex(cipher, out + len, &len);
    return EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) &&
           EVP_DecryptInit_ex(cipher, NULL, NULL, NULL, iv) &&
           EVP_DecryptUpdate(cipher, NULL, &len, NULL, (int)ready->size) &&
           EVP_DecryptUpdate(cipher, NULL, &len, associated, sizeof associated) &&
           EVP_DecryptUpdate(cipher, out, &len, sealed, (int)ready->size);
}

static void digests(EVP_MD *ours, void *of_macs) {
    const char *algorithm = EVP_MD_get0_name(ours);
    if (!is_ours(EVP_MD_get0_provider(ours))) return;
    if (!of_macs) {
        if (!is_chosen("digest", algorithm)) return;
        for (enum side side = THEIRS; side < SIDES; side++) {
            readies[side].md = EVP_MD_fetch(libraries[side], algorithm, NULL);
            if (is_lacking("the digest", algorithm, readies[side].md != NULL)) return;
        }
        int is_extendable = EVP_MD_get_flags(ours) & EVP_MD_FLAG_XOF;
        measure("digest", algorithm, is_extendable ? extendable : digest);
        for (enum side side = THEIRS; side < SIDES; side++) EVP_MD_free(readies[side].md);
        return;
    }
    char name[48];
    snprintf(name, sizeof name, "HMAC %s", algorithm);
    if (EVP_MD_get_flags(ours) & EVP_MD_FLAG_XOF || !is_chosen("mac", name)) return;
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)algorithm, 0),
        OSSL_PARAM_END};
    for (enum side side = THEIRS; side < SIDES; side++) {
        EVP_MAC *hmac = EVP_MAC_fetch(libraries[side], "HMAC", NULL);
        MUST(readies[side].mac = EVP_MAC_CTX_new(hmac), name);
        MUST(EVP_MAC_init(readies[side].mac, key, 32, list), name);
        EVP_MAC_free(hmac);
    }
    measure("mac", name, mac);
    for (enum side side = THEIRS; side < SIDES; side++) EVP_MAC_CTX_free(readies[side].mac);
}

static void macs(EVP_MAC *ours, void *unused) {
    const char *algorithm = EVP_MAC_get0_name(ours);
    (void)unused;
    if (!is_ours(EVP_MAC_get0_provider(ours))) return;
    if (EVP_MAC_is_a(ours, "HMAC")) {
        EVP_MD_do_all_provided(libraries[OURS], digests, &filter);
        return;
    }
    if (!is_chosen("mac", algorithm)) return;
    for (enum side side = THEIRS; side < SIDES; side++) {
        EVP_MAC *fetched = EVP_MAC_fetch(libraries[side], algorithm, NULL);
        if (is_lacking("the MAC", algorithm, fetched != NULL)) return;
        MUST(readies[side].mac = EVP_MAC_CTX_new(fetched), algorithm);
        MUST(EVP_MAC_init(readies[side].mac, key, 32, NULL), algorithm);
        EVP_MAC_free(fetched);
    }
    measure("mac", algorithm, mac);
    for (enum side side = THEIRS; side < SIDES; side++) EVP_MAC_CTX_free(readies[side].mac);
}

static const char *cipher_name;

/* Makes contexts with the key. */
static void key_ciphers(int encrypts, int tag_len) {
    for (enum side side = THEIRS; side < SIDES; side++) {
        EVP_CIPHER *fetched = EVP_CIPHER_fetch(libraries[side], cipher_name, NULL);
        EVP_CIPHER_CTX *cipher = readies[side].cipher = EVP_CIPHER_CTX_new();
        MUST(EVP_CipherInit_ex(cipher, fetched, NULL, NULL, NULL, encrypts), cipher_name);
        if (tag_len) {
            int len = EVP_CIPHER_CTX_get_mode(cipher) == EVP_CIPH_CCM_MODE;
            if (len) EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
            if (len) EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, tag_len, NULL);
        }
        MUST(EVP_CipherInit_ex(cipher, NULL, NULL, key, iv, encrypts), cipher_name);
        if (!tag_len) EVP_CIPHER_CTX_set_padding(cipher, 0);
        EVP_CIPHER_free(fetched);
    }
}

static void free_ciphers(void) {
    for (enum side side = THEIRS; side < SIDES; side++) EVP_CIPHER_CTX_free(readies[side].cipher);
}

static void ciphers(EVP_CIPHER *ours, void *unused) {
    (void)unused;
    cipher_name = EVP_CIPHER_get0_name(ours);
    if (!is_ours(EVP_CIPHER_get0_provider(ours))) return;
    EVP_CIPHER *fetched = EVP_CIPHER_fetch(libraries[THEIRS], cipher_name, NULL);
    if (is_lacking("the cipher", cipher_name, fetched != NULL)) return;
    EVP_CIPHER_free(fetched);
    int mode = EVP_CIPHER_get_mode(ours);
    int is_ccm = mode == EVP_CIPH_CCM_MODE;
    for (int encrypts = 1; encrypts >= 0 && !is_ccm; encrypts--) {
        if (!is_chosen(encrypts ? "encrypt" : "decrypt", cipher_name)) continue;
        key_ciphers(encrypts, 0);
        measure(encrypts ? "encrypt" : "decrypt", cipher_name, update);
        free_ciphers();
    }
    EVP_CIPHER_CTX *probe = EVP_CIPHER_CTX_new();
    MUST(EVP_CipherInit_ex(probe, ours, NULL, NULL, NULL, 1), cipher_name);
    int is_whole = is_aead(probe);
    EVP_CIPHER_CTX_free(probe);
    if (is_whole && is_chosen("seal", cipher_name)) {
        key_ciphers(1, sizeof tag);
        measure("seal", cipher_name, seal);
        free_ciphers();
    }
    if (is_whole && is_chosen("open", cipher_name)) {
        struct row *row = row_of("open", cipher_name);
        for (size_t at = 0; at < COUNT(sizes); at++) {
            key_ciphers(1, sizeof tag);
            MUST(seal_into(readies[THEIRS].cipher, sealed, sizes[at]), cipher_name);
            free_ciphers();
            key_ciphers(0, sizeof tag);
            cell(row, open, sizes[at]);
            free_ciphers();
        }
    }
}

static int sign(struct ready *ready) {
    ready->len = sizeof ready->made;
    return EVP_PKEY_sign(ready->operation, ready->made, &ready->len, text, ready->size) > 0;
}

static int verify(struct ready *ready) {
    return EVP_PKEY_verify(ready->operation, ready->made, ready->len, text, ready->size) > 0;
}

static int sign_message(struct ready *ready) {
    EVP_MD_CTX *message = EVP_MD_CTX_new();
    ready->len = sizeof ready->made;
    int signs = EVP_DigestSignInit_ex(message, NULL, ready->digest, libraries[ready->side],
                                      NULL, ready->key, NULL) > 0 &&
                EVP_DigestSign(message, ready->made, &ready->len, text, ready->size) > 0;
    EVP_MD_CTX_free(message);
    return signs;
}

static int verify_message(struct ready *ready) {
    EVP_MD_CTX *message = EVP_MD_CTX_new();
    int verifies = EVP_DigestVerifyInit_ex(message, NULL, ready->digest, libraries[ready->side],
                                           NULL, ready->key, NULL) > 0 &&
                   EVP_DigestVerify(message, ready->made, ready->len, text, ready->size) > 0;
    EVP_MD_CTX_free(message);
    return verifies;
}

static int derive(struct ready *ready) {
    ready->len = sizeof ready->made;
    return EVP_PKEY_derive(ready->operation, ready->made, &ready->len) > 0;
}

static int encapsulate(struct ready *ready) {
    ready->len = sizeof ready->made;
    ready->secret_len = sizeof ready->secret;
    return EVP_PKEY_encapsulate(ready->operation, ready->made, &ready->len, ready->secret,
                                &ready->secret_len) > 0;
}

static int decapsulate(struct ready *ready) {
    ready->secret_len = sizeof ready->secret;
    return EVP_PKEY_decapsulate(ready->operation, ready->secret, &ready->secret_len, ready->made,
                                ready->len) > 0;
}

static int public_encrypt(struct ready *ready) {
    ready->len = sizeof ready->made;
    return EVP_PKEY_encrypt(ready->operation, ready->made, &ready->len, text, ready->size) > 0;
}

static int private_decrypt(struct ready *ready) {
    size_t len = sizeof out;
    return EVP_PKEY_decrypt(ready->operation, out, &len, ready->made, ready->len) > 0;
}

/* Makes contexts for an operation with the keys. */
static void begin_keys(int (*begin)(EVP_PKEY_CTX *), const char *algorithm) {
    for (enum side side = THEIRS; side < SIDES; side++) {
        EVP_PKEY_CTX_free(readies[side].operation);
        readies[side].operation = EVP_PKEY_CTX_new_from_pkey(libraries[side], readies[side].key,
                                                             NULL);
        MUST(readies[side].operation, algorithm);
        MUST(begin(readies[side].operation) > 0, algorithm);
    }
}

static int begin_sign(EVP_PKEY_CTX *operation) {
    return EVP_PKEY_sign_init(operation);
}

static int begin_verify(EVP_PKEY_CTX *operation) {
    return EVP_PKEY_verify_init(operation);
}

static int begin_oaep(EVP_PKEY_CTX *operation) {
    return EVP_PKEY_encrypt_init(operation) > 0 &&
           EVP_PKEY_CTX_set_rsa_padding(operation, RSA_PKCS1_OAEP_PADDING);
}

static int begin_oaep_open(EVP_PKEY_CTX *operation) {
    return EVP_PKEY_decrypt_init(operation) > 0 &&
           EVP_PKEY_CTX_set_rsa_padding(operation, RSA_PKCS1_OAEP_PADDING);
}

static int begin_encapsulate(EVP_PKEY_CTX *operation) {
    return EVP_PKEY_encapsulate_init(operation, NULL);
}

static int begin_decapsulate(EVP_PKEY_CTX *operation) {
    return EVP_PKEY_decapsulate_init(operation, NULL);
}

static int begin_derive(EVP_PKEY_CTX *operation) {
    EVP_PKEY *own = EVP_PKEY_CTX_get0_pkey(operation);
    return EVP_PKEY_derive_init(operation) > 0 && EVP_PKEY_derive_set_peer(operation, own) > 0;
}

/* Times an operation with keys once, at one size. */
static void one(const char *operation, const char *algorithm, call *call, size_t size) {
    if (is_chosen(operation, algorithm)) cell(row_of(operation, algorithm), call, size);
}

enum uses { RAW = 1, WHOLE = 2, DERIVES = 4, ENCRYPTS = 8, IS_KEM = 16 };

/* A kind of keys: its type and its parameter, as EVP_PKEY_Q_keygen takes them. */
struct kind {
    const char *name, *type, *group;
    size_t bits;
    enum uses uses;
};

static const struct kind kinds[] = {
    {"RSA-2048", "RSA", NULL, 2048, RAW | ENCRYPTS},
    {"RSA-3072", "RSA", NULL, 3072, RAW | ENCRYPTS},
    {"RSA-4096", "RSA", NULL, 4096, RAW | ENCRYPTS},
    {"P-256", "EC", "P-256", 0, RAW | DERIVES},
    {"P-384", "EC", "P-384", 0, RAW | DERIVES},
    {"P-521", "EC", "P-521", 0, RAW | DERIVES},
    {"secp256k1", "EC", "secp256k1", 0, RAW | DERIVES},
    {"X25519", "X25519", NULL, 0, DERIVES},
    {"Ed25519", "ED25519", NULL, 0, WHOLE},
    {"ML-KEM-512", "ML-KEM-512", NULL, 0, IS_KEM},
    {"ML-KEM-768", "ML-KEM-768", NULL, 0, IS_KEM},
    {"ML-KEM-1024", "ML-KEM-1024", NULL, 0, IS_KEM},
    {"X25519MLKEM768", "X25519MLKEM768", NULL, 0, IS_KEM},
    {"SecP256r1MLKEM768", "SecP256r1MLKEM768", NULL, 0, IS_KEM},
    {"ML-DSA-44", "ML-DSA-44", NULL, 0, WHOLE},
    {"ML-DSA-65", "ML-DSA-65", NULL, 0, WHOLE},
    {"ML-DSA-87", "ML-DSA-87", NULL, 0, WHOLE},
    {"SLH-DSA-SHA2-128f", "SLH-DSA-SHA2-128f", NULL, 0, WHOLE},
    {"SLH-DSA-SHAKE-128f", "SLH-DSA-SHAKE-128f", NULL, 0, WHOLE},
};

static EVP_PKEY *generate(const struct kind *kind, enum side side) {
    if (kind->bits) return EVP_PKEY_Q_keygen(libraries[side], NULL, "RSA", kind->bits);
    if (kind->group)
        return EVP_PKEY_Q_keygen(libraries[side], NULL, "EC", kind->group);
    EVP_PKEY *made = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(libraries[side], kind->type, NULL);
    if (context && EVP_PKEY_keygen_init(context) > 0) EVP_PKEY_generate(context, &made);
    EVP_PKEY_CTX_free(context);
    return made;
}

/* Gives both sides one key: that of the default provider; or each a key of a KEM, since OpenSSL
 * does not export those of all hybrids, and the work is the same for all keys. */
static int share(const struct kind *kind) {
    OSSL_PARAM *list = NULL;
    EVP_PKEY *made = generate(kind, THEIRS);
    if (is_lacking("keys of", kind->name, made != NULL)) return 0;
    readies[THEIRS].key = made;
    if (kind->uses & IS_KEM) {
        MUST(readies[OURS].key = generate(kind, OURS), kind->name);
        return 1;
    }
    MUST(EVP_PKEY_todata(made, EVP_PKEY_KEYPAIR, &list), kind->name);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(libraries[OURS], kind->type, NULL);
    readies[OURS].key = NULL;
    MUST(EVP_PKEY_fromdata_init(context) > 0, kind->name);
    MUST(EVP_PKEY_fromdata(context, &readies[OURS].key, EVP_PKEY_KEYPAIR, list) > 0, kind->name);
    MUST(is_ours(EVP_PKEY_get0_provider(readies[OURS].key)), kind->name);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(list);
    return 1;
}

static int wants(const struct kind *kind) {
    static const struct {
        enum uses use;
        const char *operation;
    } all[] = {{RAW, "sign"},                {RAW, "verify"},
               {RAW | WHOLE, "message-sign"}, {RAW | WHOLE, "message-verify"},
               {DERIVES, "derive"},          {ENCRYPTS, "public-encrypt"},
               {ENCRYPTS, "private-decrypt"}, {IS_KEM, "encapsulate"},
               {IS_KEM, "decapsulate"}};
    for (size_t at = 0; at < COUNT(all); at++)
        if (kind->uses & all[at].use && is_chosen(all[at].operation, kind->name)) return 1;
    return 0;
}

static void keys(const struct kind *kind) {
    const char *name = kind->name;
    if (!wants(kind) || !share(kind)) return;
    if (kind->uses & (RAW | WHOLE)) {
        for (enum side side = THEIRS; side < SIDES; side++) {
            readies[side].digest = kind->uses & RAW ? "SHA256" : NULL;
            readies[side].size = 64;
            MUST(sign_message(&readies[side]), name);
        }
        one("message-sign", name, sign_message, 64);
        one("message-verify", name, verify_message, 64);
    }
    if (kind->uses & RAW) {
        begin_keys(begin_sign, name);
        for (enum side side = THEIRS; side < SIDES; side++) {
            readies[side].size = 32;
            MUST(sign(&readies[side]), name);
        }
        one("sign", name, sign, 32);
        begin_keys(begin_verify, name);
        one("verify", name, verify, 32);
    }
    if (kind->uses & DERIVES) {
        begin_keys(begin_derive, name);
        one("derive", name, derive, 0);
    }
    if (kind->uses & ENCRYPTS) {
        begin_keys(begin_oaep, name);
        for (enum side side = THEIRS; side < SIDES; side++) {
            readies[side].size = 32;
            MUST(public_encrypt(&readies[side]), name);
        }
        one("public-encrypt", name, public_encrypt, 32);
        begin_keys(begin_oaep_open, name);
        one("private-decrypt", name, private_decrypt, 32);
    }
    if (kind->uses & IS_KEM) {
        begin_keys(begin_encapsulate, name);
        for (enum side side = THEIRS; side < SIDES; side++) MUST(encapsulate(&readies[side]), name);
        one("encapsulate", name, encapsulate, 0);
        begin_keys(begin_decapsulate, name);
        one("decapsulate", name, decapsulate, 0);
    }
    for (enum side side = THEIRS; side < SIDES; side++) EVP_PKEY_free(readies[side].key);
}

static int worst_first(const void *left, const void *right) {
    return up(&((const struct row *)left)->worst, &((const struct row *)right)->worst);
}

/* Prints the rows, the slowest beside the default provider first. */
static void print(void) {
    size_t cells = 0, slower = 0;
    qsort(rows, count, sizeof *rows, worst_first);
    printf("provider over default, by the least time of a call; more than 1 is faster\n%-36s", "");
    for (size_t at = 0; at < COUNT(sizes); at++) printf("%8zu", sizes[at]);
    printf("   median of the worst\n");
    for (size_t at = 0; at < count; at++) {
        struct row *row = &rows[at];
        char name[96];
        double median = 0;
        snprintf(name, sizeof name, "%s %s", row->operation, row->algorithm);
        printf("%-36s", name);
        for (size_t cell = 0; cell < row->cells; cell++) {
            printf("%8.3f", row->ratios[cell]);
            if (row->ratios[cell] == row->worst) median = row->medians[cell];
            slower += row->ratios[cell] < 1;
        }
        cells += row->cells;
        printf("   %.3f\n", median);
    }
    printf("%zu of %zu are below 1\n", slower, cells);
}

int main(int arguments, char **argument) {
    if (arguments != 5) return fprintf(stderr, "speed FOLDER SECONDS ALGORITHM JSON\n"), 2;
    seconds = atof(argument[2]);
    filter = argument[3];
    if (*argument[4]) {
        json = fopen(argument[4], "w");
        MUST(json, argument[4]);
        fprintf(json, "{\"schema\": \"broadloom-openssl-speed/1\", \"openssl\": \"%s\", ",
                OpenSSL_version(OPENSSL_VERSION));
        fprintf(json, "\"rows\": [");
    }
    for (size_t at = 0; at < sizeof key; at++) key[at] = (unsigned char)(at * 7 + 1);
    for (size_t at = 0; at < sizeof text; at++) text[at] = (unsigned char)(at * 13 + at / 256);
    for (enum side side = THEIRS; side < SIDES; side++) {
        OSSL_LIB_CTX *library = libraries[side] = OSSL_LIB_CTX_new();
        readies[side].side = side;
        OSSL_PROVIDER_set_default_search_path(library, argument[1]);
        MUST(OSSL_PROVIDER_load(library, "default"), "default");
        MUST(side == THEIRS || OSSL_PROVIDER_load(library, "broadloom"), argument[1]);
        EVP_set_default_properties(library, side == OURS ? "?provider=broadloom" : "");
    }
    EVP_MD_do_all_provided(libraries[OURS], digests, NULL);
    EVP_MAC_do_all_provided(libraries[OURS], macs, NULL);
    EVP_CIPHER_do_all_provided(libraries[OURS], ciphers, NULL);
    for (size_t at = 0; at < COUNT(kinds); at++) keys(&kinds[at]);
    print();
    if (json) fprintf(json, "\n]}\n");
    return json && fclose(json) != 0;
}
