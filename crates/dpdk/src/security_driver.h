/*
 * The driver's side of rte_security: since DPDK 25.11, its header is one of those that Debian's
 * libdpdk-dev does not have.
 */
#ifndef BROADLOOM_SECURITY_DRIVER_H
#define BROADLOOM_SECURITY_DRIVER_H

#include "pmd.h"

#if !DPDK_SINCE(25, 11)
#include <rte_security_driver.h>
#else

#include <rte_security.h>

struct rte_security_session {
    uint64_t opaque_data;
    uint64_t fast_mdata;
    rte_iova_t driver_priv_data_iova;
    uint8_t driver_priv_data[] __rte_cache_min_aligned;
};

#define SECURITY_GET_SESS_PRIV(session) \
    ((void *)((struct rte_security_session *)(session))->driver_priv_data)

struct rte_security_ctx {
    void *device;
    const struct rte_security_ops *ops;
    uint32_t flags;
    uint16_t sess_cnt;
    uint16_t macsec_sc_cnt;
    uint16_t macsec_sa_cnt;
};

struct rte_security_ops {
    int (*session_create)(void *device, struct rte_security_session_conf *conf,
                          struct rte_security_session *session);
    int (*session_update)(void *device, struct rte_security_session *session,
                          struct rte_security_session_conf *conf);
    unsigned int (*session_get_size)(void *device);
    int (*session_stats_get)(void *device, struct rte_security_session *session,
                             struct rte_security_stats *stats);
    int (*session_destroy)(void *device, struct rte_security_session *session);
    /* Not offered here, but for the capabilities: inline devices, and MACsec. */
    void *set_pkt_metadata;
    const struct rte_security_capability *(*capabilities_get)(void *device);
    void *macsec_sc_create;
    void *macsec_sc_destroy;
    void *macsec_sa_create;
    void *macsec_sa_destroy;
    void *macsec_sc_stats_get;
    void *macsec_sa_stats_get;
    void *rx_inject_configure;
    void *inb_pkt_rx_inject;
};

#endif

#endif
