//! A program that shows what it does: it protects packets of two tenants all the time, serves the
//! page on which you see it, and is found by `broadloom top`.
//!
//! ```sh
//! cargo run --release -p broadloom --features metrics-page --example metrics_page -- 127.0.0.1:9090
//! ```

use std::env;
use std::error::Error;
use std::thread;
use std::time::Duration;

use broadloom::metrics;
use broadloom::{HashAlgorithm, Job, MacAlgorithm, Processor, Session, Transform};

/// Packets in a burst of each tenant.
const BURST: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:9090".to_owned());
    let page = metrics::serve(&*address)?;
    println!("see {}", page.url());
    let _listening = metrics::listen()?;
    let sessions = [session("tenant-a", b"a key")?, session("tenant-b", b"another key")?];
    let mut processor = Processor::new();
    for number in 0_usize.. {
        for session in &sessions {
            // Packets of 64 bytes to 4 KiB.
            protect(&mut processor, session, 64 << (number % 7));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Opens a session for a tenant, whose name the page shows.
fn session(tenant: &str, key: &[u8]) -> Result<Session, Box<dyn Error>> {
    let algorithm = MacAlgorithm::Hmac(HashAlgorithm::Sha256);
    let transform = Transform::mac(algorithm, key).generate()?.label(tenant)?;
    Ok(broadloom::registry().open(&transform)?)
}

/// Authenticates a burst of packets of equal lengths. Returns the number of tags.
fn protect(processor: &mut Processor, session: &Session, len: usize) -> usize {
    let packets = vec![vec![0; len]; BURST];
    let mut jobs: Vec<_> = packets.iter().map(|packet| Job::new(session, &packet[..])).collect();
    processor.process_many(&mut jobs);
    jobs.iter().filter(|job| job.tag().is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_counted_for_each_tenant() {
        let session = session("tenant-of-the-test", b"key").unwrap();
        assert_eq!(protect(&mut Processor::new(), &session, 100), BURST);
        let snapshot = metrics::Snapshot::now();
        let of_tenant = |series: &&metrics::Series| series.key.label == "tenant-of-the-test";
        let series = snapshot.series.iter().find(of_tenant).unwrap();
        assert_eq!((series.operations, series.bytes), (BURST as u64, 100 * BURST as u64));
    }
}
