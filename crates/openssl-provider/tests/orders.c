/* Ciphers of the provider, called in random orders, each call compared with the default provider's.
 *
 *   orders [SEQUENCES [SEED]]
 *
 * Draws so many sequences of calls in total, over all ciphers, half of them inside of jobs: begin
 * with and without a cipher, key and IV, lengths of IVs and tags, associated data, texts around the
 * lengths at which the provider changes its way, end, tag, copies of contexts. Messages in the
 * usual order are among them, with calls left out and repeated. Both providers are given the same
 * calls. Fails, and prints the calls, when a status, a length or a byte of output differs. The
 * provider's configuration comes from OPENSSL_CONF.
 */
#include <openssl/async.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM (2 * 4096 + 64)
#define MOST_CALLS 256

static const char *const names[] = {
    "AES-128-ECB", "AES-192-ECB", "AES-256-ECB", "AES-128-CBC", "AES-192-CBC",
    "AES-256-CBC", "AES-128-CTR", "AES-192-CTR", "AES-256-CTR", "AES-128-CFB",
    "AES-192-CFB", "AES-256-CFB", "AES-128-OFB", "AES-192-OFB", "AES-256-OFB",
    "AES-128-XTS", "AES-256-XTS", "AES-128-GCM", "AES-192-GCM", "AES-256-GCM",
    "AES-128-CCM", "AES-192-CCM", "AES-256-CCM", "ChaCha20-Poly1305"};
#define CIPHERS (sizeof names / sizeof *names)

enum kind {
    INIT, LENGTH, ASSOCIATED, TEXT, END, IV_LEN, SET_TAG, TAG_LEN, GET_TAG, COPY, PADDING, GET_IV,
    SET_NUM, WHOLE, FIX_IV, MAKE_IV, TAKE_IV, TLS_DATA, KINDS
};
static const char *const kinds[KINDS] = {
    "init", "length", "associated", "text", "end", "IV length", "set tag", "tag length", "get tag",
    "copy", "padding", "get IV", "set num", "EVP_Cipher", "fix IV", "make IV", "take IV",
    "TLS's associated data"};

struct call {
    enum kind kind;
    int len, encrypts, has_cipher, in_place;
    const unsigned char *key, *iv, *data;
};

struct outcome {
    int status, len;
    unsigned char out[ROOM];
};

/* A cipher, the contexts of both providers, and what a sequence did. */
struct run {
    size_t which;
    int mode, is_aead, iv_len, tag_len, count, failed;
    /* The last message has ended: its tag is that which is got. Before, it is an earlier one, or
     * what was set as one. */
    int has_tag;
    const EVP_CIPHER *ciphers[2];
    EVP_CIPHER_CTX *contexts[2], *warm[2];
    const unsigned char *key;
    unsigned char sealed[ROOM], tag[16];
    struct call calls[MOST_CALLS];
    struct outcome outcomes[2];
};

static unsigned long long seed;
static unsigned char noise[1 << 15];

static unsigned draw(unsigned below) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(seed >> 33) % below;
}

static const unsigned char *bytes(void) {
    return noise + draw(sizeof noise - ROOM);
}

#define PICK(list) ((list)[draw(sizeof(list) / sizeof *(list))])

