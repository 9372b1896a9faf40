//! Draws the charts of the book from the CSV files in its folder.
//!
//! ```sh
//! cargo run --release -p broadloom-perf --example charts -- docs/performance
//! ```

use std::error::Error;
use std::path::PathBuf;

use broadloom_perf::report::book;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder that has runs.csv")?;
    let folder = PathBuf::from(folder);
    for (name, text) in book::pictures(&folder)? {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{}", file.display());
    }
    Ok(())
}
