//! The command `atumpan`.

use std::process::ExitCode;

use app::{command_line::CommandLine, logging};
use clap::Parser;
use mimalloc::MiMalloc;

/// Requests are allocated on one thread and freed on another. The system allocator keeps memory
/// freed like that, up to ten times of what is in use.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    match Box::pin(CommandLine::parse().run()).await {
        Ok(status) => status,
        Err(error) => {
            logging::report(&chain(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

/// Formats an error with its causes, each once.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.dedup_by(|cause, effect| effect.ends_with(cause.as_str()));
    texts.join(": ")
}
