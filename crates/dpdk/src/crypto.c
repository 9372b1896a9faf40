/* The device: --vdev crypto_broadloom0. */
#include <errno.h>
#include <string.h>

#include <rte_cpuflags.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "association.h"
#include "asymmetric.h"
#include "device.h"

#ifndef DRIVER_NAME
#define DRIVER_NAME crypto_broadloom
#endif

#define MAX_QUEUE_PAIRS 8

uint8_t broadloom_driver_id;
const char broadloom_driver_name[] = RTE_STR(DRIVER_NAME);
int broadloom_logtype;

struct device {
    unsigned int max_queue_pairs;
    struct rte_security_ctx security;
};

DEVICE_FUNCTIONS(cryptodev, broadloom_queue_pair_close)

static int set_up_queue_pair(struct rte_cryptodev *dev, uint16_t id,
                             const struct rte_cryptodev_qp_conf *config, int socket)
{
    release_queue_pair(dev, id);
    dev->data->queue_pairs[id] = broadloom_queue_pair_open(config->nb_descriptors, socket);
    return dev->data->queue_pairs[id] ? 0 : -ENOMEM;
}

static void get_info(struct rte_cryptodev *dev, struct rte_cryptodev_info *info)
{
    const struct device *device = dev->data->dev_private;

    info->driver_id = dev->driver_id;
    info->feature_flags = dev->feature_flags;
    info->capabilities = broadloom_capabilities;
    info->max_nb_queue_pairs = device->max_queue_pairs;
    /* No bound. */
    info->sym.max_nb_sessions = 0;
    info->min_mbuf_headroom_req = HEAD_ROOM;
    info->min_mbuf_tailroom_req = TAIL_ROOM;
}

static unsigned int session_size(struct rte_cryptodev *dev)
{
    RTE_SET_USED(dev);
    return sizeof(struct session);
}

static int configure_session(struct rte_cryptodev *dev, struct rte_crypto_sym_xform *xform,
                             struct rte_cryptodev_sym_session *session)
{
    RTE_SET_USED(dev);
    return broadloom_session_open(xform, (struct session *)session->driver_priv_data);
}

static void clear_session(struct rte_cryptodev *dev, struct rte_cryptodev_sym_session *session)
{
    RTE_SET_USED(dev);
    broadloom_session_close((struct session *)session->driver_priv_data);
}

static unsigned int asymmetric_session_size(struct rte_cryptodev *dev)
{
    RTE_SET_USED(dev);
    return sizeof(struct asymmetric_session);
}

static int configure_asymmetric_session(struct rte_cryptodev *dev,
                                        struct rte_crypto_asym_xform *xform,
                                        struct rte_cryptodev_asym_session *session)
{
    RTE_SET_USED(dev);
    return broadloom_asymmetric_open(xform, (void *)session->sess_private_data);
}

static void clear_asymmetric_session(struct rte_cryptodev *dev,
                                     struct rte_cryptodev_asym_session *session)
{
    RTE_SET_USED(dev);
    broadloom_asymmetric_close((void *)session->sess_private_data);
}

static struct rte_cryptodev_ops functions = {
    .dev_configure = configure,
    .dev_start = start,
    .dev_stop = stop,
    .dev_close = close_device,
    .dev_infos_get = get_info,
    .stats_get = get_statistics,
    .stats_reset = reset_statistics,
    .queue_pair_setup = set_up_queue_pair,
    .queue_pair_release = release_queue_pair,
    .sym_session_get_size = session_size,
    .sym_session_configure = configure_session,
    .sym_session_clear = clear_session,
    .asym_session_get_size = asymmetric_session_size,
    .asym_session_configure = configure_asymmetric_session,
    .asym_session_clear = clear_asymmetric_session,
};

static uint64_t features(void)
{
    uint64_t flags = RTE_CRYPTODEV_FF_SYMMETRIC_CRYPTO | RTE_CRYPTODEV_FF_SYM_OPERATION_CHAINING |
                     RTE_CRYPTODEV_FF_IN_PLACE_SGL | RTE_CRYPTODEV_FF_OOP_SGL_IN_SGL_OUT |
                     RTE_CRYPTODEV_FF_OOP_SGL_IN_LB_OUT | RTE_CRYPTODEV_FF_OOP_LB_IN_SGL_OUT |
                     RTE_CRYPTODEV_FF_OOP_LB_IN_LB_OUT | RTE_CRYPTODEV_FF_DIGEST_ENCRYPTED |
                     RTE_CRYPTODEV_FF_SECURITY | RTE_CRYPTODEV_FF_SYM_SESSIONLESS |
                     RTE_CRYPTODEV_FF_ASYMMETRIC_CRYPTO |
                     RTE_CRYPTODEV_FF_ASYM_SESSIONLESS | RTE_CRYPTODEV_FF_RSA_PRIV_OP_KEY_EXP |
                     RTE_CRYPTODEV_FF_RSA_PRIV_OP_KEY_QT;

#ifdef RTE_ARCH_X86
    if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AES) > 0)
        flags |= RTE_CRYPTODEV_FF_CPU_AESNI;
    if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0)
        flags |= RTE_CRYPTODEV_FF_CPU_AVX2;
    if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) > 0)
        flags |= RTE_CRYPTODEV_FF_CPU_AVX512;
#endif
    return flags;
}

static int probe(struct rte_vdev_device *vdev)
{
    struct rte_cryptodev_pmd_init_params params = {
        .private_data_size = sizeof(struct device),
        .socket_id = rte_socket_id(),
        .max_nb_queue_pairs = MAX_QUEUE_PAIRS,
    };
    const char *name = vdev->device.name;
    const char *arguments = arguments_of(vdev);
    struct rte_cryptodev *dev;
    struct device *device;

    if (!is_primary()) {
        LOG(ERR, "%s works in a primary process alone\n", name);
        return -ENOTSUP;
    }
    if (rte_cryptodev_pmd_parse_input_args(&params, arguments) != 0) {
        LOG(ERR, "%s takes name, max_nb_queue_pairs and socket_id, not %s\n", name, arguments);
        return -EINVAL;
    }
    dev = rte_cryptodev_pmd_create(name, &vdev->device, &params);
    if (!dev)
        return -ENODEV;
    dev->driver_id = broadloom_driver_id;
    dev->dev_ops = &functions;
    dev->enqueue_burst = broadloom_enqueue;
    dev->dequeue_burst = broadloom_dequeue;
    dev->feature_flags = features();
    device = dev->data->dev_private;
    device->max_queue_pairs = params.max_nb_queue_pairs;
    device->security = (struct rte_security_ctx){ .device = dev, .ops = &broadloom_security };
    dev->security_ctx = &device->security;
    rte_cryptodev_pmd_probing_finish(dev);
    LOG(INFO, "%s over libbroadloom %s\n", name, bl_version());
    return 0;
}

static struct rte_vdev_driver vdev_driver = {
    .driver.name = broadloom_driver_name,
    .probe = probe,
    .remove = remove_device,
};

static struct cryptodev_driver crypto_driver;

RTE_INIT(broadloom_register)
{
    broadloom_logtype =
        rte_log_register_type_and_pick_level("pmd.crypto.broadloom", RTE_LOG_NOTICE);
    rte_vdev_register(&vdev_driver);
    broadloom_driver_id = rte_cryptodev_allocate_driver(&crypto_driver, &vdev_driver.driver);
}
