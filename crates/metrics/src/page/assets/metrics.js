
// What is shown of samples: metrics, and how they are broken down.

const PREFIXES = [
  [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"],
];

/** Writes a number with three digits and a prefix out of some of `PREFIXES`. */
function scaled(value, unit, prefixes) {
  if (value === 0) return `0 ${unit}`.trimEnd();
  const fits = ([factor]) => Math.abs(value) >= factor * 0.9995;
  const [factor, prefix] = prefixes.find(fits) ?? prefixes.at(-1);
  const size = value / factor;
  // A rate of four a second is the quotient of two times, which are rounded.
  const isInteger = Math.abs(size - Math.round(size)) <= 1e-6 * Math.abs(size);
  const whole = isInteger && prefix === "" && unit !== "s";
  const places = whole || Math.abs(size) >= 99.95 ? 0 : Math.abs(size) >= 9.995 ? 1 : 2;
  return `${size.toFixed(places)} ${prefix}${unit}`.trimEnd();
}

const asNumber = (value) => scaled(value, "", PREFIXES.slice(0, 5));
const asBytes = (value) => scaled(value, "B", PREFIXES.slice(0, 5));
const asSeconds = (value) => scaled(value, "s", PREFIXES.slice(4));
const asPercent = (value) => `${(value * 100).toFixed(1)} %`;
const perSecond = (text) => (value) => `${text(value)}/s`;

const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** A metric of series: their sum over seconds. */
function rate(title, of, text, unit) {
  return {
    title,
    unit,
    text: perSecond(text),
    ofSeries: of,
    zero: () => ({ sum: 0 }),
    add: (row, entry) => { row.sum += of(entry); },
    join: (row, other) => { row.sum += other.sum; },
    value: (row, seconds) => (seconds > 0 ? row.sum / seconds : 0),
  };
}

/** A metric of queues: a percentile of a histogram, or its mean. */
function distribution(title, field, text, unit, share) {
  const join = (counts, buckets) => {
    for (const { upper, count } of buckets) counts.set(upper, (counts.get(upper) ?? 0) + count);
  };
  return {
    title,
    unit,
    text,
    zero: () => ({ counts: new Map() }),
    add: (row, queue) => join(row.counts, queue[field].buckets),
    join: (row, other) => {
      for (const [upper, count] of other.counts) {
        row.counts.set(upper, (row.counts.get(upper) ?? 0) + count);
      }
    },
    value: (row) => percentile(row.counts, share),
  };
}

/** Returns the upper end of the bucket that a share of all values reach. */
function percentile(counts, share) {
  const sorted = [...counts].sort(([one], [other]) => one - other);
  const all = sorted.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(share * all));
  let seen = 0;
  for (const [upper, count] of sorted) {
    seen += count;
    if (seen >= rank) return upper;
  }
  return null;
}

/** The metrics, in the order in which they are offered. */
const METRICS = {
  operations: rate("Operations", (entry) => entry.operations, asNumber, "operations per second"),
  bytes: rate("Bytes", (entry) => entry.bytes, asBytes, "bytes per second"),
  errors: rate("Errors", (entry) => total(entry.errors), asNumber, "errors per second"),
  fallbacks: rate("Fallbacks", (entry) => total(entry.fallbacks), asNumber, "fallbacks per second"),
  occupancy: {
    title: "Occupancy of lanes",
    unit: "share of lanes in use",
    text: asPercent,
    most: 1,
    zero: () => ({ used: 0, offered: 0 }),
    add: (row, queue) => {
      row.used += queue.lanes_used;
      row.offered += queue.lanes_offered;
    },
    join: (row, other) => {
      row.used += other.used;
      row.offered += other.offered;
    },
    value: (row) => (row.offered > 0 ? row.used / row.offered : null),
  },
  waiting: {
    title: "Jobs waiting",
    unit: "jobs",
    text: asNumber,
    zero: () => ({ jobs: 0, samples: 0 }),
    add: (row, queue) => { row.jobs += queue.waiting; row.samples = 1; },
    join: (row, other) => { row.jobs += other.jobs; row.samples += other.samples; },
    value: (row) => (row.samples > 0 ? row.jobs / row.samples : null),
  },
  wait: distribution("Time in queue, p99", "wait_seconds", asSeconds, "seconds", 0.99),
  wait50: distribution("Time in queue, median", "wait_seconds", asSeconds, "seconds", 0.5),
  work: distribution("Time at work, p99", "work_seconds", asSeconds, "seconds", 0.99),
  work50: distribution("Time at work, median", "work_seconds", asSeconds, "seconds", 0.5),
  batch: distribution("Batch size, median", "batch_size", asNumber, "jobs", 0.5),
};