static void make(EVP_CIPHER_CTX **context, const EVP_CIPHER *cipher, const struct call *call,
                 struct outcome *made) {
    unsigned char *out = made->out;
    const unsigned char *data = call->data;
    int len = 0, control = -1;
    if (call->in_place) {
        memcpy(out, data, (size_t)call->len);
        data = out;
    }
    switch (call->kind) {
    case INIT:
        made->status = EVP_CipherInit_ex(*context, call->has_cipher ? cipher : NULL, NULL,
                                         call->key, call->iv, call->encrypts);
        break;
    case LENGTH: made->status = EVP_CipherUpdate(*context, NULL, &len, NULL, call->len); break;
    case ASSOCIATED: made->status = EVP_CipherUpdate(*context, NULL, &len, data, call->len); break;
    case TEXT: made->status = EVP_CipherUpdate(*context, out, &len, data, call->len); break;
    case WHOLE:
        made->status = EVP_Cipher(*context, call->len ? out : NULL, call->len ? data : NULL,
                                  (unsigned)call->len);
        break;
    case END: made->status = EVP_CipherFinal_ex(*context, out, &len); break;
    case IV_LEN: control = EVP_CTRL_AEAD_SET_IVLEN; break;
    case SET_TAG: case TAG_LEN: control = EVP_CTRL_AEAD_SET_TAG; break;
    case GET_TAG: control = EVP_CTRL_AEAD_GET_TAG; break;
    case FIX_IV: control = EVP_CTRL_AEAD_SET_IV_FIXED; break;
    case MAKE_IV: control = EVP_CTRL_GCM_IV_GEN; break;
    case TAKE_IV: control = EVP_CTRL_GCM_SET_IV_INV; break;
    case TLS_DATA: control = EVP_CTRL_AEAD_TLS1_AAD; break;
    case COPY: {
        EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
        made->status = EVP_CIPHER_CTX_copy(copy, *context);
        EVP_CIPHER_CTX_free(*context);
        *context = copy;
        break;
    }
    case PADDING: made->status = EVP_CIPHER_CTX_set_padding(*context, call->len); break;
    case GET_IV:
        made->status = EVP_CIPHER_CTX_get_updated_iv(*context, out, 16) +
                       2 * EVP_CIPHER_CTX_get_original_iv(*context, out + 16, 16) +
                       4 * EVP_CIPHER_CTX_get_num(*context);
        break;
    case SET_NUM: made->status = EVP_CIPHER_CTX_set_num(*context, call->len); break;
    case KINDS: abort();
    }
    if (control >= 0) {
        if (data != NULL && call->len > 0)
            memcpy(out, data, (size_t)call->len);
        made->status = EVP_CIPHER_CTX_ctrl(*context, control, call->len,
                                           call->kind == TAG_LEN ? NULL : out);
    }
    made->len = len;
    ERR_clear_error();
}

static void tell(const struct run *run) {
    const struct outcome *ours = &run->outcomes[0], *theirs = &run->outcomes[1];
    fprintf(stderr, "%s: status %d and length %d; %d and %d would be right%s\n", names[run->which],
            ours->status, ours->len, theirs->status, theirs->len,
            memcmp(ours->out, theirs->out, ROOM) ? "; the output differs" : "");
    for (int i = 0; i < run->count; i++) {
        const struct call *call = &run->calls[i];
        fprintf(stderr, "  %s", kinds[call->kind]);
        if (call->kind == INIT)
            fprintf(stderr, "%s%s%s, %s\n", call->has_cipher ? " cipher" : "",
                    call->key ? " key" : "", call->iv ? " IV" : "",
                    call->encrypts < 0 ? "as before" : call->encrypts ? "encrypt" : "decrypt");
        else
            fprintf(stderr, " %d%s\n", call->len, call->in_place ? ", in place" : "");
    }
}

/* Has both providers make a call, and compares. */
static void both(struct run *run, struct call call) {
    if (run->failed || run->count == MOST_CALLS)
        return;
    run->calls[run->count++] = call;
    for (int who = 0; who < 2; who++) {
        memset(run->outcomes[who].out, 0x5a, ROOM);
        make(&run->contexts[who], run->ciphers[who], &call, &run->outcomes[who]);
    }
    const struct outcome *ours = &run->outcomes[0], *theirs = &run->outcomes[1];
    if (call.kind == GET_TAG && !run->has_tag)
        memcpy(run->outcomes[0].out, theirs->out, ROOM);
    if (call.kind != GET_TAG && call.kind != COPY && call.kind != GET_IV)
        run->has_tag = call.kind == END && theirs->status == 1;
    if (ours->status != theirs->status || ours->len != theirs->len ||
        memcmp(ours->out, theirs->out, ROOM) != 0) {
        tell(run);
        run->failed = 1;
    }
}

