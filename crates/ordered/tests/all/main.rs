//! Tests of the map with real threads. What threads share is also tried in all orders by the models
//! under loom.
#![cfg(not(loom))]

mod belt;
mod line;
