/* A program with a libcrypto of its own.
 *
 *   origin DIRECTORY [OTHER]
 *
 * Loads the provider from a directory, has it encrypt, and compares with the default provider. With
 * OTHER, another libcrypto's file, that one loads the provider as well, and must be refused. Prints
 * libcrypto's errors where the provider cannot be loaded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <string.h>

#define TEXT 8192

static unsigned char text[TEXT], made[2][TEXT + 32];

/* Eight messages: the last go to the engine. */
static int encrypt(const char *properties, unsigned char *out) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", properties);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char key[32] = {1}, iv[12] = {0};
    int good = EVP_EncryptInit_ex2(context, cipher, key, iv, NULL), len;
    for (int i = 0; good && i < 8; i++) {
        iv[0] = (unsigned char)i;
        good = EVP_EncryptInit_ex2(context, NULL, NULL, iv, NULL) &&
               EVP_EncryptUpdate(context, out, &len, text, TEXT) &&
               EVP_EncryptFinal_ex(context, out + len, &len) &&
               EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, out + TEXT);
    }
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
    return good;
}

/* Has another libcrypto load the provider: whether it refuses. */
static int refuses(const char *directory, const char *path) {
    void *other = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (other == NULL) {
        fprintf(stderr, "origin: %s\n", dlerror());
        return 0;
    }
    int (*set)(void *, const char *) =
        (int (*)(void *, const char *))dlsym(other, "OSSL_PROVIDER_set_default_search_path");
    void *(*load)(void *, const char *) =
        (void *(*)(void *, const char *))dlsym(other, "OSSL_PROVIDER_load");
    void (*print)(FILE *) = (void (*)(FILE *))dlsym(other, "ERR_print_errors_fp");
    if (set == NULL || load == NULL || print == NULL || set(NULL, directory) != 1)
        return 0;
    int refused = load(NULL, "broadloom") == NULL;
    print(stderr);
    return refused;
}

int main(int count, char **arguments) {
    if (count < 2)
        return 2;
    OSSL_PROVIDER_set_default_search_path(NULL, arguments[1]);
    OSSL_PROVIDER_load(NULL, "default");
    if (OSSL_PROVIDER_load(NULL, "broadloom") == NULL) {
        ERR_print_errors_fp(stderr);
        return 1;
    }
    if (!encrypt("provider=broadloom", made[0]) || !encrypt("provider=default", made[1]) ||
        memcmp(made[0], made[1], TEXT + 16) != 0) {
        fprintf(stderr, "origin: another answer\n");
        return 1;
    }
    void *other = dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_NOLOAD);
    if (other != NULL && dlsym(other, "OpenSSL_version") != (void *)OpenSSL_version) {
        fprintf(stderr, "origin: another libcrypto was loaded\n");
        return 1;
    }
    if (count > 2 && !refuses(arguments[1], arguments[2])) {
        fprintf(stderr, "origin: another libcrypto was not refused\n");
        return 1;
    }
    printf("origin: as the default provider of %s\n", OpenSSL_version(OPENSSL_VERSION));
    return 0;
}
