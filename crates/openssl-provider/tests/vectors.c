/* Vectors of public keys through EVP, by this provider: inside asynchronous jobs, where operations
 * go to lanes, and again outside of jobs.
 *
 *   vectors <FILE
 *
 * The input has a vector a line, as the example `public_key_vectors` of broadloom-conformance
 * prints it. Fails where an answer is not the vector's, where libcrypto gave an operation to
 * another provider, and where no job of a class paused: pauses are requests to the lanes. The
 * provider's configuration comes from OPENSSL_CONF.
 */
#include <openssl/async.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OURS "provider=broadloom"
#define FIELDS 9
/* Vectors in jobs at a time. */
#define JOBS 64

/* What came of a vector. */
enum outcome { REFUSED, ACCEPTED, WRONG_OUTPUT, NOT_OURS, OTHER_ERROR };
static const char *const outcomes[] = {"was refused", "was accepted", "gave a wrong output",
                                       "was done by another provider",
                                       "could not be set up"};

enum field { CLASS, NAME, RESULT, KEY, HASH, MGF_HASH, MORE, DATA, EXPECTED };

struct bytes {
    unsigned char *data;
    size_t len;
};

struct vector {
    char *line;
    char *fields[FIELDS];
    struct bytes data, expected;
    /* Of a signature or a ciphertext; null of an agreement. */
    EVP_PKEY *key;
};

struct class {
    char name[32];
    int vectors, paused;
};
static struct class classes[16];
static int class_count;

static struct bytes bytes_of(const char *hex) {
    struct bytes bytes = {malloc(strlen(hex) / 2 + 1), 0};
    if (strcmp(hex, "-") != 0 &&
        OPENSSL_hexstr2buf_ex(bytes.data, strlen(hex) / 2, &bytes.len, hex, '\0') != 1) {
        fprintf(stderr, "vectors: %.40s is not hexadecimal\n", hex);
        exit(2);
    }
    return bytes;
}

/* Whether the operation that a context was begun for is this provider's. */
static int is_ours(const EVP_PKEY_CTX *context) {
    const OSSL_PROVIDER *provider = EVP_PKEY_CTX_get0_provider(context);
    return provider != NULL && strcmp(OSSL_PROVIDER_get0_name(provider), "broadloom") == 0;
}

static OSSL_PARAM text(const char *name, const char *value) {
    return OSSL_PARAM_construct_utf8_string(name, (char *)value, 0);
}

/* The key of a vector in DER: public as a certificate has it, private by PKCS #8. */
static EVP_PKEY *key_of(const struct vector *vector) {
    struct bytes der = bytes_of(vector->fields[KEY]);
    const unsigned char *from = der.data;
    EVP_PKEY *key;
    if (strncmp(vector->fields[CLASS], "verify", 6) == 0)
        key = d2i_PUBKEY(NULL, &from, (long)der.len);
    else
        key = d2i_AutoPrivateKey(NULL, &from, (long)der.len);
    free(der.data);
    return key;
}

static enum outcome verify(const struct vector *vector) {
    const char *hash = vector->fields[HASH], *of_mgf = vector->fields[MGF_HASH];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *how;
    enum outcome outcome = OTHER_ERROR;
    int salt = atoi(vector->fields[MORE]);
    OSSL_PARAM pss[] = {text(OSSL_PKEY_PARAM_PAD_MODE, "pss"),
                        text(OSSL_PKEY_PARAM_MGF1_DIGEST, of_mgf),
                        OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_RSA_PSS_SALTLEN, &salt),
                        OSSL_PARAM_construct_end()};
    if (strcmp(hash, "-") == 0)
        hash = NULL;
    if (EVP_DigestVerifyInit_ex(context, &how, hash, NULL, OURS, vector->key, NULL) == 1 &&
        (strcmp(of_mgf, "-") == 0 || EVP_PKEY_CTX_set_params(how, pss) == 1)) {
        if (!is_ours(how))
            outcome = NOT_OURS;
        else
            outcome = EVP_DigestVerify(context, vector->expected.data, vector->expected.len,
                                       vector->data.data, vector->data.len) == 1;
    }
    EVP_MD_CTX_free(context);
    return outcome;
}

static enum outcome compare(const struct vector *vector, const unsigned char *output, size_t len) {
    int same = len == vector->expected.len && memcmp(output, vector->expected.data, len) == 0;
    return same ? ACCEPTED : WRONG_OUTPUT;
}

