/* The device for compression: --vdev compress_broadloom. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <broadloom.h>

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "pieces.h"
#include "pmd.h"

/* Ops that are processed in one call at most. */
#define BATCH 32

#define MAX_WINDOW 15
/* zlib, the one provider for small windows, has none below. */
#define MIN_WINDOW 9

static int logtype;

#define LOG(level, ...) rte_log(RTE_LOG_##level, logtype, "broadloom: " __VA_ARGS__)

/* What an application makes of a transform; any number of ops share it. */
struct transform {
	bool compresses;
	/* A whole stream, which decompression expects; compression may leave the end open. */
	bl_session *final;
	bl_session *open;
};

/* One lcore at a time uses a queue pair. */
struct queue_pair {
	bl_processor *processor;
	struct rte_compressdev_stats stats;
	/* A ring of ops: given back up to `head`, done up to `done`, taken up to `tail`. */
	struct rte_comp_op **ops;
	uint32_t capacity;
	uint32_t mask;
	uint32_t head;
	uint32_t done;
	uint32_t tail;
	uint32_t loaded;
	bl_job jobs[BATCH];
	bl_extras extras[BATCH];
	struct rte_comp_op *waiting[BATCH];
	/* The pieces of a source, or null. */
	bl_piece *pieces[BATCH];
	/* Where output gathers that goes to several segments, or null. */
	uint8_t *outputs[BATCH];
};

static const struct rte_compressdev_capabilities capabilities[] = {
	{
		.algo = RTE_COMP_ALGO_DEFLATE,
		.comp_feature_flags =
			RTE_COMP_FF_OOP_SGL_IN_SGL_OUT | RTE_COMP_FF_OOP_SGL_IN_LB_OUT |
			RTE_COMP_FF_OOP_LB_IN_SGL_OUT | RTE_COMP_FF_SHAREABLE_PRIV_XFORM |
			RTE_COMP_FF_NONCOMPRESSED_BLOCKS | RTE_COMP_FF_HUFFMAN_FIXED |
			RTE_COMP_FF_HUFFMAN_DYNAMIC | RTE_COMP_FF_CRC32_CHECKSUM |
			RTE_COMP_FF_ADLER32_CHECKSUM,
		.window_size = { .min = MIN_WINDOW, .max = MAX_WINDOW, .increment = 1 },
	},
	RTE_COMP_END_OF_CAPABILITIES_LIST()
};

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
	    how->level > RTE_COMP_LEVEL_MAX)
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

static int open_decompression(const struct rte_comp_decompress_xform *how,
			      struct transform *opened)
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
	    how->hash_algo != RTE_COMP_HASH_ALGO_NONE || how->window_size > MAX_WINDOW)
		return -ENOTSUP;
	return open_session(&transform, &opened->final);
}

static int free_transform(struct rte_compressdev *dev, void *transform)
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

static int create_transform(struct rte_compressdev *dev, const struct rte_comp_xform *xform,
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
	failed = opened->compresses ? open_compression(&xform->compress, opened) :
				      open_decompression(&xform->decompress, opened);
	if (failed)
		free_transform(dev, opened);
	else
		*transform = opened;
	return failed;
}

static uint8_t status_of(bl_status status)
{
	switch (status) {
	case BL_OK:
		return RTE_COMP_OP_STATUS_SUCCESS;
	case BL_E_ROOM:
	case BL_E_OUTPUT_LIMIT:
	case BL_E_NEVER_FITS:
		return RTE_COMP_OP_STATUS_OUT_OF_SPACE_TERMINATED;
	case BL_E_ARGUMENT:
		return RTE_COMP_OP_STATUS_INVALID_ARGS;
	default:
		return RTE_COMP_OP_STATUS_ERROR;
	}
}

/* Distributes output that gathered in one piece. */
static void scatter(const struct rte_comp_op *op, const uint8_t *output, uint32_t len)
{
	const struct rte_mbuf *segment = op->m_dst;
	uint32_t at = op->dst.offset;

	for (; len > 0; segment = segment->next) {
		if (at >= segment->data_len) {
			at -= segment->data_len;
			continue;
		}
		uint32_t part = RTE_MIN(len, segment->data_len - at);
		memcpy(rte_pktmbuf_mtod_offset(segment, uint8_t *, at), output, part);
		output += part;
		len -= part;
		at = 0;
	}
}

