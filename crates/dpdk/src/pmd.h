/*
 * The driver's side of DPDK 22.11, 24.11 and 25.11: what its libraries export to drivers, and
 * Debian's libdpdk-dev does not declare. crates/dpdk/check compares sizes and offsets with DPDK's
 * own headers.
 */
#ifndef BROADLOOM_PMD_H
#define BROADLOOM_PMD_H

#include <rte_compressdev.h>
#include <rte_cryptodev.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_version.h>

/* Whether the headers are those of a version of DPDK, or of a later one. */
#define DPDK_SINCE(year, month) (RTE_VERSION >= RTE_VERSION_NUM(year, month, 0, 0))

#if RTE_VER_MONTH != 11 || (RTE_VER_YEAR != 22 && RTE_VER_YEAR != 24 && RTE_VER_YEAR != 25)
#error "the declarations are those of DPDK 22.11, 24.11 and 25.11; compile with their headers"
#endif

/* dev_driver.h */

struct rte_driver {
    RTE_TAILQ_ENTRY(rte_driver) next;
    const char *name;
    const char *alias;
};

struct rte_device {
    RTE_TAILQ_ENTRY(rte_device) next;
    const char *name;
    const char *bus_info;
    const struct rte_driver *driver;
    const struct rte_bus *bus;
    int numa_node;
    struct rte_devargs *devargs;
};

/* bus_vdev_driver.h */

struct rte_vdev_device {
    RTE_TAILQ_ENTRY(rte_vdev_device) next;
    struct rte_device device;
};

struct rte_vdev_driver {
    RTE_TAILQ_ENTRY(rte_vdev_driver) next;
    struct rte_driver driver;
    int (*probe)(struct rte_vdev_device *device);
    int (*remove)(struct rte_vdev_device *device);
    int (*dma_map)(struct rte_vdev_device *device, void *address, uint64_t iova, size_t len);
    int (*dma_unmap)(struct rte_vdev_device *device, void *address, uint64_t iova, size_t len);
    uint32_t drv_flags;
};

void rte_vdev_register(struct rte_vdev_driver *driver);

/* cryptodev_pmd.h */

struct rte_cryptodev_pmd_init_params {
    char name[RTE_CRYPTODEV_NAME_MAX_LEN];
    size_t private_data_size;
    int socket_id;
    unsigned int max_nb_queue_pairs;
};

struct __rte_cache_aligned rte_cryptodev_data {
    uint8_t dev_id;
    int socket_id;
    char name[RTE_CRYPTODEV_NAME_MAX_LEN];
    __extension__ uint8_t dev_started : 1;
    struct rte_mempool *session_pool;
    void **queue_pairs;
    uint16_t nb_queue_pairs;
    void *dev_private;
};

struct __rte_cache_aligned rte_cryptodev {
    dequeue_pkt_burst_t dequeue_burst;
    enqueue_pkt_burst_t enqueue_burst;
    struct rte_cryptodev_data *data;
    struct rte_cryptodev_ops *dev_ops;
    uint64_t feature_flags;
    struct rte_device *device;
    uint8_t driver_id;
    struct rte_cryptodev_cb_list link_intr_cbs;
    void *security_ctx;
    __extension__ uint8_t attached : 1;
    struct rte_cryptodev_cb_rcu *enq_cbs;
    struct rte_cryptodev_cb_rcu *deq_cbs;
#if DPDK_SINCE(24, 11)
    crypto_qp_depth_used_t qp_depth_used;
#endif
};

struct cryptodev_driver {
    RTE_TAILQ_ENTRY(cryptodev_driver) next;
    const struct rte_driver *driver;
    uint8_t id;
};

struct rte_cryptodev_sym_session {
    uint64_t opaque_data;
    uint32_t sess_data_sz;
    uint16_t user_data_sz;
    uint8_t driver_id;
    rte_iova_t driver_priv_data_iova;
    uint8_t driver_priv_data[] __rte_cache_min_aligned;
};

struct rte_cryptodev_asym_session {
    uint8_t driver_id;
    uint16_t max_priv_data_sz;
    uint16_t user_data_sz;
    uint8_t padding[3];
    void *event_mdata;
    uint8_t sess_private_data[];
};

