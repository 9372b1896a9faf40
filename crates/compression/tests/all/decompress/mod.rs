//! Formats and decompression, tested as their users use them.

mod common;
mod damage;
mod faults;
mod headers;
mod interoperability;
mod listing;
mod members;
mod pieces;
mod providers;
mod scenarios;
