/* Ciphers of the provider, each message compared with the default provider's.
 *
 *   ciphers [MESSAGES]
 *
 * Draws for each cipher so many messages: lengths, splits, padding, nonces, associated data, in
 * place or apart, copies of contexts in the middle, contexts that are used again with their key, a
 * wrong tag now and then. Both providers encrypt and decrypt each: first at once, then inside of
 * jobs, 24 at a time. Fails when an answer or a status differs. The provider's configuration comes
 * from OPENSSL_CONF.
 */
#include <openssl/async.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEN 40000
#define JOBS 24

static const char *const names[] = {
    "AES-128-ECB", "AES-192-ECB", "AES-256-ECB", "AES-128-CBC", "AES-192-CBC",
    "AES-256-CBC", "AES-128-CTR", "AES-192-CTR", "AES-256-CTR", "AES-128-CFB",
    "AES-192-CFB", "AES-256-CFB", "AES-128-OFB", "AES-192-OFB", "AES-256-OFB",
    "AES-128-XTS", "AES-256-XTS", "AES-128-GCM", "AES-192-GCM", "AES-256-GCM",
    "AES-128-CCM", "AES-192-CCM", "AES-256-CCM", "ChaCha20-Poly1305"};
#define CIPHERS (sizeof names / sizeof *names)

static EVP_CIPHER *ciphers[2][CIPHERS];
static unsigned char noise[2 * MAX_LEN];

/* Draws of a message, from its own seed: both providers are given the same. */
static unsigned draw(unsigned long long *seed, unsigned below) {
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*seed >> 33) % below;
}

struct made {
    unsigned char text[MAX_LEN + 64], tag[16], iv[16];
    int len, status;
};

/* One pass over a message: an update for each piece, and the end. */
static int pass(EVP_CIPHER_CTX **context, unsigned long long seed, int mode, int encrypts,
                const unsigned char *in, int len, unsigned char *tag, int tag_len,
                struct made *made) {
    int aead = mode == EVP_CIPH_GCM_MODE || mode == EVP_CIPH_CCM_MODE ||
               EVP_CIPHER_CTX_get_nid(*context) == NID_chacha20_poly1305;
    int aad_len = aead ? (int)draw(&seed, 3) * (int)draw(&seed, 60) : 0;
    int whole = mode == EVP_CIPH_CCM_MODE || draw(&seed, 3) == 0, at = 0, out = 0, part = 0;
    int in_place = whole && draw(&seed, 2), late = draw(&seed, 4) == 0;
    unsigned char *buffer = made->text;
    if (in_place) {
        memcpy(buffer, in, (size_t)len);
        in = buffer;
    }
    if (aead && !encrypts && !late &&
        EVP_CIPHER_CTX_ctrl(*context, EVP_CTRL_AEAD_SET_TAG, tag_len, tag) != 1)
        return 0;
    if (mode == EVP_CIPH_CCM_MODE && EVP_CipherUpdate(*context, NULL, &part, NULL, len) != 1)
        return 0;
    if (aad_len > 0) {
        int first = mode == EVP_CIPH_CCM_MODE ? aad_len : (int)draw(&seed, (unsigned)aad_len + 1);
        if (EVP_CipherUpdate(*context, NULL, &part, noise + 77, first) != 1)
            return 0;
        if (first < aad_len &&
            EVP_CipherUpdate(*context, NULL, &part, noise + 77 + first, aad_len - first) != 1)
            return 0;
    }
    while (at < len || whole) {
        int most = len - at, piece = most;
        if (!whole) {
            static const unsigned sizes[] = {17, 100, 3000, 20000};
            piece = 1 + (int)draw(&seed, sizes[draw(&seed, 4)]);
            if (draw(&seed, 3) == 0)
                piece = piece / 16 * 16 + 16;
            piece = piece > most ? most : piece;
            if (mode == EVP_CIPH_XTS_MODE)
                piece = most;
        }
        if (piece > 0 || mode == EVP_CIPH_CCM_MODE) {
            if (EVP_CipherUpdate(*context, buffer + out, &part, in + at, piece) != 1)
                return 0;
            out += part;
        }
        at += piece;
        if (draw(&seed, 8) == 0) {
            EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
            if (EVP_CIPHER_CTX_copy(copy, *context) != 1)
                return 0;
            EVP_CIPHER_CTX_free(*context);
            *context = copy;
        }
        if (draw(&seed, 8) == 0 && !aead && mode != EVP_CIPH_ECB_MODE &&
            (EVP_CIPHER_CTX_get_updated_iv(*context, made->iv, 16) != 1 ||
             EVP_CIPHER_CTX_get_original_iv(*context, made->iv, 16) != 1))
            return 0;
        if (whole)
            break;
    }
    if (aead && !encrypts && late && mode != EVP_CIPH_CCM_MODE &&
        EVP_CIPHER_CTX_ctrl(*context, EVP_CTRL_AEAD_SET_TAG, tag_len, tag) != 1)
        return 0;
    if (!(mode == EVP_CIPH_CCM_MODE && !encrypts)) {
        if (EVP_CipherFinal_ex(*context, buffer + out, &part) != 1)
            return 0;
        out += part;
    }
    if (aead && encrypts &&
        EVP_CIPHER_CTX_ctrl(*context, EVP_CTRL_AEAD_GET_TAG, tag_len, made->tag) != 1)
        return 0;
    made->len = out;
    return 1;
}

