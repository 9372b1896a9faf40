/*
 * Prints sizes and offsets of the structures that a driver shares with DPDK: as src/pmd.h declares
 * them, or, with -DTHEIRS, as DPDK's own headers do.
 */
#include <stddef.h>
#include <stdio.h>

#ifdef THEIRS
#include <bus_vdev_driver.h>
#include <cryptodev_pmd.h>
#include <rte_compressdev_internal.h>
#include <rte_compressdev_pmd.h>
#include <rte_security_driver.h>
#include <rte_version.h>
#define DPDK_SINCE(year, month) (RTE_VERSION >= RTE_VERSION_NUM(year, month, 0, 0))
#else
#include "src/pmd.h"
#include "src/security_driver.h"
#endif

#define SIZE(type) printf("%s: %zu bytes\n", #type, sizeof(struct type))
#define AT(type, member) printf("%s.%s: %zu\n", #type, #member, offsetof(struct type, member))

int main(void)
{
    SIZE(rte_driver);
    AT(rte_driver, name);
    AT(rte_driver, alias);
    SIZE(rte_device);
    AT(rte_device, name);
    AT(rte_device, driver);
    AT(rte_device, numa_node);
    AT(rte_device, devargs);
    SIZE(rte_vdev_device);
    AT(rte_vdev_device, device);
    SIZE(rte_vdev_driver);
    AT(rte_vdev_driver, driver);
    AT(rte_vdev_driver, probe);
    AT(rte_vdev_driver, remove);
    AT(rte_vdev_driver, drv_flags);

    SIZE(rte_cryptodev_pmd_init_params);
    AT(rte_cryptodev_pmd_init_params, private_data_size);
    AT(rte_cryptodev_pmd_init_params, socket_id);
    AT(rte_cryptodev_pmd_init_params, max_nb_queue_pairs);
    SIZE(rte_cryptodev_data);
    AT(rte_cryptodev_data, name);
    AT(rte_cryptodev_data, session_pool);
    AT(rte_cryptodev_data, queue_pairs);
    AT(rte_cryptodev_data, nb_queue_pairs);
    AT(rte_cryptodev_data, dev_private);
    SIZE(rte_cryptodev);
    AT(rte_cryptodev, dequeue_burst);
    AT(rte_cryptodev, enqueue_burst);
    AT(rte_cryptodev, data);
    AT(rte_cryptodev, dev_ops);
    AT(rte_cryptodev, feature_flags);
    AT(rte_cryptodev, device);
    AT(rte_cryptodev, driver_id);
    AT(rte_cryptodev, security_ctx);
    AT(rte_cryptodev, enq_cbs);
    AT(rte_cryptodev, deq_cbs);
#if DPDK_SINCE(24, 11)
    AT(rte_cryptodev, qp_depth_used);
    AT(rte_cryptodev_ops, queue_pair_reset);
    AT(rte_cryptodev_ops, queue_pair_event_error_query);
#endif
    SIZE(cryptodev_driver);
    SIZE(rte_cryptodev_sym_session);
    AT(rte_cryptodev_sym_session, driver_id);
    AT(rte_cryptodev_sym_session, driver_priv_data);
    SIZE(rte_cryptodev_asym_session);
    AT(rte_cryptodev_asym_session, driver_id);
    AT(rte_cryptodev_asym_session, sess_private_data);
    SIZE(rte_cryptodev_ops);
    AT(rte_cryptodev_ops, dev_configure);
    AT(rte_cryptodev_ops, dev_start);
    AT(rte_cryptodev_ops, dev_stop);
    AT(rte_cryptodev_ops, dev_close);
    AT(rte_cryptodev_ops, dev_infos_get);
    AT(rte_cryptodev_ops, stats_get);
    AT(rte_cryptodev_ops, stats_reset);
    AT(rte_cryptodev_ops, queue_pair_setup);
    AT(rte_cryptodev_ops, queue_pair_release);
    AT(rte_cryptodev_ops, sym_session_get_size);
    AT(rte_cryptodev_ops, asym_session_get_size);
    AT(rte_cryptodev_ops, sym_session_configure);
    AT(rte_cryptodev_ops, asym_session_configure);
    AT(rte_cryptodev_ops, sym_session_clear);
    AT(rte_cryptodev_ops, asym_session_clear);
    AT(rte_cryptodev_ops, sym_configure_raw_dp_ctx);
    AT(rte_cryptodev_ops, session_ev_mdata_set);

    SIZE(rte_security_session);
    AT(rte_security_session, driver_priv_data);
    SIZE(rte_security_ctx);
    AT(rte_security_ctx, device);
    AT(rte_security_ctx, ops);
    AT(rte_security_ctx, flags);
    AT(rte_security_ctx, sess_cnt);
    SIZE(rte_security_ops);
    AT(rte_security_ops, session_create);
    AT(rte_security_ops, session_update);
    AT(rte_security_ops, session_get_size);
    AT(rte_security_ops, session_stats_get);
    AT(rte_security_ops, session_destroy);
    AT(rte_security_ops, capabilities_get);

    SIZE(rte_compressdev_pmd_init_params);
    AT(rte_compressdev_pmd_init_params, socket_id);
    SIZE(rte_compressdev_data);
    AT(rte_compressdev_data, queue_pairs);
    AT(rte_compressdev_data, nb_queue_pairs);
    AT(rte_compressdev_data, dev_private);
    SIZE(rte_compressdev);
    AT(rte_compressdev, dequeue_burst);
    AT(rte_compressdev, enqueue_burst);
    AT(rte_compressdev, data);
    AT(rte_compressdev, dev_ops);
    AT(rte_compressdev, feature_flags);
    AT(rte_compressdev, device);
    SIZE(rte_compressdev_ops);
    AT(rte_compressdev_ops, dev_configure);
    AT(rte_compressdev_ops, dev_start);
    AT(rte_compressdev_ops, dev_stop);
    AT(rte_compressdev_ops, dev_close);
    AT(rte_compressdev_ops, dev_infos_get);
    AT(rte_compressdev_ops, stats_get);
    AT(rte_compressdev_ops, stats_reset);
    AT(rte_compressdev_ops, queue_pair_setup);
    AT(rte_compressdev_ops, queue_pair_release);
    AT(rte_compressdev_ops, stream_create);
    AT(rte_compressdev_ops, private_xform_create);
    AT(rte_compressdev_ops, private_xform_free);
    return 0;
}
