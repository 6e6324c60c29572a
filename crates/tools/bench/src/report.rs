//! Table that is printed.

/// Table of figures, each beside its baseline.
pub(crate) struct Table {
    rows: Vec<[String; 5]>,
    /// Processor time of one transaction of pgbench, in microseconds: see [`crate::baseline`].
    pub(crate) transaction: f64,
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
        self.rows.push([
            row.to_owned(),
            texts.0,
            texts.1,
            format!("{ratio:.2}"),
            goal.verdict(ratio),
        ]);
    }

    /// Adds a figure without a baseline.
    pub(crate) fn tell(&mut self, row: &str, unit: &str, measured: f64, goal: Goal) {
        let measured_text = write(measured, unit);
        let row = row.to_owned();
        self.rows.push([row, measured_text, String::new(), String::new(), goal.verdict(measured)]);
    }

    /// Prints all rows.
    pub(crate) fn print(&self) {
        let head = ["", "measured", "baseline", "ratio", "goal"].map(str::to_owned);
        let rows = || std::iter::once(&head).chain(&self.rows);
        let width = |column: usize| rows().map(|row| row[column].chars().count()).max();
        let widths: Vec<usize> = (0..5).map(|column| width(column).unwrap_or_default()).collect();
        for row in rows() {
            let [name, measured, baseline, ratio, goal] = row;
            let (a, b, c, d) = (widths[0], widths[1], widths[2], widths[3]);
            println!("{name:<a$}  {measured:>b$}  {baseline:>c$}  {ratio:>d$}  {goal}");
        }
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