static int begin(EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, int encrypts, int mode,
                 int iv_len, int tag_len, const unsigned char *key, const unsigned char *iv) {
    if (EVP_CipherInit_ex2(context, cipher, NULL, NULL, encrypts, NULL) != 1)
        return 0;
    if (iv_len > 0 && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL) != 1)
        return 0;
    if (mode == EVP_CIPH_CCM_MODE &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_len, NULL) != 1)
        return 0;
    return EVP_CipherInit_ex2(context, NULL, key, iv, encrypts, NULL);
}

static int message(EVP_CIPHER_CTX *contexts[2][2], size_t which, unsigned long long seed) {
    struct made *made = malloc(4 * sizeof *made);
    const EVP_CIPHER *cipher = ciphers[0][which];
    int mode = EVP_CIPHER_get_mode(cipher), good = 1, fresh = draw(&seed, 12) == 0;
    int nid = EVP_CIPHER_get_nid(cipher), poly = nid == NID_chacha20_poly1305;
    int sizes[] = {1, 100, 3000, MAX_LEN}, len = (int)draw(&seed, (unsigned)sizes[draw(&seed, 4)]);
    int pads = draw(&seed, 2), tag_len = 16, iv_len = 0, wrong = draw(&seed, 6) == 0;
    const unsigned char *key = noise + which * 64, *iv = noise + draw(&seed, 1000);
    const unsigned char *text = noise + draw(&seed, MAX_LEN);
    if (mode == EVP_CIPH_GCM_MODE || poly) {
        static const int lens[] = {12, 12, 16, 7};
        iv_len = lens[draw(&seed, poly ? 2 : 4)];
        if (mode == EVP_CIPH_GCM_MODE && draw(&seed, 3) == 0)
            tag_len = 12;
    }
    if (mode == EVP_CIPH_CCM_MODE) {
        /* The default provider's CCM takes other lengths with another key alone. */
        iv_len = 7 + (int)which % 7;
        tag_len = 4 + 2 * ((int)which % 7);
    }
    if (mode == EVP_CIPH_XTS_MODE)
        len += 16;
    if ((mode == EVP_CIPH_ECB_MODE || mode == EVP_CIPH_CBC_MODE) && !pads)
        len = len / 16 * 16;
    seed += which;
    for (int back = 0; good && back < 2; back++) {
        unsigned long long passes = seed + (unsigned)back;
        for (int who = 0; who < 2; who++) {
            struct made *mine = &made[2 * back + who];
            EVP_CIPHER_CTX **context = &contexts[who][back];
            unsigned char tag[16];
            if (*context == NULL || fresh) {
                EVP_CIPHER_CTX_free(*context);
                *context = EVP_CIPHER_CTX_new();
            }
            memset(mine, 0, sizeof *mine);
            memcpy(tag, made[0].tag, 16);
            tag[0] ^= (unsigned char)(back && wrong);
            int known = EVP_CIPHER_CTX_get0_cipher(*context) != NULL;
            mine->status = begin(*context, known ? NULL : ciphers[who][which], !back, mode, iv_len,
                                 tag_len, known ? NULL : key, iv);
            EVP_CIPHER_CTX_set_padding(*context, pads);
            mine->status = mine->status &&
                           pass(context, passes, mode, !back, back ? made[0].text : text,
                                back ? made[0].len : len, tag, tag_len, mine);
            ERR_clear_error();
        }
        struct made *one = &made[2 * back], *other = one + 1;
        if (one->status != other->status || (!back && !one->status)) {
            fprintf(stderr, "%s of %d bytes (%s): status %d, and %d would be right\n", names[which],
                    len, back ? "back" : "there", one->status, other->status);
            good = 0;
        } else if (one->status && (one->len != other->len ||
                                   memcmp(one->text, other->text, (size_t)one->len) != 0 ||
                                   memcmp(one->tag, other->tag, 16) != 0 ||
                                   memcmp(one->iv, other->iv, 16) != 0)) {
            fprintf(stderr, "%s of %d bytes (%s): another answer\n", names[which], len,
                    back ? "back" : "there");
            good = 0;
        }
        if (good && back && one->status &&
            (one->len != len || memcmp(one->text, text, (size_t)len) != 0)) {
            fprintf(stderr, "%s of %d bytes: the text does not come back\n", names[which], len);
            good = 0;
        }
    }
    free(made);
    return good;
}

