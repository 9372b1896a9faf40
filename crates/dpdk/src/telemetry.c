/* Commands of rte_telemetry: what the queue pairs of the devices have counted. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_telemetry.h>

#include "ipsec.h"

#define MAX_DEVICES 64

/* DPDK has renamed the function. */
#if DPDK_SINCE(24, 11)
#define ADD_COUNTER rte_tel_data_add_dict_uint
#else
#define ADD_COUNTER rte_tel_data_add_dict_u64
#endif

static int list_devices(const char *command, const char *parameters, struct rte_tel_data *data)
{
    uint8_t devices[MAX_DEVICES];
    uint8_t count = rte_cryptodev_devices_get(broadloom_driver_name, devices, MAX_DEVICES);

    RTE_SET_USED(command);
    RTE_SET_USED(parameters);
    rte_tel_data_start_array(data, RTE_TEL_INT_VAL);
    for (uint8_t at = 0; at < count; at++)
        rte_tel_data_add_array_int(data, devices[at]);
    return 0;
}

/* The device that a parameter names by its number; null where it is none of the driver's. */
static const struct rte_cryptodev *device_of(const char *parameters)
{
    const struct rte_cryptodev *dev = NULL;
    const char *name;
    unsigned long id;
    char *end;

    if (!parameters || !isdigit((unsigned char)*parameters))
        return NULL;
    id = strtoul(parameters, &end, 10);
    if (*end == '\0' && id < RTE_CRYPTO_MAX_DEVS) {
        name = rte_cryptodev_name_get(id);
        dev = name ? rte_cryptodev_pmd_get_named_dev(name) : NULL;
    }
    return dev && dev->driver_id == broadloom_driver_id ? dev : NULL;
}

static void add_queue_pair(const struct queue_pair *qp, struct rte_tel_data *data)
{
    const struct way *outbound = &qp->ipsec->outbound, *inbound = &qp->ipsec->inbound;

    rte_tel_data_start_dict(data);
    ADD_COUNTER(data, "enqueued", qp->stats.enqueued_count);
    ADD_COUNTER(data, "enqueue_errors", qp->stats.enqueue_err_count);
    ADD_COUNTER(data, "dequeued", qp->stats.dequeued_count);
    ADD_COUNTER(data, "dequeue_errors", qp->stats.dequeue_err_count);
    ADD_COUNTER(data, "capacity", qp->capacity);
    ADD_COUNTER(data, "held", qp->tail - qp->head);
    ADD_COUNTER(data, "job_calls", qp->job_calls);
    ADD_COUNTER(data, "jobs", qp->jobs_done);
    ADD_COUNTER(data, "protect_calls", outbound->calls);
    ADD_COUNTER(data, "protected_packets", outbound->packets_done);
    ADD_COUNTER(data, "unprotect_calls", inbound->calls);
    ADD_COUNTER(data, "unprotected_packets", inbound->packets_done);
}

/* The queue pairs of a device, each with its counters. They may change while they are read. */
static int read_queue_pairs(const char *command, const char *parameters, struct rte_tel_data *data)
{
    const struct rte_cryptodev *dev = device_of(parameters);
    char name[32];

    RTE_SET_USED(command);
    if (!dev)
        return -EINVAL;
    rte_tel_data_start_dict(data);
    rte_tel_data_add_dict_string(data, "name", dev->data->name);
    for (uint16_t id = 0; id < dev->data->nb_queue_pairs; id++) {
        const struct queue_pair *qp = dev->data->queue_pairs[id];
        struct rte_tel_data *inner = qp ? rte_tel_data_alloc() : NULL;

        if (!inner)
            continue;
        add_queue_pair(qp, inner);
        snprintf(name, sizeof(name), "queue_pair_%u", id);
        rte_tel_data_add_dict_container(data, name, inner, 0);
    }
    return 0;
}

RTE_INIT(broadloom_register_telemetry)
{
    rte_telemetry_register_cmd("/broadloom/list", list_devices,
                               "Returns the numbers of Broadloom's crypto devices. No parameters.");
    rte_telemetry_register_cmd("/broadloom/queue_pairs", read_queue_pairs,
                               "Returns the counters of a device's queue pairs. Parameters: int id");
}
