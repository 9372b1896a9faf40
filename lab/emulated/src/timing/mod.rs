//! Computes when a modelled device has a response ready: virtual nanoseconds in, virtual
//! nanoseconds out.
//!
//! A device has a number of engines for a service, and each engine has a pipeline for several
//! requests. The hardware gives a request to an engine with the fewest requests. If all pipelines
//! are full, the request waits for the first free place. Requests in one pipeline slow each other
//! down: with `k` requests, each takes `T(k) = T(1) · (1 + c · (k − 1))`. `k` is the number of
//! requests in the pipeline, itself included, when its work begins.
//!
//! The time of a compression depends on its data, too: data that compress well have fewer symbols.
//! Huffman codes that are made for the data come from a stage of its own behind the pipeline, which
//! adds to the time of a request, and keeps no place from others.

mod cost;
mod preset;

pub(crate) use cost::cost;
pub(crate) use preset::{PRESETS, Preset, REMOTE};

/// The kind of a request's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Compression,
    /// Ciphers, hashes, MACs and AEADs.
    Symmetric,
    /// Signatures, RSA's encryption, and key agreement.
    PublicKey,
}

/// The engines of a service.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Engines {
    pub engines: usize,
    /// Requests in an engine's pipeline.
    pub depth: usize,
    /// Nanoseconds of an engine for a request, alone in its pipeline.
    pub request_time: f64,
    /// Nanoseconds more for each byte of its input.
    pub byte_time: f64,
    /// By how much a request is slowed down by each other in its pipeline: `c`.
    pub sharing: f64,
}

/// The way of data to the device and back: nanoseconds, during which a request has its place in a
/// pipeline, but is not slowed down by others there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Way {
    pub request_time: f64,
    pub byte_time: f64,
}

/// A device's timing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timing {
    pub compression: Engines,
    pub symmetric: Engines,
    /// The times are those of an RSA-2048 private operation.
    pub public_key: Engines,
    pub way: Way,
    /// The extra cost of another socket's memory.
    pub remote: Option<Way>,
    /// The stage that makes Huffman codes for the data of a compression.
    pub translator: Way,
    /// How the time of a compression follows from the ratio of its output to its input.
    pub data: ByRatio,
}

/// A compression's time over that of the usual data, by its ratio: a straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ByRatio {
    /// The ratio of the data for which engines have their times.
    pub usual: f64,
    /// How much more time each unit of the ratio takes.
    pub slope: f64,
}

impl ByRatio {
    /// The least part of the usual time: the input is read whatever is made of it.
    const LEAST: f64 = 0.2;

    /// Returns the time over the usual one, for so many bytes of input and of output.
    pub(crate) fn cost(&self, input: usize, output: usize) -> f64 {
        let ratio = (output as f64 / input.max(1) as f64).min(1.0);
        (1.0 + self.slope * (ratio - self.usual)).max(Self::LEAST)
    }
}

/// One service's engines, and until when their places are taken.
#[derive(Debug)]
struct Schedule {
    engines: Engines,
    way: Way,
    /// `1 + c · (k − 1)` for each `k` from 1.
    slowdown: Vec<f64>,
    /// When what has a place in a pipeline, or will have it, is ready: engine by engine.
    taken_until: Vec<u64>,
    /// The engine that is looked at first: the one before it was given the last request.
    turn: usize,
}

/// A device's engines at work.
#[derive(Debug)]
pub(crate) struct Model {
    compression: Schedule,
    symmetric: Schedule,
    public_key: Schedule,
    translator: Way,
    data: ByRatio,
}

/// A request, as far as timing goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimedRequest {
    pub service: Service,
    /// When the doorbell rang for it, in nanoseconds.
    pub arrival: u64,
    /// Bytes of its input.
    pub bytes: usize,
    /// Its time over that which its engines have for a request of so many bytes.
    pub cost: f64,
    /// How many times slower than it should be its engine is.
    pub slower: u32,
    /// `true` if Huffman codes are made for its data.
    pub translated: bool,
}

impl Model {
    pub(crate) fn new(timing: &Timing) -> Self {
        let remote = timing.remote.unwrap_or(Way { request_time: 0.0, byte_time: 0.0 });
        let way = Way {
            request_time: timing.way.request_time + remote.request_time,
            byte_time: timing.way.byte_time + remote.byte_time,
        };
        Model {
            compression: Schedule::new(timing.compression, way),
            symmetric: Schedule::new(timing.symmetric, way),
            public_key: Schedule::new(timing.public_key, way),
            translator: timing.translator,
            data: timing.data,
        }
    }

