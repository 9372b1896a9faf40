//! Rows made up for tests.

use super::super::topic::Topic;
use crate::report::pass::Pass;
use crate::report::row::Row;

/// Makes a row of what a provider takes for 2^28 bytes in chunks of 64 KiB: seconds elapsed and of
/// CPU time.
pub fn pass(
    topic: Topic,
    provider: &str,
    threads: usize,
    outstanding: usize,
    elapsed: f64,
    cpu: f64,
) -> Row {
    let emulated = provider == "emulated";
    let text = |text: &str| emulated.then(|| text.to_owned());
    let pass = Pass {
        figure: topic.name().to_owned(),
        level: Some(1),
        chunk: Some(65536),
        threads,
        preset: text("8955"),
        transfer: text("copy"),
        poll: text("yield"),
        poller: text("inline"),
        numa: text("local"),
        input_bytes: 1 << 28,
        output_bytes: Some(100 << 20),
        ratio: Some(0.390625),
        elapsed_s: elapsed,
        elapsed_s_median: elapsed * 1.01,
        cpu_s: cpu,
        cpu_s_median: cpu * 1.02,
        passes: 5,
        prepared: emulated.then_some(true),
        responses: emulated.then_some(4096),
        late: emulated.then_some(7),
        ..Pass::default()
    };
    Row {
        algorithm: "deflate".to_owned(),
        direction: "compress".to_owned(),
        size: Some(65536),
        mode: if outstanding > 1 { "async" } else { "sync" }.to_owned(),
        outstanding: Some(outstanding),
        burst: 1,
        cores: threads.min(2),
        provider: provider.to_owned(),
        call: Some("framework".to_owned()),
        kernel: "k".to_owned(),
        order: "in-order".to_owned(),
        isa: "avx2".to_owned(),
        cache: "warm".to_owned(),
        cycles_per_buffer: Some(elapsed / 4096.0 * 2e9),
        gbps: Some((1u64 << 28) as f64 * 8.0 / elapsed / 1e9),
        buffer_bytes: 65536.0,
        pass: Some(pass),
        ..Row::default()
    }
}

fn with(mut row: Row, change: impl FnOnce(&mut Pass)) -> Row {
    if let Some(pass) = &mut row.pass {
        change(pass);
    }
    row
}

/// Rows of every topic.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (step, chunk) in [4096, 16384, 65536, 1 << 20].into_iter().enumerate() {
        for (provider, least) in [("zlib", 0.38), ("isal", 0.385)] {
            rows.push(with(pass(Topic::Ratio, provider, 1, 1, 1.0, 1.0), |pass| {
                pass.chunk = Some(chunk);
                pass.ratio = Some(least + 0.1 / (step + 1) as f64);
            }));
        }
    }
    for threads in [1, 2, 16] {
        let elapsed = 4.8 / threads.min(2) as f64;
        rows.push(pass(Topic::Threads, "zlib", threads, 1, elapsed, 4.8));
        let elapsed = 1.6 / threads as f64;
        rows.push(pass(
            Topic::SyncThreads,
            "emulated",
            threads,
            1,
            elapsed,
            1.6 + 0.1 * threads as f64,
        ));
    }
    rows.push(pass(Topic::Sync, "zlib", 1, 1, 4.8, 4.8));
    rows.push(pass(Topic::Sync, "emulated", 1, 1, 1.6, 1.6));
    for count in [1, 6, 18, 24] {
        rows.push(pass(Topic::Outstanding, "emulated", 1, count, 1.6 / count.min(8) as f64, 0.2));
    }
    for (provider, threads, count, elapsed) in [
        ("zlib", 1, 1, 4.8),
        ("zlib", 16, 1, 2.4),
        ("emulated", 1, 1, 1.6),
        ("emulated", 16, 1, 0.3),
        ("emulated", 1, 24, 0.2),
    ] {
        rows.push(pass(Topic::Models, provider, threads, count, elapsed, elapsed * 1.1));
    }
    for (transfer, cpu) in [("copy", 0.1), ("gather", 0.05)] {
        let row = pass(Topic::Copy, "emulated", 1, 24, 0.2, cpu);
        rows.push(with(row, |pass| pass.transfer = Some(transfer.to_owned())));
    }
    for count in [1, 24] {
        let asynchronous = |topic, cpu| pass(topic, "emulated", 1, count, 0.2, cpu);
        for (poll, cpu) in [("yield", 0.2), ("interrupt", 0.05)] {
            rows.push(with(asynchronous(Topic::Interrupt, cpu), |pass| {
                pass.poll = Some(poll.to_owned())
            }));
        }
        for (poller, us) in [("inline", None), ("separate", Some(50.0))] {
            rows.push(with(asynchronous(Topic::Poller, 0.2), |pass| {
                pass.poller = Some(poller.to_owned());
                pass.poll_us = us;
            }));
        }
        for (us, cpu) in [(10.0, 0.1), (100.0, 0.05)] {
            rows.push(with(asynchronous(Topic::Frequency, cpu), |pass| {
                pass.poll = Some("every".to_owned());
                pass.poll_us = Some(us);
            }));
        }
        for numa in ["local", "remote"] {
            rows.push(with(asynchronous(Topic::Numa, 0.2), |pass| {
                pass.numa = Some(numa.to_owned())
            }));
        }
    }
    for burst in [1, 4, 16] {
        for doorbell in ["each", "deferred"] {
            let row = pass(Topic::Batch, "emulated", 1, 64, 0.2 / burst as f64, 0.2);
            let row = Row { size: Some(64), burst, buffer_bytes: 64.0, ..row };
            rows.push(with(row, |pass| pass.doorbell = Some(doorbell.to_owned())));
        }
    }
    for (algorithm, direction) in [("aes-128-cbc", "encrypt"), ("deflate", "compress")] {
        for (size, software) in [(64, 0.1), (1024, 0.4), (16384, 0.9)] {
            for (provider, cpu) in [("isal", software), ("emulated", 0.3)] {
                let row = Row {
                    algorithm: algorithm.to_owned(),
                    direction: direction.to_owned(),
                    size: Some(size),
                    buffer_bytes: size as f64,
                    ..pass(Topic::Offload, provider, 1, 24, 0.5, cpu)
                };
                rows.push(with(row, |pass| pass.chunk = None));
            }
        }
    }
    for call in [None, Some("framework".to_owned())] {
        rows.push(Row { call, ..pass(Topic::Overhead, "zlib", 1, 1, 3.8, 3.8) });
    }
    for (provider, count) in [("zlib", 1), ("emulated", 1), ("emulated", 24)] {
        let row = pass(Topic::Decompress, provider, 1, count, 1.6 / count as f64, 0.2);
        rows.push(Row { direction: "decompress".to_owned(), ..row });
    }
    for direction in ["compress", "decompress"] {
        for threads in [1, 2] {
            let row = pass(Topic::Scaling, "zlib", threads, 1, 3.8 / threads as f64, 3.8);
            rows.push(Row { direction: direction.to_owned(), ..row });
        }
    }
    rows
}
