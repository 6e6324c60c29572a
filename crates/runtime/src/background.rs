//! Background work: tasks that are repeated in turns, and one runner for all of them.

mod outages;
mod runner;
mod states;
mod task;

pub use self::{
    outages::Outages,
    runner::Runner,
    states::TaskStates,
    task::{Next, Task, Turn, again_if, again_if_any, then_idle},
};