/* The same, but now and then not at all, or twice. */
static void perhaps(struct run *run, struct call call) {
    if (draw(14) != 0)
        both(run, call);
    if (draw(40) == 0)
        both(run, call);
}

static struct call init(struct run *run, int cipher, int key, int iv, int encrypts) {
    struct call call = {.kind = INIT, .has_cipher = cipher, .encrypts = encrypts};
    /* The default provider's GCM draws an IV where none was ever given, and its XTS crashes when a
     * context without a key is copied and used. */
    if (key || (cipher && run->mode == EVP_CIPH_XTS_MODE))
        call.key = run->key = bytes();
    if (iv || (cipher && run->mode == EVP_CIPH_GCM_MODE))
        call.iv = bytes();
    return call;
}

static int text_len(void) {
    static const int lens[] = {0,    1,    15,   16,   17,   33,   511,  512, 1000,
                               2047, 2048, 2049, 4095, 4096, 4096, 4097, 4112};
    return PICK(lens);
}

static int associated_len(void) {
    static const int lens[] = {0, 1, 13, 15, 16, 17, 100};
    return PICK(lens);
}

/* The right ciphertext and tag of a message. */
static void seal(struct run *run, const unsigned char *iv, const unsigned char *associated,
                 int associated_len, const unsigned char *text, int len) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int written;
    EVP_EncryptInit_ex(context, run->ciphers[1], NULL, NULL, NULL);
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, run->iv_len, NULL);
    if (run->mode == EVP_CIPH_CCM_MODE)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, run->tag_len, NULL);
    EVP_EncryptInit_ex(context, NULL, NULL, run->key, iv);
    if (run->mode == EVP_CIPH_CCM_MODE)
        EVP_EncryptUpdate(context, NULL, &written, NULL, len);
    if (associated_len > 0)
        EVP_EncryptUpdate(context, NULL, &written, associated, associated_len);
    EVP_EncryptUpdate(context, run->sealed, &written, text, len);
    EVP_EncryptFinal_ex(context, run->sealed + written, &written);
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, run->tag_len, run->tag);
    EVP_CIPHER_CTX_free(context);
    ERR_clear_error();
}

/* A message in the usual order, of which calls may be missing. */
static void message(struct run *run) {
    int encrypts = (int)draw(2), len = text_len(), associated = associated_len();
    int pieces = draw(4) == 0 ? 2 : 1, early = (int)draw(4), in_place = (int)draw(2);
    const unsigned char *data = bytes(), *text = bytes();
    struct call begin = init(run, 0, draw(12) == 0, draw(12) != 0, encrypts);
    struct call tag = {.kind = SET_TAG, .len = run->tag_len, .data = run->tag};
    if (run->is_aead && !encrypts && begin.iv != NULL) {
        seal(run, begin.iv, data, associated, text, len);
        text = run->sealed;
        run->tag[0] ^= draw(8) == 0;
    }
    perhaps(run, begin);
    if (run->is_aead) {
        if (!encrypts && early)
            perhaps(run, tag);
        if (run->mode == EVP_CIPH_CCM_MODE)
            perhaps(run, (struct call){.kind = LENGTH, .len = len});
        if (associated > 0)
            perhaps(run, (struct call){.kind = ASSOCIATED, .len = associated, .data = data});
    }
    for (int at = 0, piece; at < len; at += piece) {
        piece = pieces == 1 ? len - at : (len - at + 1) / 2;
        pieces = 1;
        perhaps(run, (struct call){
                         .kind = TEXT, .len = piece, .data = text + at, .in_place = in_place});
    }
    if (run->is_aead && !encrypts && !early)
        perhaps(run, tag);
    perhaps(run, (struct call){.kind = END});
    if (run->is_aead && encrypts)
        perhaps(run, (struct call){.kind = GET_TAG, .len = run->tag_len});
}

