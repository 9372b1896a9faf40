//! Serves the page with the figures of a program that does not exist, to look at it and to check
//! it.
//!
//! ```sh
//! cargo run -p broadloom-metrics --features page --example page -- 127.0.0.1:9090
//! ```
//!
//! A second argument makes the program's time pass so many times faster.

use std::env;
use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};

use broadloom_metrics::page::{Options, serve_from};

#[path = "../tests/support/sample.rs"]
mod sample;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let address = args.next().unwrap_or("127.0.0.1:9090".to_owned());
    let speed: f64 = args.next().map_or(Ok(1.0), |speed| speed.parse())?;
    let start = Instant::now();
    let period = Duration::from_secs(1).div_f64(speed);
    let options = Options { period, ..Options::default() };
    let page = serve_from(address, options, move || {
        sample::at(10.0 + start.elapsed().as_secs_f64() * speed)
    })?;
    println!("{}", page.url());
    loop {
        thread::park();
    }
}