static void finish(struct queue_pair *qp, uint32_t at)
{
	struct rte_comp_op *op = qp->waiting[at];
	const struct transform *transform = op->private_xform;
	const bl_job *job = &qp->jobs[at];

	op->status = status_of(job->status);
	if (op->status == RTE_COMP_OP_STATUS_SUCCESS) {
		op->produced = job->produced;
		op->consumed = transform->compresses ? op->src.length : job->consumed;
		op->output_chksum = job->checksum;
		if (qp->outputs[at])
			scatter(op, qp->outputs[at], op->produced);
	}
	free(qp->pieces[at]);
	free(qp->outputs[at]);
}

static void process(struct queue_pair *qp)
{
	if (qp->loaded > 0) {
		/* How it went is in the jobs. */
		bl_process(qp->processor, qp->jobs, qp->loaded);
		for (uint32_t at = 0; at < qp->loaded; at++)
			finish(qp, at);
		qp->loaded = 0;
	}
	qp->done = qp->tail;
}

/* The status that says what is wrong with an op, or that it waits as a job. */
static uint8_t fill(struct queue_pair *qp, struct rte_comp_op *op)
{
	uint32_t at = qp->loaded;
	bl_job *job = &qp->jobs[at];
	bl_extras *extras = &qp->extras[at];
	const struct transform *transform = op->private_xform;
	struct span source = span(op->src.offset, op->src.length);
	uint32_t room;
	bool ends = op->flush_flag == RTE_COMP_FLUSH_FINAL;

	if (op->op_type != RTE_COMP_OP_STATELESS || !transform || !op->m_src || !op->m_dst)
		return RTE_COMP_OP_STATUS_INVALID_ARGS;
	if (source.end < source.start || source.end > op->m_src->pkt_len ||
	    op->dst.offset >= op->m_dst->pkt_len)
		return RTE_COMP_OP_STATUS_INVALID_ARGS;
	if (transform->compresses && !ends && op->flush_flag != RTE_COMP_FLUSH_FULL)
		return RTE_COMP_OP_STATUS_INVALID_ARGS;
	room = op->m_dst->pkt_len - op->dst.offset;
	*job = (bl_job){
		.size = sizeof(*job),
		.session = transform->compresses && !ends ? transform->open : transform->final,
		.room = room,
	};
	*extras = (bl_extras){ .size = sizeof(*extras) };
	qp->pieces[at] = NULL;
	qp->outputs[at] = NULL;
	if (source.end <= op->m_src->data_len) {
		job->source = rte_pktmbuf_mtod_offset(op->m_src, uint8_t *, source.start);
		job->len = op->src.length;
	} else {
		qp->pieces[at] = calloc(op->m_src->nb_segs, sizeof(bl_piece));
		if (!qp->pieces[at])
			return RTE_COMP_OP_STATUS_ERROR;
		extras->has |= BL_HAS_SOURCE_PIECES;
		extras->source_pieces = qp->pieces[at];
		extras->source_count = list_pieces(op->m_src, source, qp->pieces[at]);
	}
	if (op->m_dst->nb_segs == 1) {
		job->destination = rte_pktmbuf_mtod_offset(op->m_dst, uint8_t *, op->dst.offset);
	} else {
		qp->outputs[at] = malloc(room);
		if (!qp->outputs[at]) {
			free(qp->pieces[at]);
			return RTE_COMP_OP_STATUS_ERROR;
		}
		job->destination = qp->outputs[at];
	}
	if (!transform->compresses) {
		extras->has |= BL_HAS_LIMIT;
		extras->limit = room;
	}
	job->extras = extras->has ? extras : NULL;
	qp->waiting[at] = op;
	qp->loaded++;
	return RTE_COMP_OP_STATUS_NOT_PROCESSED;
}

static uint16_t enqueue(void *queue_pair, struct rte_comp_op **ops, uint16_t count)
{
	struct queue_pair *qp = queue_pair;
	uint32_t room = qp->capacity - (qp->tail - qp->head);
	uint16_t taken = RTE_MIN((uint32_t)count, room);

	for (uint16_t at = 0; at < taken; at++) {
		qp->ops[qp->tail++ & qp->mask] = ops[at];
		ops[at]->consumed = 0;
		ops[at]->produced = 0;
		ops[at]->status = fill(qp, ops[at]);
		if (qp->loaded == BATCH)
			process(qp);
	}
	qp->stats.enqueued_count += taken;
	qp->stats.enqueue_err_count += count - taken;
	return taken;
}

static uint16_t dequeue(void *queue_pair, struct rte_comp_op **ops, uint16_t count)
{
	struct queue_pair *qp = queue_pair;
	uint16_t given;

	if (qp->done - qp->head < count && qp->done != qp->tail)
		process(qp);
	given = RTE_MIN((uint32_t)count, qp->done - qp->head);
	for (uint16_t at = 0; at < given; at++) {
		ops[at] = qp->ops[(qp->head + at) & qp->mask];
		qp->stats.dequeue_err_count += ops[at]->status != RTE_COMP_OP_STATUS_SUCCESS;
	}
	qp->head += given;
	qp->stats.dequeued_count += given;
	return given;
}