    /// Returns the time of a compression over that of the usual data, for so many bytes of input
    /// and of output.
    pub(crate) fn cost_of_data(&self, input: usize, output: usize) -> f64 {
        self.data.cost(input, output)
    }

    /// Gives a request to an engine, and says when its response is ready.
    pub(crate) fn schedule(&mut self, work: TimedRequest) -> u64 {
        let ready = match work.service {
            Service::Compression => self.compression.schedule(work),
            Service::Symmetric => self.symmetric.schedule(work),
            Service::PublicKey => self.public_key.schedule(work),
        };
        match work.translated {
            true => {
                let Way { request_time, byte_time } = self.translator;
                ready + (request_time + byte_time * work.bytes as f64) as u64
            }
            false => ready,
        }
    }

    /// Requests whose work is complete leave.
    pub(crate) fn reset(&mut self) {
        self.compression.taken_until.fill(0);
        self.symmetric.taken_until.fill(0);
        self.public_key.taken_until.fill(0);
    }
}

impl Schedule {
    fn new(engines: Engines, way: Way) -> Self {
        let slowdown = (0..engines.depth).map(|others| 1.0 + engines.sharing * others as f64);
        Schedule {
            engines,
            way,
            slowdown: slowdown.collect(),
            taken_until: vec![0; engines.engines * engines.depth],
            turn: 0,
        }
    }

    fn schedule(&mut self, work: TimedRequest) -> u64 {
        let depth = self.engines.depth;
        let busy =
            |pipeline: &[u64], time: u64| pipeline.iter().filter(|until| **until > time).count();
        // The engine with the fewest requests now, or where none has a free place, that which has
        // one first.
        let (mut chosen, mut fewest) = (0, depth);
        let turns = (self.turn..self.engines.engines).chain(0..self.turn);
        for engine in turns {
            let count = busy(&self.taken_until[engine * depth..][..depth], work.arrival);
            // Of engines that are alike the first, so that the others become idle.
            if count < fewest || (count == fewest && engine < chosen) {
                (chosen, fewest) = (engine, count);
                if count == 0 {
                    break;
                }
            }
        }
        let mut start = work.arrival;
        if fewest == depth {
            let (place, until) = first_free(&self.taken_until);
            (chosen, start) = (place / depth, until);
        }
        self.turn = if chosen + 1 == self.engines.engines { 0 } else { chosen + 1 };
        let pipeline = &mut self.taken_until[chosen * depth..][..depth];
        let others = busy(pipeline, start);
        let bytes = work.bytes as f64;
        let Engines { request_time, byte_time, .. } = self.engines;
        let alone = (request_time + byte_time * bytes) * work.cost * f64::from(work.slower);
        let way = self.way.request_time + self.way.byte_time * bytes;
        let ready = start + (way + alone * self.slowdown[others] + 0.5) as u64;
        let (place, _) = first_free(pipeline);
        pipeline[place] = ready;
        ready
    }
}

