/* The device for compression: --vdev compress_broadloom. */
#include <errno.h>
#include <string.h>

#include <rte_lcore.h>

#include "compress.h"
#include "device.h"

int compress_logtype;

static const struct rte_compressdev_capabilities capabilities[] = {
    {
        .algo = RTE_COMP_ALGO_DEFLATE,
        .comp_feature_flags = RTE_COMP_FF_OOP_SGL_IN_SGL_OUT | RTE_COMP_FF_OOP_SGL_IN_LB_OUT |
                              RTE_COMP_FF_OOP_LB_IN_SGL_OUT | RTE_COMP_FF_SHAREABLE_PRIV_XFORM |
                              RTE_COMP_FF_NONCOMPRESSED_BLOCKS | RTE_COMP_FF_HUFFMAN_FIXED |
                              RTE_COMP_FF_HUFFMAN_DYNAMIC | RTE_COMP_FF_CRC32_CHECKSUM |
                              RTE_COMP_FF_ADLER32_CHECKSUM,
        .window_size = { .min = MIN_WINDOW, .max = MAX_WINDOW, .increment = 1 },
    },
    RTE_COMP_END_OF_CAPABILITIES_LIST()
};

DEVICE_FUNCTIONS(compressdev, compress_queue_pair_close)

static int set_up_queue_pair(struct rte_compressdev *dev, uint16_t id, uint32_t capacity,
                             int socket)
{
    release_queue_pair(dev, id);
    dev->data->queue_pairs[id] = compress_queue_pair_open(capacity, socket);
    return dev->data->queue_pairs[id] ? 0 : -ENOMEM;
}

static void get_info(struct rte_compressdev *dev, struct rte_compressdev_info *info)
{
    info->driver_name = dev->device->driver->name;
    info->feature_flags = dev->feature_flags;
    info->capabilities = capabilities;
    /* No bound. */
    info->max_nb_queue_pairs = 0;
}

static struct rte_compressdev_ops functions = {
    .dev_configure = configure,
    .dev_start = start,
    .dev_stop = stop,
    .dev_close = close_device,
    .dev_infos_get = get_info,
    .stats_get = get_statistics,
    .stats_reset = reset_statistics,
    .queue_pair_setup = set_up_queue_pair,
    .queue_pair_release = release_queue_pair,
    .private_xform_create = compress_transform_create,
    .private_xform_free = compress_transform_free,
};

static int probe(struct rte_vdev_device *vdev)
{
    struct rte_compressdev_pmd_init_params params = { .socket_id = rte_socket_id() };
    const char *name = vdev->device.name;
    const char *arguments = arguments_of(vdev);
    struct rte_compressdev *dev;

    if (!is_primary()) {
        LOG(ERR, "%s works in a primary process alone\n", name);
        return -ENOTSUP;
    }
    if (rte_compressdev_pmd_parse_input_args(&params, arguments) != 0) {
        LOG(ERR, "%s takes name and socket_id, not %s\n", name, arguments);
        return -EINVAL;
    }
    /* DPDK refuses a device without data of its own. */
    dev = rte_compressdev_pmd_create(name, &vdev->device, 1, &params);
    if (!dev)
        return -ENODEV;
    dev->dev_ops = &functions;
    dev->enqueue_burst = compress_enqueue;
    dev->dequeue_burst = compress_dequeue;
    LOG(INFO, "%s over libbroadloom %s\n", name, bl_version());
    return 0;
}

static struct rte_vdev_driver vdev_driver = {
    .driver.name = "compress_broadloom",
    .probe = probe,
    .remove = remove_device,
};

RTE_INIT(broadloom_register)
{
    compress_logtype =
        rte_log_register_type_and_pick_level("pmd.compress.broadloom", RTE_LOG_NOTICE);
    rte_vdev_register(&vdev_driver);
}