/** Returns true if the parts of a breakdown by this metric add up to the whole. */
const addsUp = (metric) => metric.ofSeries !== undefined;

/** What is shown: a metric, broken down by a dimension, for the work that the filters let through. */
class View {
  metric = "operations";
  by = "algorithm";
  filters = [];

  /** Returns the metric's rules. */
  get rules() {
    return METRICS[this.metric];
  }

  /** Returns the rows of a sample: a Map from values of the dimension. */
  rows(sample) {
    const name = JSON.stringify([this.metric, this.by, this.filters]);
    if (sample.rows?.name !== name) {
      sample.rows = { name, rows: this.#count(sample), whole: this.#whole(sample) };
    }
    return sample.rows;
  }

  /** Returns the rows of many samples as one, the largest first. */
  sum(samples) {
    const { rules } = this;
    const rows = new Map();
    const whole = rules.zero();
    let seconds = 0;
    for (const sample of samples) {
      const counted = this.rows(sample);
      seconds += sample.seconds;
      rules.join(whole, counted.whole);
      for (const [value, row] of counted.rows) {
        if (!rows.has(value)) rows.set(value, rules.zero());
        rules.join(rows.get(value), row);
      }
    }
    const list = [...rows].map(([value, row]) => ({ value, figure: rules.value(row, seconds) }));
    list.sort((one, other) => (other.figure ?? -1) - (one.figure ?? -1)
      || one.value.localeCompare(other.value));
    return { rows: list, whole: rules.value(whole, seconds), seconds };
  }

  admits(key) {
    return this.filters.every(({ by, value }) => key.values[by] === value);
  }

  #count(sample) {
    const { rules } = this;
    const entries = sample.entries.filter((entry) => this.admits(entry.key));
    const rows = new Map();
    const row = (value) => {
      if (!rows.has(value)) rows.set(value, rules.zero());
      return rows.get(value);
    };
    if (addsUp(rules)) {
      for (const entry of entries) rules.add(row(entry.key.values[this.by]), entry);
      return rows;
    }
    // A queue counts batches as a whole, so it counts for each value that it has.
    const queues = new Map(sample.queues.map((queue) => [queue.name, queue]));
    const counted = new Set();
    for (const { key } of entries) {
      const value = key.values[this.by];
      const queue = queues.get(key.values.queue);
      const pair = JSON.stringify([value, key.values.queue]);
      if (!queue || counted.has(pair)) continue;
      counted.add(pair);
      rules.add(row(value), queue);
    }
    return rows;
  }

  #whole(sample) {
    const { rules } = this;
    const whole = rules.zero();
    const entries = sample.entries.filter((entry) => this.admits(entry.key));
    if (addsUp(rules)) {
      entries.forEach((entry) => rules.add(whole, entry));
      return whole;
    }
    this.queues(sample).forEach((queue) => rules.add(whole, queue));
    return whole;
  }

  /** Returns the queues that did work which the filters let through; without filters, all. */
  queues(sample) {
    if (this.filters.length === 0) return sample.queues;
    const admitted = sample.entries.filter((entry) => this.admits(entry.key));
    const names = new Set(admitted.map(({ key }) => key.values.queue));
    return sample.queues.filter((queue) => names.has(queue.name));
  }
}
