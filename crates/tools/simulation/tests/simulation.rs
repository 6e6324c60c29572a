//! Tests of many worlds, and of their ability to find defects.

use std::ops::Range;

use simulation::{
    defects::Defect,
    many::{Summary, run_seeds},
    options::RunOptions,
    run::run,
};
use testkit::is_long;

/// Number of worlds, in short and whole.
const WORLDS: [u64; 2] = [100, 1_000];

const USUAL: RunOptions =
    RunOptions { is_printed: false, is_quiet: false, crashes_after: None, defect: None };

/// Asserts that no run failed, or shows how to replay a failed one.
fn assert_none_failed(summary: &Summary) {
    let told = summary.failed.iter().map(|finding| {
        let seed = finding.seed;
        format!("just simulate --seed {seed} --trace\n    {}\n", finding.violations.join("\n    "))
    });
    let told: String = told.collect();
    assert!(summary.failed.is_empty(), "promises were broken; replay with\n{told}");
}

#[test]
fn no_promise_is_broken_in_many_worlds() {
    let worlds = WORLDS[usize::from(is_long())];
    let summary = run_seeds(0..worlds, USUAL);

    assert_none_failed(&summary);
    assert_eq!(summary.seeds, worlds);
    // A minimum of each per world; with less, little could have gone wrong.
    let messages = u64::try_from(summary.messages).unwrap();
    assert!(messages > 10 * worlds, "{messages} messages");
    let tally = summary.tally;
    assert!(tally.losses > worlds && tally.store_failures > 10 * worlds, "{tally:?}");
    assert!(tally.reports > 5 * worlds && tally.doubled > worlds / 10, "{tally:?}");
}

#[test]
fn a_seed_takes_the_same_steps_each_time() {
    for seed in 0..20 {
        let first = run(seed, USUAL);
        assert_eq!(run(seed, USUAL), first, "seed {seed}");
        assert!(first.steps > 1_000, "seed {seed}: {first:?}");
    }
    assert_ne!(run(0, USUAL).hash, run(1, USUAL).hash);
}

#[test]
fn a_process_may_crash_at_every_moment() {
    let quiet = RunOptions { is_quiet: true, ..USUAL };
    let polls = run(7, quiet).first_polls;
    assert!(polls > 300, "{polls} polls");

    // The short form tries moments all over the world.
    let stride = if is_long() { 1 } else { 5 };
    for crashes_after in (1..=polls).step_by(stride) {
        let options = RunOptions { crashes_after: Some(crashes_after), ..quiet };
        let finding = run(7, options);
        assert!(finding.violations.is_empty(), "after {crashes_after} polls: {finding:?}");
        assert!(finding.tally.losses > 0, "after {crashes_after} polls nothing crashed");
    }
}

/// Returns the first seed in which a defect shows, with the violations.
fn found(defect: Defect, seeds: Range<u64>) -> Option<(u64, Vec<String>)> {
    let options = RunOptions { defect: Some(defect), ..USUAL };
    let mut findings = seeds.map(|seed| run(seed, options));
    let finding = findings.find(|finding| !finding.violations.is_empty())?;
    Some((finding.seed, finding.violations))
}

#[test]
fn finds_a_store_or_process_that_breaks_a_promise() {
    // The first seeds reveal only defects that show at once.
    for (defect, seeds) in [
        (Defect::LeasesUnchecked, 50..200),
        (Defect::RefundsTwice, 0..20),
        (Defect::AcceptanceLost, 0..20),
        (Defect::LeasesTrusted, 110..300),
    ] {
        let (seed, violations) = found(defect, seeds.clone()).unwrap_or_default();
        println!("{defect:?}: seed {seed}, {violations:?}");
        assert!(!violations.is_empty(), "{defect:?} does not show in the seeds {seeds:?}");
    }
}
