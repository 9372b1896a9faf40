//! The topics of the suite. Each is a function that panics where a provider fails.

mod answers;
mod chains;
mod claims;
pub mod codec;
pub mod compression;
mod data;
mod lengths;
mod lifetimes;
mod mix;
mod monte_carlo;
pub mod public_key;
mod queues;
mod ranges;
mod refusals;
mod streams;
mod tags;

pub(crate) use answers::random_len;
pub use answers::{known_answers, random_jobs, support};
pub use chains::{esp_packets, every_chain, tls_records};
pub use claims::{cavp, wycheproof};
pub use data::{alignments, out_of_place_copies, scattered};
pub use lengths::{large_beside_small, lengths, lengths_in_bits, long_associated_data};
pub use lifetimes::{owned_sessions, reopened_queues, reused_jobs, shared_session};
pub use monte_carlo::monte_carlo;
pub use queues::{bounded_waits, capacity, close_and_drop, doorbell, order, statistics};
pub use ranges::ranges;
pub use refusals::{
    bad_among_good, useless_extras, wrong_blocks, wrong_lengths, wrong_nonces, wrong_ranges,
    wrong_tag_lengths,
};
pub use streams::{misused_streams, streams, streams_together};
pub use tags::{tags, wrong_tags, wrong_tags_of_chains};