struct rte_cryptodev_ops {
    int (*dev_configure)(struct rte_cryptodev *dev, struct rte_cryptodev_config *config);
    int (*dev_start)(struct rte_cryptodev *dev);
    void (*dev_stop)(struct rte_cryptodev *dev);
    int (*dev_close)(struct rte_cryptodev *dev);
    void (*dev_infos_get)(struct rte_cryptodev *dev, struct rte_cryptodev_info *info);
    void (*stats_get)(struct rte_cryptodev *dev, struct rte_cryptodev_stats *stats);
    void (*stats_reset)(struct rte_cryptodev *dev);
    int (*queue_pair_setup)(struct rte_cryptodev *dev, uint16_t id,
                            const struct rte_cryptodev_qp_conf *config, int socket);
    int (*queue_pair_release)(struct rte_cryptodev *dev, uint16_t id);
#if DPDK_SINCE(24, 11)
    /* Not offered here. */
    void *queue_pair_reset;
#endif
    unsigned int (*sym_session_get_size)(struct rte_cryptodev *dev);
    unsigned int (*asym_session_get_size)(struct rte_cryptodev *dev);
    int (*sym_session_configure)(struct rte_cryptodev *dev, struct rte_crypto_sym_xform *xform,
                                 struct rte_cryptodev_sym_session *session);
    int (*asym_session_configure)(struct rte_cryptodev *dev, struct rte_crypto_asym_xform *xform,
                                  struct rte_cryptodev_asym_session *session);
    void (*sym_session_clear)(struct rte_cryptodev *dev, struct rte_cryptodev_sym_session *session);
    void (*asym_session_clear)(struct rte_cryptodev *dev,
                               struct rte_cryptodev_asym_session *session);
    /* Not offered here: calls without a queue, and raw data paths. */
    void *sym_cpu_process;
    void *sym_configure_raw_dp_ctx;
    void *session_ev_mdata_set;
#if DPDK_SINCE(24, 11)
    void *queue_pair_event_error_query;
#endif
};

struct rte_cryptodev *rte_cryptodev_pmd_get_named_dev(const char *name);
int rte_cryptodev_pmd_parse_input_args(struct rte_cryptodev_pmd_init_params *params,
                                       const char *args);
struct rte_cryptodev *rte_cryptodev_pmd_create(const char *name, struct rte_device *device,
                                               struct rte_cryptodev_pmd_init_params *params);
int rte_cryptodev_pmd_destroy(struct rte_cryptodev *dev);
uint8_t rte_cryptodev_allocate_driver(struct cryptodev_driver *crypto,
                                      const struct rte_driver *driver);
void rte_cryptodev_pmd_probing_finish(struct rte_cryptodev *dev);

/* rte_compressdev_internal.h and rte_compressdev_pmd.h */

#define RTE_COMPRESSDEV_NAME_MAX_LEN 64

struct rte_compressdev;

struct rte_compressdev_pmd_init_params {
    char name[RTE_COMPRESSDEV_NAME_MAX_LEN];
    int socket_id;
};

struct __rte_cache_aligned rte_compressdev_data {
    uint8_t dev_id;
    int socket_id;
    char name[RTE_COMPRESSDEV_NAME_MAX_LEN];
    __extension__ uint8_t dev_started : 1;
    void **queue_pairs;
    uint16_t nb_queue_pairs;
    void *dev_private;
};

struct __rte_cache_aligned rte_compressdev {
    uint16_t (*dequeue_burst)(void *queue_pair, struct rte_comp_op **ops, uint16_t count);
    uint16_t (*enqueue_burst)(void *queue_pair, struct rte_comp_op **ops, uint16_t count);
    struct rte_compressdev_data *data;
    struct rte_compressdev_ops *dev_ops;
    uint64_t feature_flags;
    struct rte_device *device;
    __extension__ uint8_t attached : 1;
};

struct rte_compressdev_ops {
    int (*dev_configure)(struct rte_compressdev *dev, struct rte_compressdev_config *config);
    int (*dev_start)(struct rte_compressdev *dev);
    void (*dev_stop)(struct rte_compressdev *dev);
    int (*dev_close)(struct rte_compressdev *dev);
    void (*dev_infos_get)(struct rte_compressdev *dev, struct rte_compressdev_info *info);
    void (*stats_get)(struct rte_compressdev *dev, struct rte_compressdev_stats *stats);
    void (*stats_reset)(struct rte_compressdev *dev);
    int (*queue_pair_setup)(struct rte_compressdev *dev, uint16_t id, uint32_t capacity,
                            int socket);
    int (*queue_pair_release)(struct rte_compressdev *dev, uint16_t id);
    int (*stream_create)(struct rte_compressdev *dev, const struct rte_comp_xform *xform,
                         void **stream);
    int (*stream_free)(struct rte_compressdev *dev, void *stream);
    int (*private_xform_create)(struct rte_compressdev *dev, const struct rte_comp_xform *xform,
                                void **private_xform);
    int (*private_xform_free)(struct rte_compressdev *dev, void *private_xform);
};

struct rte_compressdev *rte_compressdev_pmd_get_named_dev(const char *name);
int rte_compressdev_pmd_parse_input_args(struct rte_compressdev_pmd_init_params *params,
                                         const char *args);
struct rte_compressdev *rte_compressdev_pmd_create(const char *name, struct rte_device *device,
                                                   size_t private_data_size,
                                                   struct rte_compressdev_pmd_init_params *params);
int rte_compressdev_pmd_destroy(struct rte_compressdev *dev);

#endif
