//! Table that is printed.

/// Table of figures, each beside its baseline.
pub(crate) struct Table {
    rows: Vec<Row>,
    /// Processor time of one transaction of pgbench, in microseconds: see [`crate::baseline`].
    pub(crate) transaction: f64,
}

/// Row as it is printed.
struct Row {
    /// Name, figure, baseline and ratio.
    cells: [String; 4],
    /// Figure of the bare program, and the ratio to it; empty if it has none.
    ceiling: [String; 2],
    goal: String,
}

/// Target of a figure.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    AtLeast(f64),
    AtMost(f64),
    None,
}

impl Table {
    /// Returns an empty table for figures beside the processor time of a transaction of pgbench.
    pub(crate) const fn beside(transaction: f64) -> Self {
        Self { rows: Vec::new(), transaction }
    }

    /// Adds a figure, its baseline, and their ratio.
    pub(crate) fn compare(&mut self, row: &str, unit: &str, figures: (f64, f64), goal: Goal) {
        let (measured, baseline) = figures;
        let ratio = measured / baseline;
        let texts = (write(measured, unit), write(baseline, unit));
        let cells = [row.to_owned(), texts.0, texts.1, format!("{ratio:.2}")];
        self.rows.push(Row {
            cells,
            ceiling: [String::new(), String::new()],
            goal: goal.verdict(ratio),
        });
    }

    /// Adds a figure without a baseline.
    pub(crate) fn tell(&mut self, row: &str, unit: &str, measured: f64, goal: Goal) {
        let measured_text = write(measured, unit);
        let cells = [row.to_owned(), measured_text, String::new(), String::new()];
        self.rows.push(Row {
            cells,
            ceiling: [String::new(), String::new()],
            goal: goal.verdict(measured),
        });
    }

    /// Adds to the last row the same figure of the bare program, and the ratio of the row to it.
    pub(crate) fn beside_ceiling(&mut self, unit: &str, (measured, ceiling): (f64, f64)) {
        if let Some(row) = self.rows.last_mut() {
            row.ceiling = [write(ceiling, unit), format!("{:.2}", measured / ceiling)];
        }
    }

    /// Prints all rows. Without a figure of the bare program there are no columns for it.
    pub(crate) fn print(&self) {
        let head = Row {
            cells: ["", "measured", "baseline", "ratio"].map(str::to_owned),
            ceiling: ["ceiling", "× ceiling"].map(str::to_owned),
            goal: "goal".to_owned(),
        };
        let has_ceiling = self.rows.iter().any(|row| row.ceiling.iter().any(|it| !it.is_empty()));
        let rows = || std::iter::once(&head).chain(&self.rows);
        let columns = head.cells(has_ceiling).len();
        let width =
            |column: usize| rows().map(|row| row.cells(has_ceiling)[column].chars().count()).max();
        let widths: Vec<usize> =
            (0..columns).map(|column| width(column).unwrap_or_default()).collect();
        for row in rows() {
            let cells = row.cells(has_ceiling);
            let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            println!("{}  {}", padded.collect::<Vec<_>>().join("  "), row.goal);
        }
    }
}

impl Row {
    fn cells(&self, has_ceiling: bool) -> Vec<&str> {
        let ceiling = self.ceiling.iter().filter(|_| has_ceiling);
        self.cells.iter().chain(ceiling).map(String::as_str).collect()
    }
}

impl Goal {
    fn verdict(self, figure: f64) -> String {
        let (sign, goal, is_met) = match self {
            Self::AtLeast(goal) => ('≥', goal, figure >= goal),
            Self::AtMost(goal) => ('≤', goal, figure <= goal),
            Self::None => return String::new(),
        };
        format!("{sign} {goal}{}", if is_met { "" } else { "  missed" })
    }
}

fn write(figure: f64, unit: &str) -> String {
    if figure >= 100.0 { format!("{figure:.0} {unit}") } else { format!("{figure:.2} {unit}") }
}

/// Converts a count to a figure.
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2⁵²")]
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}