/// The place that is free first, and from when on.
fn first_free(taken_until: &[u64]) -> (usize, u64) {
    let places = taken_until.iter().copied().enumerate();
    places.min_by_key(|(_, until)| *until).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_WAY: Way = Way { request_time: 0.0, byte_time: 0.0 };

    /// The same engines for all services.
    fn timing(engines: Engines, way: Way, remote: Option<Way>) -> Timing {
        let (compression, symmetric, public_key) = (engines, engines, engines);
        let data = ByRatio { usual: 0.4, slope: 2.0 };
        let translator = Way { request_time: 1000.0, byte_time: 0.5 };
        Timing { compression, symmetric, public_key, way, remote, translator, data }
    }

    /// A request of a service, at the beginning.
    fn of(service: Service) -> TimedRequest {
        TimedRequest { service, arrival: 0, bytes: 0, cost: 1.0, slower: 1, translated: false }
    }

    fn schedule(engines: Engines, way: Way, work: &[(u64, usize)]) -> Vec<u64> {
        let mut model = Model::new(&timing(engines, way, None));
        let service = Service::Symmetric;
        let ready =
            |&(arrival, bytes)| model.schedule(TimedRequest { arrival, bytes, ..of(service) });
        work.iter().map(ready).collect()
    }

    #[test]
    fn requests_go_to_idle_engines_and_then_wait() {
        let engines =
            Engines { engines: 2, depth: 1, request_time: 100.0, byte_time: 0.5, sharing: 0.0 };
        let work = [(0, 0), (0, 200), (0, 0), (0, 0), (1000, 20)];
        // Engine 0 until 100, 1 until 200, 0 until 200, then either until 300; idle long before
        // 1000.
        assert_eq!(schedule(engines, NO_WAY, &work), [100, 200, 200, 300, 1110]);
    }

    #[test]
    fn requests_share_a_pipeline_and_slow_each_other_down() {
        let engines =
            Engines { engines: 1, depth: 3, request_time: 100.0, byte_time: 0.0, sharing: 0.5 };
        let work = [(0, 0), (10, 0), (20, 0), (30, 0), (500, 0)];
        // Alone: 100. Beside one: 150, until 160. Beside two: 200, until 220. The fourth waits for
        // the first to go at 100, and is then the third: until 300. At 500 the pipeline is empty.
        assert_eq!(schedule(engines, NO_WAY, &work), [100, 160, 220, 300, 600]);
    }

    #[test]
    fn engines_fill_evenly() {
        let engines =
            Engines { engines: 3, depth: 2, request_time: 100.0, byte_time: 0.0, sharing: 1.0 };
        let work = [(0, 0); 7];
        // One on each, then a second on each at half the speed, then the first that is free: at
        // 100, beside one that stays until 200.
        assert_eq!(schedule(engines, NO_WAY, &work), [100, 100, 100, 200, 200, 200, 300]);
    }

    #[test]
    fn the_way_takes_time_and_is_not_shared() {
        let engines =
            Engines { engines: 1, depth: 2, request_time: 100.0, byte_time: 1.0, sharing: 1.0 };
        let way = Way { request_time: 7.0, byte_time: 0.25 };
        // 7 + 2 on the way; 108 in the engine, and twice that beside another.
        assert_eq!(schedule(engines, way, &[(0, 8), (0, 8)]), [117, 225]);
        let mut far = Model::new(&timing(engines, way, Some(way)));
        let work = TimedRequest { arrival: 50, bytes: 8, ..of(Service::Compression) };
        assert_eq!(far.schedule(work), 50 + 18 + 108);
        far.reset();
        assert_eq!(far.schedule(TimedRequest { slower: 3, ..work }), 50 + 18 + 324);
    }

    /// The second of two requests for one place is not held up by what the translator does for the
    /// first.
    #[test]
    fn codes_for_the_data_take_time_and_no_place() {
        let one =
            Engines { engines: 1, depth: 1, request_time: 100.0, byte_time: 0.0, sharing: 0.0 };
        let mut model = Model::new(&timing(one, NO_WAY, None));
        let plain = TimedRequest { bytes: 8, ..of(Service::Compression) };
        assert_eq!(model.schedule(TimedRequest { translated: true, ..plain }), 100 + 1000 + 4);
        assert_eq!(model.schedule(plain), 200);
    }

    #[test]
    fn data_that_compress_well_take_less_time() {
        let data = ByRatio { usual: 0.4, slope: 2.0 };
        assert_eq!(data.cost(100, 40), 1.0);
        assert!((data.cost(100, 10) - 0.4).abs() < 1e-9);
        assert_eq!(data.cost(100, 0), 0.2, "the input is read all the same");
        assert!((data.cost(100, 120) - 2.2).abs() < 1e-9, "no more than if nothing is gained");
        assert_eq!(data.cost(0, 2), 2.2);
    }

    #[test]
    fn services_have_engines_of_their_own() {
        let one =
            Engines { engines: 1, depth: 1, request_time: 100.0, byte_time: 0.0, sharing: 0.0 };
        let mut model = Model::new(&timing(one, NO_WAY, None));
        let mut ready = |service| model.schedule(of(service));
        assert_eq!(ready(Service::Compression), 100);
        assert_eq!(ready(Service::Symmetric), 100);
        assert_eq!(ready(Service::PublicKey), 100);
        assert_eq!(ready(Service::Compression), 200);
        assert_eq!(model.schedule(TimedRequest { cost: 2.5, ..of(Service::PublicKey) }), 100 + 250);
    }
}
