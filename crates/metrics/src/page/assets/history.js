"use strict";

// What was added between snapshots, for the last minutes. The rules are those of `change.rs`.

/** The most samples that are kept: ten minutes of them. */
const KEPT = 600;

/** The queue that stands for all queues that have ended. */
const ENDED = "ended";

/** What work is broken down by. */
const DIMENSIONS = [
  "algorithm", "direction", "provider", "kernel", "core", "queue", "size", "label",
];

/** Keys of series that samples refer to, so that each exists once. */
const knownKeys = new Map();

/** Returns the length of a size class as people write it: 1K, 1M, >1M. */
function sizeName(bytes) {
  if (bytes > 2 ** 40) return ">1M";
  if (bytes >= 1 << 20) return `${bytes / (1 << 20)}M`;
  if (bytes >= 1 << 10) return `${bytes / (1 << 10)}K`;
  return String(bytes);
}

/** Returns the shared key of a series, which holds a text for each dimension. */
function sharedKey(series, core, number) {
  const values = {
    algorithm: series.algorithm || "-",
    direction: series.direction || "-",
    provider: series.provider || "-",
    kernel: series.kernel || "-",
    core: core === null || core === undefined ? "-" : String(core),
    queue: series.queue || "-",
    size: sizeName(series.size),
    label: series.label || "-",
  };
  const name = JSON.stringify(Object.values(values));
  let key = knownKeys.get(name);
  if (!key) {
    key = { values, length: series.size, seen: number };
    knownKeys.set(name, key);
  }
  key.seen = number;
  return key;
}

/** Tells series apart, whatever their counters. */
function seriesName(series, queue = series.queue) {
  const { algorithm, direction, provider, kernel, size, label } = series;
  return JSON.stringify([algorithm, direction, provider, kernel, queue, size, label]);
}

function lessCounts(counts, before) {
  const left = {};
  for (const [name, count] of Object.entries(counts)) {
    const more = count - (before[name] ?? 0);
    if (more > 0) left[name] = more;
  }
  return left;
}

function lessSeries(series, before) {
  return {
    ...series,
    operations: Math.max(0, series.operations - before.operations),
    bytes: Math.max(0, series.bytes - before.bytes),
    errors: lessCounts(series.errors, before.errors),
    fallbacks: lessCounts(series.fallbacks, before.fallbacks),
  };
}

function lessHistogram(histogram, before) {
  const known = new Map(before.buckets.map(({ upper, count }) => [upper, count]));
  const buckets = [];
  for (const { upper, count } of histogram.buckets) {
    const more = count - (known.get(upper) ?? 0);
    if (more > 0) buckets.push({ upper, count: more });
  }
  const count = Math.max(0, histogram.count - before.count);
  return { count, sum: count === 0 ? 0 : Math.max(0, histogram.sum - before.sum), buckets };
}

function lessQueue(queue, before) {
  return {
    ...queue,
    batches: lessCounts(queue.batches, before.batches),
    lanes_used: Math.max(0, queue.lanes_used - before.lanes_used),
    lanes_offered: Math.max(0, queue.lanes_offered - before.lanes_offered),
    batch_size: lessHistogram(queue.batch_size, before.batch_size),
    wait_seconds: lessHistogram(queue.wait_seconds, before.wait_seconds),
    work_seconds: lessHistogram(queue.work_seconds, before.work_seconds),
  };
}

/** Subtracts earlier entries from later ones. Those that are gone are subtracted from `heir`. */
function lessAll(after, before, name, heir, less) {
  const known = new Map(before.map((entry) => [name(entry), entry]));
  const changes = new Map();
  for (const entry of after) {
    const at = name(entry);
    const earlier = known.get(at);
    known.delete(at);
    changes.set(at, earlier ? less(entry, earlier) : entry);
  }
  for (const entry of known.values()) {
    const at = heir(entry);
    if (changes.has(at)) changes.set(at, less(changes.get(at), entry));
  }
  return [...changes.values()];
}

/** Returns what was added between two snapshots, or null if they are not of one run. */
function between(before, after) {
  if (before.pid !== after.pid || after.uptime <= before.uptime) return null;
  const inEnded = (series) => seriesName(series, ENDED);
  return {
    time: after.time,
    seconds: after.uptime - before.uptime,
    series: lessAll(after.series, before.series, (series) => seriesName(series), inEnded, lessSeries),
    queues: lessAll(after.queues, before.queues, (queue) => queue.name, () => ENDED, lessQueue),
  };
}

/** Returns all that was counted since the program began. */
function sinceStart({ time, uptime, series, queues }) {
  return { time, seconds: uptime, series, queues };
}

/** Samples of the last minutes, the oldest first. */
class Past {
  samples = [];
  #number = 0;

  /** Keeps a change. The oldest sample goes when there are too many. */
  add(change) {
    this.samples.push(this.sample(change));
    if (this.samples.length > KEPT) this.samples.shift();
    if (this.#number % 60 === 0) this.#forgetKeys();
  }

  /** Makes a sample of a change: what was active, with keys that all samples share. */
  sample({ time, seconds, series, queues }) {
    this.#number += 1;
    const number = this.#number;
    const cores = new Map(queues.map((queue) => [queue.name, queue.core]));
    const active = series.filter(
      ({ operations, fallbacks }) => operations > 0 || Object.keys(fallbacks).length > 0,
    );
    const entries = active.map((entry) => ({
      key: sharedKey(entry, cores.get(entry.queue), number),
      operations: entry.operations,
      bytes: entry.bytes,
      errors: entry.errors,
      fallbacks: entry.fallbacks,
    }));
    return { number, time, seconds, entries, queues, rows: null };
  }

  /** Forgets everything: another program answers. */
  clear() {
    this.samples = [];
    knownKeys.clear();
  }

  /** Drops keys that no sample refers to. */
  #forgetKeys() {
    const oldest = this.samples[0]?.number ?? 0;
    for (const [name, key] of knownKeys) {
      if (key.seen < oldest) knownKeys.delete(name);
    }
  }
}
