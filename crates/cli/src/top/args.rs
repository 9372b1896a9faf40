//! The command line of `broadloom top`.

use std::time::Duration;

use broadloom_metrics::breakdown::{Dimension, Filter};
use clap::Args;

/// Show what a program does with Broadloom while it runs
///
/// Shows operations, bytes and errors a second, how full the lanes are, jobs that wait, and how
/// long batches wait and take, broken down by the algorithm, direction, provider, kernel, core,
/// queue, size of the buffers or label.
#[derive(Args)]
#[command(
    args_override_self = true,
    after_help = "\
Keys: up and down choose a row, Enter breaks it down further, Backspace goes back, Tab or 1 to 8 \
choose what rows are broken down by, s sorts by the next column, r reverses the order, p pauses, \
? shows the keys, q ends.\n\
Without TARGET, the command takes the only program that offers its counters, or lists them.\n\
Colours are left out if NO_COLOR is set. BROADLOOM_METRICS_TOKEN is the token of a URL that does \
not contain one.\n\
Exit status: 0 if all went well, 1 if the program cannot be reached, 2 for a wrong command line."
)]
pub struct TopArgs {
    /// The number of a process, the path of a socket, or the URL of a page
    #[arg(value_name = "PID|SOCKET|URL")]
    pub target: Option<String>,

    /// Print the figures of one interval, and end
    #[arg(short, long)]
    pub once: bool,

    /// With --once: print JSON
    #[arg(long, requires = "once")]
    pub json: bool,

    /// Seconds between two readings, 0.1 to 3600
    #[arg(short, long, value_name = "SECONDS", default_value = "1", value_parser = interval)]
    pub interval: Duration,

    /// Break work down by KEY: algorithm, direction, provider, kernel, core, queue, size or label
    #[arg(long, value_name = "KEY", default_value = "algorithm")]
    pub by: Dimension,

    /// Show only work whose KEY has this VALUE, such as size=1K; may be given again
    #[arg(long, value_name = "KEY=VALUE")]
    pub only: Vec<Filter>,
}

/// Reads an interval.
fn interval(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    let seconds = seconds.filter(|seconds| (0.1..=3600.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or("an interval is 0.1 to 3600 seconds".to_owned())
}