/* One call of any kind. */
static void any(struct run *run) {
    static const int iv_lens[] = {12, 12, 12, 16, 7, 8, 13, 1, 0, 17, 64};
    static const int tag_lens[] = {16, 16, 12, 4, 8, 1, 0, 17};
    struct call call = {.kind = (enum kind)draw(KINDS), .data = bytes()};
    switch (call.kind) {
    case INIT:
        call = init(run, draw(8) == 0, draw(3) == 0, draw(3) == 0, (int)draw(3) - 1);
        break;
    case LENGTH:
        if (run->mode != EVP_CIPH_CCM_MODE)
            return;
        call.len = text_len();
        break;
    case ASSOCIATED:
        if (!run->is_aead)
            return;
        call.len = associated_len();
        break;
    case WHOLE: case TEXT:
        call.len = text_len();
        call.in_place = (int)draw(2);
        break;
    case IV_LEN:
        call.len = PICK(iv_lens);
        run->iv_len = call.len;
        break;
    case SET_TAG: case TAG_LEN:
        call.len = PICK(tag_lens);
        run->tag_len = call.len > 0 && call.len <= 16 ? call.len : run->tag_len;
        break;
    case GET_TAG: call.len = PICK(tag_lens); break;
    case PADDING: call.len = (int)draw(2); break;
    case SET_NUM:
        if (draw(4) != 0)
            return;
        call.len = (int)draw(16);
        break;
    case FIX_IV: case MAKE_IV: case TAKE_IV: case TLS_DATA:
        if (!run->is_aead || draw(3) != 0)
            return;
        /* A whole IV: of a shorter one, the provider draws the rest. */
        call.len = call.kind == FIX_IV ? -1 : call.kind == TLS_DATA ? 13 : 8;
        break;
    case END: case COPY: case GET_IV: case KINDS: break;
    }
    both(run, call);
}

/* A key that has served for so many bytes that the engine knows it. */
static void warm_up(struct run *run, unsigned long long from) {
    seed = from;
    both(run, init(run, 1, 1, 1, 1));
    for (int i = 0; i < 6; i++) {
        if (run->mode == EVP_CIPH_CCM_MODE)
            both(run, (struct call){.kind = LENGTH, .len = 4096});
        both(run, (struct call){.kind = TEXT, .len = 4096, .data = noise});
        both(run, (struct call){.kind = END});
        both(run, init(run, 0, 0, 1, 1));
    }
}

static void sequence(struct run *run, const unsigned char *warm_key) {
    int is_warm = draw(4) != 0;
    run->count = run->has_tag = 0;
    run->tag_len = run->mode == EVP_CIPH_CCM_MODE ? 12 : 16;
    run->iv_len = run->mode == EVP_CIPH_CCM_MODE ? 7 : 12;
    run->key = warm_key;
    for (int who = 0; who < 2; who++) {
        run->contexts[who] = EVP_CIPHER_CTX_new();
        if (is_warm && EVP_CIPHER_CTX_copy(run->contexts[who], run->warm[who]) != 1)
            run->failed = 1;
    }
    if (!is_warm)
        both(run, init(run, 1, draw(4) != 0, draw(4) != 0, (int)draw(2)));
    for (int left = 1 + (int)draw(6); left > 0; left--)
        draw(2) ? message(run) : any(run);
    for (int who = 0; who < 2; who++)
        EVP_CIPHER_CTX_free(run->contexts[who]);
}

