/* Transforms of compressdev become sessions of the library. */
#include <errno.h>

#include <rte_malloc.h>

#include "compress.h"

/* The library's name of a checksum; null where it has none. */
static const char *checksum_name(enum rte_comp_checksum_type checksum)
{
    switch (checksum) {
    case RTE_COMP_CHECKSUM_NONE:
        return "none";
    case RTE_COMP_CHECKSUM_CRC32:
        return "crc32";
    case RTE_COMP_CHECKSUM_ADLER32:
        return "adler32";
    default:
        return NULL;
    }
}

/* Whether a transform begins with a dictionary, which DPDK has since 25.11. */
#if DPDK_SINCE(25, 11)
#define HAS_DICTIONARY(parameters) ((parameters).dictionary_len > 0)
#else
#define HAS_DICTIONARY(parameters) false
#endif

static int open_session(bl_transform *transform, bl_session **session)
{
    if (bl_session_open(transform, session) == BL_OK)
        return 0;
    LOG(ERR, "%s: %s\n", transform->direction, bl_last_error());
    return -ENOTSUP;
}

static int open_compression(const struct rte_comp_compress_xform *how, struct transform *opened)
{
    bl_compression compression = {
        .size = sizeof(compression),
        .level = how->level == RTE_COMP_LEVEL_PMD_DEFAULT ? 0 : how->level,
        .window = how->window_size,
        .huffman = how->deflate.huffman == RTE_COMP_HUFFMAN_FIXED ? "static" : "dynamic",
        .checksum = checksum_name(how->chksum),
    };
    bl_transform transform = {
        .size = sizeof(transform),
        .algorithm = "deflate",
        .direction = "compress",
        .compression = &compression,
    };
    int failed;

    if (how->algo != RTE_COMP_ALGO_DEFLATE || !compression.checksum ||
        how->hash_algo != RTE_COMP_HASH_ALGO_NONE || how->window_size < MIN_WINDOW ||
        how->window_size > MAX_WINDOW || how->level < RTE_COMP_LEVEL_PMD_DEFAULT ||
        how->level > RTE_COMP_LEVEL_MAX || HAS_DICTIONARY(how->deflate))
        return -ENOTSUP;
    if (how->level == RTE_COMP_LEVEL_NONE) {
        /* Of all providers, zlib alone means stored blocks by level 0. */
        compression.level = BL_LEVEL_ZERO;
        transform.provider = "zlib";
    }
    compression.ending = "final";
    failed = open_session(&transform, &opened->final);
    compression.ending = "open";
    return failed ? failed : open_session(&transform, &opened->open);
}

static int open_decompression(const struct rte_comp_decompress_xform *how, struct transform *opened)
{
    bl_compression compression = {
        .size = sizeof(compression),
        .checksum = checksum_name(how->chksum),
    };
    bl_transform transform = {
        .size = sizeof(transform),
        .algorithm = "deflate",
        .direction = "decompress",
        .compression = &compression,
    };

    /* Every window is taken that DEFLATE has. */
    if (how->algo != RTE_COMP_ALGO_DEFLATE || !compression.checksum ||
        how->hash_algo != RTE_COMP_HASH_ALGO_NONE || how->window_size > MAX_WINDOW ||
        HAS_DICTIONARY(how->inflate))
        return -ENOTSUP;
    return open_session(&transform, &opened->final);
}

int compress_transform_free(struct rte_compressdev *dev, void *transform)
{
    struct transform *opened = transform;

    RTE_SET_USED(dev);
    if (!opened)
        return -EINVAL;
    bl_session_close(opened->final);
    bl_session_close(opened->open);
    rte_free(opened);
    return 0;
}

int compress_transform_create(struct rte_compressdev *dev, const struct rte_comp_xform *xform,
                              void **transform)
{
    struct transform *opened;
    int failed;

    if (!xform)
        return -EINVAL;
    opened = rte_zmalloc("broadloom", sizeof(*opened), 0);
    if (!opened)
        return -ENOMEM;
    opened->compresses = xform->type == RTE_COMP_COMPRESS;
    failed = opened->compresses ? open_compression(&xform->compress, opened)
                                : open_decompression(&xform->decompress, opened);
    if (failed)
        compress_transform_free(dev, opened);
    else
        *transform = opened;
    return failed;
}