static enum outcome decrypt(const struct vector *vector) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, vector->key, OURS);
    struct bytes label = bytes_of(vector->fields[MORE]);
    unsigned char output[1024];
    size_t len = sizeof output;
    enum outcome outcome = OTHER_ERROR;
    OSSL_PARAM pkcs1[] = {text(OSSL_PKEY_PARAM_PAD_MODE, "pkcs1"), OSSL_PARAM_construct_end()};
    OSSL_PARAM oaep[] = {
        text(OSSL_PKEY_PARAM_PAD_MODE, "oaep"),
        text(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, vector->fields[HASH]),
        text(OSSL_PKEY_PARAM_MGF1_DIGEST, vector->fields[MGF_HASH]),
        OSSL_PARAM_construct_octet_string(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, label.data, label.len),
        OSSL_PARAM_construct_end()};
    if (strcmp(vector->fields[MORE], "-") == 0)
        oaep[3] = OSSL_PARAM_construct_end();
    if (EVP_PKEY_decrypt_init_ex(context, vector->fields[HASH][0] == '-' ? pkcs1 : oaep) == 1) {
        if (!is_ours(context))
            outcome = NOT_OURS;
        else if (EVP_PKEY_decrypt(context, output, &len, vector->data.data, vector->data.len) == 1)
            outcome = compare(vector, output, len);
        else
            outcome = REFUSED;
    }
    free(label.data);
    EVP_PKEY_CTX_free(context);
    return outcome;
}

/* A key of a curve, of its number or of its point; null where libcrypto refuses it. */
static EVP_PKEY *curve_key(const char *curve, struct bytes number, struct bytes point) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", OURS);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *secret = BN_bin2bn(number.data, (int)number.len, NULL);
    OSSL_PARAM *list;
    OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0);
    if (number.len > 0)
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, secret);
    else
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point.data, point.len);
    list = OSSL_PARAM_BLD_to_param(build);
    if (EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, number.len > 0 ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
                          list) != 1)
        key = NULL;
    OSSL_PARAM_free(list);
    BN_free(secret);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(context);
    return key;
}

static enum outcome agree(const struct vector *vector) {
    const char *curve = vector->fields[MORE];
    struct bytes secret = bytes_of(vector->fields[KEY]), none = {NULL, 0};
    struct bytes point = vector->data;
    EVP_PKEY *mine, *other;
    EVP_PKEY_CTX *context = NULL;
    unsigned char output[128];
    size_t len = sizeof output;
    enum outcome outcome = OTHER_ERROR;
    if (strcmp(curve, "X25519") == 0) {
        mine = EVP_PKEY_new_raw_private_key_ex(NULL, curve, OURS, secret.data, secret.len);
        other = EVP_PKEY_new_raw_public_key_ex(NULL, curve, OURS, point.data, point.len);
    } else {
        mine = curve_key(curve, secret, none);
        other = curve_key(curve, none, point);
    }
    if (mine != NULL)
        context = EVP_PKEY_CTX_new_from_pkey(NULL, mine, OURS);
    if (context != NULL && EVP_PKEY_derive_init(context) == 1) {
        if (!is_ours(context))
            outcome = NOT_OURS;
        else if (other != NULL && EVP_PKEY_derive_set_peer(context, other) == 1 &&
                 EVP_PKEY_derive(context, output, &len) == 1)
            outcome = compare(vector, output, len);
        else
            outcome = REFUSED;
    }
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(mine);
    EVP_PKEY_free(other);
    free(secret.data);
    return outcome;
}

static int run(void *argument) {
    const struct vector *vector = *(const struct vector **)argument;
    enum outcome outcome = OTHER_ERROR;
    switch (vector->fields[CLASS][0]) {
    case 'v': outcome = vector->key ? verify(vector) : REFUSED; break;
    case 'd': outcome = vector->key ? decrypt(vector) : REFUSED; break;
    case 'a': outcome = agree(vector); break;
    }
    ERR_clear_error();
    return outcome;
}

/* Whether an outcome is the vector's; says so where it is not. */
static int judge(const struct vector *vector, enum outcome outcome, const char *where) {
    char *const *fields = vector->fields;
    int right;
    if (strcmp(fields[RESULT], "valid") == 0)
        right = outcome == ACCEPTED;
    /* By PKCS #1 v1.5, a wrong padding may decrypt to another text: it tells attackers nothing. */
    else if (strcmp(fields[RESULT], "invalid") == 0)
        right = outcome == REFUSED ||
                (outcome == WRONG_OUTPUT && strcmp(fields[CLASS], "decrypt-pkcs1") == 0);
    else
        right = outcome == REFUSED || outcome == ACCEPTED;
    if (!right)
        fprintf(stderr, "%s %s, which is %s, %s %s\n", fields[CLASS], fields[NAME], fields[RESULT],
                outcomes[outcome], where);
    return right;
}

