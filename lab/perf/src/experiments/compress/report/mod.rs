//! What `broadloom-perf compress` measured, set beside what source 003 says: tables and findings.

mod beside;
mod findings;
mod key;
pub mod page;
pub mod paper;
#[cfg(test)]
pub mod samples;
mod table;

pub use beside::{Beside, beside};
pub use findings::{findings, findings_grid};
pub use key::Key;
pub use table::table;

use super::topic::Topic;
use crate::report::pass::Pass;
use crate::report::row::Row;

/// The rows of a topic with their passes, in the order in which they come.
pub fn of(rows: &[Row], topic: Topic) -> Vec<(&Row, &Pass)> {
    let passes = rows.iter().filter_map(|row| Some((row, row.pass.as_ref()?)));
    passes.filter(|(_, pass)| pass.figure == topic.name()).collect()
}

/// A sentence about the device of a topic: whether its results were prepared, and how many
/// responses came late. `None` if no row is of a device.
pub fn device_note(rows: &[(&Row, &Pass)]) -> Option<String> {
    let device: Vec<&Pass> =
        rows.iter().map(|(_, pass)| *pass).filter(|pass| pass.prepared.is_some()).collect();
    let prepared = device.iter().filter(|pass| pass.prepared == Some(true)).count();
    let said = match prepared {
        _ if device.is_empty() => return None,
        0 => "The modelled device computed every result while the clock ran".to_owned(),
        all if all == device.len() => {
            "The modelled device's results were prepared before the clock started".to_owned()
        }
        some => {
            format!(
                "In {some} of {} cases the modelled device's results were prepared",
                device.len()
            )
        }
    };
    let sum = |of: fn(&Pass) -> Option<u64>| device.iter().filter_map(|pass| of(pass)).sum::<u64>();
    let (late, responses) = (sum(|pass| pass.late), sum(|pass| pass.responses));
    let percent = 100.0 * late as f64 / responses.max(1) as f64;
    Some(format!(
        "{said}; {late} of {responses} responses ({percent:.2} %) came later than the model has \
         it, as this machine's cores did not keep up."
    ))
}
