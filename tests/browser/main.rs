//! Tests of the dashboard in a real browser, as people use it: with a mouse, with the keyboard alone, and
//! without scripts. A test that only needs HTTP is in `acceptance`.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

mod axe;
mod browser;
mod developer_journeys;
mod elements;
mod examiner;
mod impersonation_journey;
mod journeys;
mod keyboard;
mod keyboard_journey;
mod observations;
mod page_checks;
mod pages;
mod payment_journey;
mod population;
mod review_journey;
mod screen;
mod stage;
mod steps;
mod team_journey;
