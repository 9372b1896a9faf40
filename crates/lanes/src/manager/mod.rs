//! Managers: typed jobs in, complete jobs out, over a scheduler that fills lanes.

mod contracts;
mod either;
mod groups;
mod in_order;
mod loan;
mod out_of_order;
mod plan;
mod planner;
mod window;

pub use contracts::{Job, Lanes, Source, Ticket};
pub use either::Manager;
pub use groups::Groups;
pub use in_order::InOrder;
pub use loan::Loan;
pub use out_of_order::OutOfOrder;
pub use planner::{Gathering, Planner};
pub use window::STREAM_DEPTH;
