//! How many small requests a second go through a device's rings, and what that costs the host.
//!
//! `cargo run --release -p broadloom-emulated --example rate -- [BATCH] [OPTION=VALUE ...]`

use std::sync::Arc;
use std::time::{Duration, Instant};

use broadloom_emulated::{Emulated, Request};
use broadloom_engine::{
    Doorbell, HashAlgorithm, Job, MacAlgorithm, QueueConfig, QueuePair, Session, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;
use rustix::time::{ClockId, clock_gettime};

/// Requests that are outstanding at most.
const OUTSTANDING: usize = 256;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let batch: usize = arguments.first().and_then(|batch| batch.parse().ok()).unwrap_or(16);
    let options: Vec<_> =
        arguments.iter().filter_map(|argument| argument.split_once('=')).collect();
    let device = Emulated::new(&options, vec![Arc::new(Native::new(Cpu::detect()))]);
    let device = match device {
        Ok(device) => device,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    };
    let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
    let mac = Transform::mac(mac, b"key").generate().expect("any key fits");
    for _ in 0..5 {
        measure("raw", &device, || raw(&device, &mac, batch));
        measure("engine", &device, || engine(&device, &mac, batch));
    }
    println!("{}", device.statistics());
}

/// Says how fast it went, and what a request cost the host's processor and the emulation's.
fn measure(what: &str, device: &Emulated, run: impl FnOnce() -> (usize, Duration)) {
    let cpu_time =
        || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("it is not negative");
    let (silicon_before, before) = (device.silicon_cpu_time(), cpu_time());
    let (requests, time) = run();
    let (host, silicon) = (cpu_time() - before, device.silicon_cpu_time() - silicon_before);
    let each = |time: Duration| time.as_secs_f64() * 1e9 / requests as f64;
    println!(
        "{what}: {:.2} million requests of 64 B a second, {:.0} ns each; processor time: \
         host {:.0} ns, silicon {:.0} ns",
        1e3 / each(time),
        each(time),
        each(host),
        each(silicon)
    );
}

/// For a fifth of a second, requests that are made directly, `batch` for a doorbell.
fn raw(device: &Emulated, mac: &Transform, batch: usize) -> (usize, Duration) {
    let session = device.session(mac).expect("there are HMACs");
    let mut instance = device.instance().expect("there is one");
    let text = [7; 64];
    let request = Request::new(&session, &text);
    let (start, mut count) = (Instant::now(), 0);
    while count % 4096 != 0 || start.elapsed() < Duration::from_millis(200) {
        if instance.outstanding() + batch <= OUTSTANDING {
            (0..batch).for_each(|user| assert!(instance.submit(user as u64, &request)));
            instance.doorbell();
            count += batch;
        } else if instance.poll(batch, |response| assert!(response.status.is_ok())) == 0 {
            instance.wait(Duration::from_millis(1));
        }
    }
    let result = (count, start.elapsed());
    while instance.outstanding() > 0 {
        instance.wait(Duration::from_millis(1));
        instance.poll(usize::MAX, |_| {});
    }
    result
}

/// The same through the engine's queue pairs.
fn engine(device: &Emulated, mac: &Transform, batch: usize) -> (usize, Duration) {
    let session = Session::open(Arc::new(device.clone()), mac).expect("there are HMACs");
    let doorbell = Doorbell::Deferred;
    let config = QueueConfig { capacity: OUTSTANDING, doorbell, ..QueueConfig::default() };
    let mut queue = QueuePair::new(config);
    let text = [7; 64];
    let job = || Box::new(Job::new(&session, text.as_slice()));
    let (mut idle, mut burst): (Vec<_>, Vec<_>) =
        ((0..OUTSTANDING).map(|_| job()).collect(), Vec::new());
    let (start, mut count) = (Instant::now(), 0);
    while count % 4096 != 0 || start.elapsed() < Duration::from_millis(200) {
        if idle.len() >= batch {
            burst.extend(idle.drain(idle.len() - batch..));
            count += queue.enqueue(&mut burst);
            queue.ring();
        } else if queue.dequeue(&mut idle, batch) == 0 {
            queue.wait(Duration::from_millis(1));
        }
    }
    let result = (count, start.elapsed());
    assert!(queue.close().iter().all(|job| job.succeeded()));
    result
}
