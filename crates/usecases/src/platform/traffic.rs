//! Traffic: alerts about codes that do not arrive.

mod alerts;
mod watch;

pub use self::{
    alerts::TrafficAlerts,
    watch::{TrafficWatch, TrafficWatchDeps},
};
