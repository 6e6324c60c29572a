//! `atumpan doctor`: the diagnosis of an installation.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::Args;
use serde_json::Value;

use crate::{
    config::Source,
    doctor::{self, Finding, Status},
};

#[derive(Debug, Args)]
pub(super) struct DoctorCommand {
    /// Print the findings as a JSON array
    #[arg(long)]
    json: bool,
}

impl DoctorCommand {
    /// Examines the installation and prints the findings. The status is 0 if all is well, 1 after warnings
    /// and 2 after failures.
    pub(super) async fn run(self) -> ExitCode {
        let findings = Box::pin(doctor::examine(Source::of_process())).await;
        let text = if self.json { as_json(&findings) } else { as_text(&findings) };
        // Whoever reads only the beginning closes the pipe.
        let _ = io::stdout().write_all(text.as_bytes());
        match findings.iter().map(|finding| finding.status).max() {
            Some(Status::Fail) => ExitCode::from(2),
            Some(Status::Warn) => ExitCode::from(1),
            _ => ExitCode::SUCCESS,
        }
    }
}

fn as_json(findings: &[Finding]) -> String {
    let findings = Value::Array(findings.iter().map(Finding::to_json).collect());
    format!("{findings:#}\n")
}

/// Writes a line for each finding, with the advice below it if something is to be done.
fn as_text(findings: &[Finding]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for Finding { check, status, message } in findings {
        let _ = writeln!(text, "{status:<8}{:<24}{message}", check.code);
        if *status >= Status::Warn {
            let _ = writeln!(text, "        {}\n        {}", check.remedy, check.link());
        }
    }
    let count = |wanted: Status| findings.iter().filter(|it| it.status == wanted).count();
    let (ok, skipped) = (count(Status::Ok), count(Status::Skipped));
    let (warnings, failures) = (count(Status::Warn), count(Status::Fail));
    let _ = writeln!(text, "{ok} ok, {skipped} skipped, {warnings} warnings, {failures} failures");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_stands_below_what_is_broken_only() {
        let check = doctor::checks()[0];
        let finding = |status| Finding { check, status, message: "so it is".to_owned() };

        let text = as_text(&[finding(Status::Ok), finding(Status::Warn)]);

        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "ok      settings-valid          so it is");
        assert_eq!(lines[1], "warn    settings-valid          so it is");
        assert_eq!(lines[2].trim_start(), check.remedy);
        assert_eq!(lines[3].trim_start(), "docs/operations/doctor.md#settings-valid");
        assert_eq!(lines[4], "1 ok, 0 skipped, 1 warnings, 0 failures");
        assert_eq!(as_json(&[finding(Status::Ok)]).matches("\"code\"").count(), 1);
    }
}