/* A message, and then a text without another IV: under the old one, both would be known. */
static void again(struct run *run) {
    static const struct call end = {.kind = END};
    const struct call text = {.kind = TEXT, .len = 4096, .data = noise};
    const struct call length = {.kind = LENGTH, .len = 4096};
    run->count = 0;
    for (int turn = 0; turn < 3; turn++) {
        both(run, init(run, 0, turn == 2, turn == 0, 1));
        if (run->mode == EVP_CIPH_CCM_MODE)
            both(run, length);
        both(run, text);
        both(run, end);
        if (run->is_aead && turn == 0)
            both(run, (struct call){.kind = GET_TAG, .len = 16});
    }
}

struct task {
    size_t which;
    int sequences;
    unsigned long long seed;
};

/* All sequences of a cipher, inside or outside of a job. */
static int sequences(void *argument) {
    const struct task *task = *(struct task **)argument;
    struct run *run = calloc(1, sizeof *run);
    run->which = task->which;
    run->ciphers[0] = EVP_CIPHER_fetch(NULL, names[task->which], "provider=broadloom");
    run->ciphers[1] = EVP_CIPHER_fetch(NULL, names[task->which], "provider=default");
    if (run->ciphers[0] == NULL || run->ciphers[1] == NULL) {
        fprintf(stderr, "%s is missing\n", names[task->which]);
        return 0;
    }
    run->mode = EVP_CIPHER_get_mode(run->ciphers[1]);
    run->is_aead = (EVP_CIPHER_get_flags(run->ciphers[1]) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    for (int who = 0; who < 2; who++)
        run->contexts[who] = EVP_CIPHER_CTX_new();
    warm_up(run, task->seed);
    for (int who = 0; who < 2; who++) {
        run->warm[who] = run->contexts[who];
        run->contexts[who] = EVP_CIPHER_CTX_new();
        EVP_CIPHER_CTX_copy(run->contexts[who], run->warm[who]);
    }
    const unsigned char *key = run->key;
    again(run);
    for (int who = 0; who < 2; who++)
        EVP_CIPHER_CTX_free(run->contexts[who]);
    for (int i = 0; i < task->sequences && !run->failed; i++)
        sequence(run, key);
    int failed = run->failed;
    for (int who = 0; who < 2; who++) {
        EVP_CIPHER_CTX_free(run->warm[who]);
        EVP_CIPHER_free((EVP_CIPHER *)run->ciphers[who]);
    }
    free(run);
    return !failed;
}

/* A seed for each run, far from those of others. */
static unsigned long long spread(unsigned long long first, size_t number) {
    return first ^ (number + 1) * 0x9e3779b97f4a7c15ULL;
}

int main(int count, char **arguments) {
    int total = count > 1 ? atoi(arguments[1]) : 100000, failed = 0, paused = 0, result;
    int each = (total + 2 * (int)CIPHERS - 1) / (2 * (int)CIPHERS);
    unsigned long long first;
    if (count > 2)
        first = strtoull(arguments[2], NULL, 0);
    else
        RAND_bytes((unsigned char *)&first, sizeof first);
    printf("orders: seed %llu\n", first);
    fflush(stdout);
    seed = 1;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = draw(40) == 0 ? 0xff : (unsigned char)draw(256);
    for (size_t which = 0; which < CIPHERS; which++) {
        struct task outside = {which, each, spread(first, 2 * which)}, *task = &outside;
        failed |= !sequences(&task);
        struct task inside = {which, each, spread(first, 2 * which + 1)};
        ASYNC_JOB *job = NULL;
        ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
        task = &inside;
        int status;
        while ((status = ASYNC_start_job(&job, wait, &result, sequences, &task, sizeof task)) ==
               ASYNC_PAUSE)
            paused++;
        failed |= status != ASYNC_FINISH || result != 1;
        ASYNC_WAIT_CTX_free(wait);
    }
    if (paused == 0) {
        fprintf(stderr, "no job ever paused: nothing went through the line\n");
        return 1;
    }
    if (!failed)
        printf("orders: %d sequences of %d ciphers are as the default provider's, %d pauses\n",
               2 * each * (int)CIPHERS, (int)CIPHERS, paused);
    return failed;
}
