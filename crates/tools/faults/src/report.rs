//! Table that is printed.

use std::time::Duration;

use crate::audit::Findings;

const COLUMNS: usize = 10;
const HEAD: [&str; COLUMNS] = [
    "fault",
    "rounds",
    "accepted",
    "lost",
    "doubled",
    "explained",
    "books",
    "seconds to recover",
    "MB",
    "",
];

/// Results of a fault.
pub(crate) struct Row {
    pub(crate) rounds: usize,
    pub(crate) findings: Findings,
    pub(crate) recovery: Duration,
    /// Longest permitted recovery.
    pub(crate) limit: Duration,
    /// Largest memory of an instance, in MB.
    pub(crate) memory: u64,
    pub(crate) memory_limit: u64,
}

/// Row of the table: a fault, and its outcome.
pub(crate) struct Line {
    pub(crate) fault: String,
    pub(crate) outcome: Outcome,
}

/// Outcome of a fault.
pub(crate) enum Outcome {
    Measured(Row),
    /// This machine lacks something.
    Skipped(String),
    NotMeasured(String),
}

impl Row {
    /// Merges two rows.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            rounds: self.rounds + other.rounds,
            findings: self.findings.and(other.findings),
            recovery: self.recovery.max(other.recovery),
            memory: self.memory.max(other.memory),
            ..self
        }
    }

    /// Returns all problems.
    fn problems(&self) -> Vec<String> {
        let mut problems = self.findings.problems.clone();
        if self.findings.accepted == 0 {
            problems.push("nothing was accepted".to_owned());
        }
        if self.recovery > self.limit {
            let (recovery, limit) = (self.recovery, self.limit);
            problems.push(format!("recovered after {recovery:.1?}, later than {limit:?}"));
        }
        if self.memory > self.memory_limit {
            problems.push(format!("held {} MB, more than {}", self.memory, self.memory_limit));
        }
        problems
    }

    fn cells(&self, fault: &str) -> [String; COLUMNS] {
        let findings = &self.findings;
        let (recovery, limit) = (self.recovery.as_secs_f64(), self.limit.as_secs());
        [
            fault.to_owned(),
            self.rounds.to_string(),
            findings.accepted.to_string(),
            findings.lost.to_string(),
            findings.doubled.to_string(),
            findings.explained.to_string(),
            if findings.are_books_exact { "exact" } else { "wrong" }.to_owned(),
            format!("{recovery:.2} ≤ {limit}"),
            format!("{} ≤ {}", self.memory, self.memory_limit),
            if self.problems().is_empty() { "" } else { "missed" }.to_owned(),
        ]
    }
}

impl Line {
    pub(crate) fn is_good(&self) -> bool {
        match &self.outcome {
            Outcome::Measured(row) => row.problems().is_empty(),
            Outcome::Skipped(_) => true,
            Outcome::NotMeasured(_) => false,
        }
    }

    fn notes(&self) -> Vec<String> {
        match &self.outcome {
            Outcome::Measured(row) => row.problems(),
            Outcome::Skipped(why) => vec![format!("skipped: {why}")],
            Outcome::NotMeasured(why) => vec![format!("not measured: {why}")],
        }
    }
}

/// Prints all rows, and below them the problems.
pub(crate) fn print(lines: &[Line]) {
    let mut rows = vec![HEAD.map(str::to_owned)];
    for line in lines {
        if let Outcome::Measured(row) = &line.outcome {
            rows.push(row.cells(&line.fault));
        }
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<_> = (0..COLUMNS).map(|column| width(column).unwrap_or_default()).collect();
    for row in &rows {
        let (name, figures) = (format!("{:<width$}", row[0], width = widths[0]), &row[1..]);
        let figures = figures.iter().zip(&widths[1..]);
        let cells = figures.map(|(figure, width)| format!("{figure:>width$}"));
        println!(
            "{}",
            std::iter::once(name).chain(cells).collect::<Vec<_>>().join("  ").trim_end()
        );
    }
    for line in lines {
        for note in line.notes() {
            println!("{}: {note}", line.fault);
        }
    }
}
