/* SHAKE's output in pieces, compared with the default provider's in one.
 *
 *   squeeze
 *
 * Calls the functions of this provider's table directly: EVP_DigestSqueeze is in OpenSSL 3.3 and
 * newer alone. The provider's configuration comes from OPENSSL_CONF.
 */
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

#define SQUEEZE 14
#define MOST 20000

typedef int squeeze_fn(void *, unsigned char *, size_t *, size_t);

static void (*function_of(const OSSL_DISPATCH *table, int id))(void) {
    for (; table->function_id != 0; table++)
        if (table->function_id == id)
            return table->function;
    return NULL;
}

#define TAKE(type, number)                                                                         \
    (OSSL_FUNC_digest_##type##_fn *)function_of(table, OSSL_FUNC_DIGEST_##number)

static int check(const char *name, const OSSL_DISPATCH *table, void *provider) {
    OSSL_FUNC_digest_newctx_fn *newctx = TAKE(newctx, NEWCTX);
    OSSL_FUNC_digest_dupctx_fn *dupctx = TAKE(dupctx, DUPCTX);
    OSSL_FUNC_digest_freectx_fn *freectx = TAKE(freectx, FREECTX);
    OSSL_FUNC_digest_init_fn *init = TAKE(init, INIT);
    OSSL_FUNC_digest_update_fn *update = TAKE(update, UPDATE);
    OSSL_FUNC_digest_final_fn *final = TAKE(final, FINAL);
    OSSL_FUNC_digest_get_ctx_params_fn *get = TAKE(get_ctx_params, GET_CTX_PARAMS);
    squeeze_fn *squeeze = (squeeze_fn *)function_of(table, SQUEEZE);
    unsigned char text[1000], right[MOST], made[MOST];
    size_t written, size = 0;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_size_t(OSSL_DIGEST_PARAM_SIZE, &size),
                         OSSL_PARAM_construct_end()};
    EVP_MD *theirs = EVP_MD_fetch(NULL, name, "provider=default");
    EVP_MD_CTX *whole = EVP_MD_CTX_new();
    if (squeeze == NULL)
        return 0;
    RAND_bytes(text, sizeof text);
    if (EVP_DigestInit_ex2(whole, theirs, NULL) != 1 ||
        EVP_DigestUpdate(whole, text, sizeof text) != 1 ||
        EVP_DigestFinalXOF(whole, right, sizeof right) != 1)
        return 0;
    void *context = newctx(provider);
    static const size_t most[] = {1, 7, 168, 2000, MOST};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        size_t at = 0, round = 0;
        if (init(context, NULL) != 1 || update(context, text, 400) != 1 ||
            update(context, text + 400, sizeof text - 400) != 1)
            return 0;
        while (at < MOST) {
            size_t len = most[i] - round++ % 3 * most[i] / 3;
            len = len < MOST - at ? len : MOST - at;
            if (squeeze(context, made + at, &written, len) != 1 || written != len)
                return 0;
            at += len;
            /* A copy goes on where it was made. */
            if (round % 64 == 1) {
                void *copy = dupctx(context);
                freectx(context);
                context = copy;
            }
        }
        if (memcmp(made, right, MOST) != 0)
            return 0;
    }
    /* Output ends a message, and what was all taken cannot be squeezed. */
    int refuses = update(context, text, 1) == 0 && final(context, made, &written, 32) == 0 &&
                  squeeze(context, made, &written, 0) == 1 && init(context, NULL) == 1 &&
                  update(context, text, sizeof text) == 1 && get(context, list) == 1 &&
                  final(context, made, &written, MOST) == 1 && written == size &&
                  memcmp(made, right, size) == 0 && squeeze(context, made, &written, 1) == 0 &&
                  update(context, text, 1) == 0;
    freectx(context);
    EVP_MD_CTX_free(whole);
    EVP_MD_free(theirs);
    return refuses;
}

int main(void) {
    static const char *const names[] = {"SHAKE128", "SHAKE256"};
    int no_cache, found = 0;
    EVP_MD *md = EVP_MD_fetch(NULL, "SHAKE128", "provider=broadloom");
    if (md == NULL)
        return 1;
    OSSL_PROVIDER *provider = (OSSL_PROVIDER *)EVP_MD_get0_provider(md);
    const OSSL_ALGORITHM *all = OSSL_PROVIDER_query_operation(provider, OSSL_OP_DIGEST, &no_cache);
    for (; all->algorithm_names != NULL; all++)
        for (size_t i = 0; i < 2; i++) {
            if (strstr(all->algorithm_names, names[i]) == NULL)
                continue;
            found++;
            if (!check(names[i], all->implementation, OSSL_PROVIDER_get0_provider_ctx(provider))) {
                fprintf(stderr, "squeeze: %s gives other output in pieces\n", names[i]);
                return 1;
            }
        }
    EVP_MD_free(md);
    if (found == 2)
        printf("squeeze: SHAKE128 and SHAKE256 give the same output in pieces as in one\n");
    return found != 2;
}
