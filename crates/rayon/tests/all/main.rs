//! Many jobs, or one long text, on a rayon pool.

#[allow(dead_code, reason = "the tests of the engine use the rest")]
#[path = "../../../engine/tests/all/common.rs"]
mod common;

mod pool;
mod split;

use rayon::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("there are threads")
}
