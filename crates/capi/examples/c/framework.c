/*
 * The compression framework of Intel's paper on QuickAssist: a buffer there and back, at a provider
 * that is named on the command line.
 *
 *   cc framework.c $(pkg-config --cflags --libs broadloom) -o framework && ./framework zlib
 */
#include <broadloom.h>
#include <broadloom_cf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int status)
{
    if (status != 0) {
        fprintf(stderr, "%s: %s\n", bl_status_text(status), bl_last_error());
        exit(1);
    }
}

int main(int argc, char **argv)
{
    struct CfProvider *provider;
    struct CfParams params = { .level = 1, .deflateWindowSize = 7, .chunkSize = 65536,
        .maxJobsOutstanding = 8, .bDebug = 1, .numThreads = 2 };
    int len = 4 << 20, room = 4 << 20, compressed, back;
    unsigned char *input = malloc(len), *output = malloc(room), *again = malloc(len);

    for (int at = 0; at < len; at++)
        input[at] = (unsigned char) (at / 64 * 7);
    must(cfGetProvider(argc > 1 ? argv[1] : (char *) "zlib", &provider));
    must(cfCompressBuffer(provider, &params, input, len, output, room, &compressed));
    must(cfDecompressBuffer(provider, &params, output, compressed, again, len, &back));
    if (back != len || memcmp(input, again, len) != 0)
        return 1;
    printf("%d bytes, compressed %d\n", len, compressed);
    if (cfCompressBuffer(provider, &params, input, len, output, 100, &compressed) != BL_E_ROOM)
        return 1;
    printf("%s\n", bl_last_error());
    free(input);
    free(output);
    free(again);
    return 0;
}