static struct class *class_named(const char *name) {
    for (int i = 0; i < class_count; i++)
        if (strcmp(classes[i].name, name) == 0)
            return &classes[i];
    if (class_count == (int)(sizeof classes / sizeof *classes)) {
        fprintf(stderr, "vectors: too many classes\n");
        exit(2);
    }
    snprintf(classes[class_count].name, sizeof classes->name, "%s", name);
    return &classes[class_count++];
}

/* Vectors inside jobs, all at a time, then each outside of jobs. Returns how many fail. */
static int run_all(struct vector *vectors, int count) {
    ASYNC_JOB *jobs[JOBS] = {0};
    ASYNC_WAIT_CTX *wait[JOBS];
    int done[JOBS] = {0}, left = count, failed = 0;
    for (int i = 0; i < count; i++)
        wait[i] = ASYNC_WAIT_CTX_new();
    /* The descriptors of this provider are readable at once, so that each turn resumes all. */
    while (left > 0) {
        for (int i = 0; i < count; i++) {
            const struct vector *vector = &vectors[i];
            int result, status;
            if (done[i])
                continue;
            status = ASYNC_start_job(&jobs[i], wait[i], &result, run, &vector, sizeof vector);
            if (status == ASYNC_PAUSE) {
                class_named(vector->fields[CLASS])->paused++;
                continue;
            }
            if (status != ASYNC_FINISH) {
                fprintf(stderr, "vectors: a job ends with status %d\n", status);
                exit(1);
            }
            failed += !judge(vector, (enum outcome)result, "inside a job");
            done[i] = 1;
            left--;
        }
    }
    for (int i = 0; i < count; i++) {
        const struct vector *vector = &vectors[i];
        ASYNC_WAIT_CTX_free(wait[i]);
        failed += !judge(vector, (enum outcome)run(&vector), "outside of jobs");
        class_named(vector->fields[CLASS])->vectors++;
    }
    return failed;
}

/* Takes a line apart. The key is that of the vector before, where it is the same. */
static void read_vector(struct vector *vector, const char *line, const struct vector *before) {
    int count = 0;
    vector->line = strdup(line);
    for (char *field = strtok(vector->line, " \n"); field != NULL; field = strtok(NULL, " \n"))
        if (count++ < FIELDS)
            vector->fields[count - 1] = field;
    if (count != FIELDS) {
        fprintf(stderr, "vectors: a line has %d fields; right are %d\n", count, FIELDS);
        exit(2);
    }
    vector->data = bytes_of(vector->fields[DATA]);
    vector->expected = bytes_of(vector->fields[EXPECTED]);
    vector->key = NULL;
    if (vector->fields[CLASS][0] == 'a')
        return;
    if (before != NULL && strcmp(before->fields[KEY], vector->fields[KEY]) == 0 &&
        before->key != NULL && EVP_PKEY_up_ref(before->key) == 1)
        vector->key = before->key;
    else
        vector->key = key_of(vector);
    ERR_clear_error();
}

static void free_all(struct vector *vectors, int count) {
    for (int i = 0; i < count; i++) {
        free(vectors[i].line);
        free(vectors[i].data.data);
        free(vectors[i].expected.data);
        EVP_PKEY_free(vectors[i].key);
    }
}

int main(void) {
    static struct vector vectors[JOBS];
    EVP_SIGNATURE *ecdsa = EVP_SIGNATURE_fetch(NULL, "ECDSA", OURS);
    int has_curves = ecdsa != NULL, count = 0, failed = 0, all = 0, left_out = 0;
    char *line = NULL;
    size_t room = 0;
    EVP_SIGNATURE_free(ecdsa);
    ERR_clear_error();
    while (getline(&line, &room, stdin) > 0) {
        if (!has_curves && (strncmp(line, "verify-ecdsa", 12) == 0 ||
                            strncmp(line, "agree-ecdh", 10) == 0)) {
            left_out++;
            continue;
        }
        read_vector(&vectors[count], line, count > 0 ? &vectors[count - 1] : NULL);
        all++;
        if (++count == JOBS) {
            failed += run_all(vectors, count);
            free_all(vectors, count);
            count = 0;
        }
    }
    failed += run_all(vectors, count);
    free_all(vectors, count);
    free(line);
    for (int i = 0; i < class_count; i++) {
        printf("  %-14s %5d vectors, %d waited for lanes\n", classes[i].name, classes[i].vectors,
               classes[i].paused);
        if (classes[i].paused == 0) {
            fprintf(stderr, "no job of %s ever paused: nothing went to lanes\n", classes[i].name);
            failed++;
        }
    }
    printf("%d vectors went through EVP inside and outside of jobs, %d failed, %d left out%s\n",
           all, failed, left_out, has_curves ? "" : ": this CPU has no lanes for P-256");
    return failed > 0 || all == 0;
}
