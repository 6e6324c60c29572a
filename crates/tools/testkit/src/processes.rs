//! Processes: signals to them, their children and their output.

use std::{
    fs,
    io::{self, BufRead, BufReader},
    process::{Child, ChildStdout, Command},
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

/// Sends a process a signal. Returns false if the process is gone.
pub fn signal(process: u32, signal: &str) -> io::Result<bool> {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).output()?;
    Ok(sent.status.success())
}

/// Returns the children of a process; empty where there is no `/proc`.
pub fn children(parent: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let ids = lists.collect::<Vec<_>>().join(" ");
    ids.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Returns the lines of a process whose output is piped, with their ends.
pub(crate) fn output_lines(process: &mut Child) -> Receiver<String> {
    let (lines, output) = mpsc::channel();
    if let Some(stdout) = process.stdout.take() {
        thread::spawn(move || forward(stdout, &lines));
    }
    output
}

/// Reads lines to the end, also if nobody wants them: a full pipe would stop the process.
fn forward(stdout: ChildStdout, lines: &Sender<String>) {
    let mut stdout = BufReader::new(stdout);
    let mut line = String::new();
    while stdout.read_line(&mut line).is_ok_and(|length| length > 0) {
        let _ = lines.send(std::mem::take(&mut line));
    }
}

/// True if no thread of the process runs; also where the system does not tell.
pub(crate) fn is_paused(id: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else { return true };
    threads.flatten().all(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The name of the thread is in parentheses, and may contain any character.
        stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('T'))
    })
}
