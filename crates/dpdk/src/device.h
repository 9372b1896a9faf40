/* What devices for crypto and for compression have alike. */
#ifndef BROADLOOM_DEVICE_H
#define BROADLOOM_DEVICE_H

#include <rte_eal.h>

#include "pmd.h"

/*
 * The functions of a device that only reach its queue pairs, as static functions. KIND is cryptodev
 * or compressdev, and CLOSE closes a queue pair.
 */
#define DEVICE_FUNCTIONS(KIND, CLOSE) \
    static int configure(struct rte_##KIND *dev, struct rte_##KIND##_config *config) \
    { \
        RTE_SET_USED(dev); \
        RTE_SET_USED(config); \
        return 0; \
    } \
\
    static int start(struct rte_##KIND *dev) \
    { \
        RTE_SET_USED(dev); \
        return 0; \
    } \
\
    static void stop(struct rte_##KIND *dev) \
    { \
        RTE_SET_USED(dev); \
    } \
\
    static int release_queue_pair(struct rte_##KIND *dev, uint16_t id) \
    { \
        if (dev->data->queue_pairs[id]) \
            CLOSE(dev->data->queue_pairs[id]); \
        dev->data->queue_pairs[id] = NULL; \
        return 0; \
    } \
\
    static int close_device(struct rte_##KIND *dev) \
    { \
        for (uint16_t id = 0; id < dev->data->nb_queue_pairs; id++) \
            release_queue_pair(dev, id); \
        return 0; \
    } \
\
    static void get_statistics(struct rte_##KIND *dev, struct rte_##KIND##_stats *stats) \
    { \
        for (uint16_t id = 0; id < dev->data->nb_queue_pairs; id++) { \
            const struct queue_pair *qp = dev->data->queue_pairs[id]; \
\
            if (!qp) \
                continue; \
            stats->enqueued_count += qp->stats.enqueued_count; \
            stats->dequeued_count += qp->stats.dequeued_count; \
            stats->enqueue_err_count += qp->stats.enqueue_err_count; \
            stats->dequeue_err_count += qp->stats.dequeue_err_count; \
        } \
    } \
\
    static void reset_statistics(struct rte_##KIND *dev) \
    { \
        for (uint16_t id = 0; id < dev->data->nb_queue_pairs; id++) { \
            struct queue_pair *qp = dev->data->queue_pairs[id]; \
\
            if (qp) \
                memset(&qp->stats, 0, sizeof(qp->stats)); \
        } \
    } \
\
    static int remove_device(struct rte_vdev_device *vdev) \
    { \
        struct rte_##KIND *dev = rte_##KIND##_pmd_get_named_dev(vdev->device.name); \
\
        return dev ? rte_##KIND##_pmd_destroy(dev) : -ENODEV; \
    }

/* Whether a device may be made in this process; sessions and queue pairs point into its memory. */
static inline bool is_primary(void)
{
    return rte_eal_process_type() == RTE_PROC_PRIMARY;
}

static inline const char *arguments_of(const struct rte_vdev_device *vdev)
{
    return vdev->device.devargs ? vdev->device.devargs->args : "";
}

#endif