struct task {
    EVP_CIPHER_CTX *contexts[2][2];
    size_t which;
    unsigned long long seed;
};

static int run(void *argument) {
    struct task *task = *(struct task **)argument;
    return message(task->contexts, task->which, task->seed);
}

int main(int count, char **arguments) {
    int messages = count > 1 ? atoi(arguments[1]) : 200, failed = 0, done = 0, paused = 0;
    unsigned long long seed = 1;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)draw(&seed, 256);
    for (size_t which = 0; which < CIPHERS; which++) {
        ciphers[0][which] = EVP_CIPHER_fetch(NULL, names[which], "provider=broadloom");
        ciphers[1][which] = EVP_CIPHER_fetch(NULL, names[which], "provider=default");
        if (ciphers[0][which] == NULL || ciphers[1][which] == NULL) {
            fprintf(stderr, "%s is missing\n", names[which]);
            return 1;
        }
    }
    for (size_t which = 0; which < CIPHERS; which++) {
        EVP_CIPHER_CTX *contexts[2][2] = {{0}};
        for (int i = 0; i < messages; i++, done++)
            failed |= !message(contexts, which, (unsigned long long)i * 1000003 + which);
        for (int i = 0; i < 4; i++)
            EVP_CIPHER_CTX_free(contexts[i / 2][i % 2]);
    }
    static struct task tasks[JOBS];
    ASYNC_JOB *job[JOBS] = {0};
    ASYNC_WAIT_CTX *wait[JOBS];
    int left = messages * (int)CIPHERS, waiting;
    for (int i = 0; i < JOBS; i++)
        wait[i] = ASYNC_WAIT_CTX_new();
    do {
        waiting = 0;
        for (int i = 0; i < JOBS; i++) {
            int result;
            struct task *task = &tasks[i];
            if (job[i] == NULL) {
                if (left == 0)
                    continue;
                left--;
                task->which = (size_t)i;
                task->seed = (unsigned long long)left * 7919 + 5;
            }
            switch (ASYNC_start_job(&job[i], wait[i], &result, run, &task, sizeof task)) {
            case ASYNC_PAUSE:
                paused++;
                waiting++;
                break;
            case ASYNC_FINISH:
                done++;
                waiting++;
                failed |= result != 1;
                break;
            default:
                fprintf(stderr, "a job fails\n");
                return 1;
            }
        }
    } while (waiting > 0);
    if (paused == 0) {
        fprintf(stderr, "no job ever paused: nothing went through the line\n");
        return 1;
    }
    if (!failed)
        printf("ciphers: %d messages of %d ciphers are as the default provider's, %d pauses\n",
               done, (int)CIPHERS, paused);
    return failed;
}
