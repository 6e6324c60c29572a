//! Charts: figures by day, drawn as SVG, with a table of the same figures below.
//!
//! A drawing is stretched to the width of its container, so text stands beside it and keeps its size.
//! Classes give the colours. A page prints a chart as `{{ chart }}`.

mod line;
mod plot;
mod stacked_bars;

pub(crate) use self::{
    line::Line,
    plot::{Day, Series},
    stacked_bars::StackedBars,
};