static void close_queue_pair(struct queue_pair *qp)
{
	/* Ops that were not taken back are still done. */
	if (qp->processor)
		process(qp);
	bl_processor_close(qp->processor);
	rte_free(qp->ops);
	rte_free(qp);
}

static int release_queue_pair(struct rte_compressdev *dev, uint16_t id)
{
	if (dev->data->queue_pairs[id])
		close_queue_pair(dev->data->queue_pairs[id]);
	dev->data->queue_pairs[id] = NULL;
	return 0;
}

static int set_up_queue_pair(struct rte_compressdev *dev, uint16_t id, uint32_t capacity,
			     int socket)
{
	struct queue_pair *qp;

	release_queue_pair(dev, id);
	qp = rte_zmalloc_socket("broadloom", sizeof(*qp), RTE_CACHE_LINE_SIZE, socket);
	if (!qp)
		return -ENOMEM;
	qp->capacity = rte_align32pow2(RTE_MAX(capacity, 1u));
	qp->mask = qp->capacity - 1;
	qp->ops = rte_zmalloc_socket("broadloom", qp->capacity * sizeof(*qp->ops), 0, socket);
	if (!qp->ops || bl_processor_open(&qp->processor) != BL_OK) {
		close_queue_pair(qp);
		return -ENOMEM;
	}
	dev->data->queue_pairs[id] = qp;
	return 0;
}

static int configure(struct rte_compressdev *dev, struct rte_compressdev_config *config)
{
	RTE_SET_USED(dev);
	RTE_SET_USED(config);
	return 0;
}

static int start(struct rte_compressdev *dev)
{
	RTE_SET_USED(dev);
	return 0;
}

static void stop(struct rte_compressdev *dev)
{
	RTE_SET_USED(dev);
}

static int close_device(struct rte_compressdev *dev)
{
	for (uint16_t id = 0; id < dev->data->nb_queue_pairs; id++)
		release_queue_pair(dev, id);
	return 0;
}

static void get_info(struct rte_compressdev *dev, struct rte_compressdev_info *info)
{
	info->driver_name = dev->device->driver->name;
	info->feature_flags = dev->feature_flags;
	info->capabilities = capabilities;
	/* No bound. */
	info->max_nb_queue_pairs = 0;
}

static void get_statistics(struct rte_compressdev *dev, struct rte_compressdev_stats *stats)
{
	for (uint16_t id = 0; id < dev->data->nb_queue_pairs; id++) {
		const struct queue_pair *qp = dev->data->queue_pairs[id];

		if (!qp)
			continue;
		stats->enqueued_count += qp->stats.enqueued_count;
		stats->dequeued_count += qp->stats.dequeued_count;
		stats->enqueue_err_count += qp->stats.enqueue_err_count;
		stats->dequeue_err_count += qp->stats.dequeue_err_count;
	}
}

static void reset_statistics(struct rte_compressdev *dev)
{
	for (uint16_t id = 0; id < dev->data->nb_queue_pairs; id++) {
		struct queue_pair *qp = dev->data->queue_pairs[id];

		if (qp)
			memset(&qp->stats, 0, sizeof(qp->stats));
	}
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
	.private_xform_create = create_transform,
	.private_xform_free = free_transform,
};

static int probe(struct rte_vdev_device *vdev)
{
	struct rte_compressdev_pmd_init_params params = { .socket_id = rte_socket_id() };
	const char *name = vdev->device.name;
	const char *arguments = vdev->device.devargs ? vdev->device.devargs->args : "";
	struct rte_compressdev *dev;

	/* Transforms and queue pairs point into the library's memory, which no other process has. */
	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
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
	dev->enqueue_burst = enqueue;
	dev->dequeue_burst = dequeue;
	LOG(INFO, "%s over libbroadloom %s\n", name, bl_version());
	return 0;
}

static int remove_device(struct rte_vdev_device *vdev)
{
	struct rte_compressdev *dev = rte_compressdev_pmd_get_named_dev(vdev->device.name);

	return dev ? rte_compressdev_pmd_destroy(dev) : -ENODEV;
}

static struct rte_vdev_driver vdev_driver = {
	.driver.name = "compress_broadloom",
	.probe = probe,
	.remove = remove_device,
};

RTE_INIT(broadloom_register)
{
	logtype = rte_log_register_type_and_pick_level("pmd.compress.broadloom", RTE_LOG_NOTICE);
	rte_vdev_register(&vdev_driver);
}
