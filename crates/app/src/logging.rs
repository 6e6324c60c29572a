//! Structured logs.
//!
//! | variable | default |
//! |---|---|
//! | `ATUMPAN_LOG` | `text`, or `json` for one object per line |
//! | `RUST_LOG` | `info,actix_server=warn`: levels, per target if one is named |

mod fields;

use std::{
    io::{self, IsTerminal},
    panic::{self, PanicHookInfo},
    sync::OnceLock,
};

use tracing::Level;
use tracing_subscriber::{
    field::MakeExt,
    filter::Targets,
    fmt::{self, format::debug_fn},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use self::fields::write_field;
use crate::supervisor::panic_text;

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Text for people.
    #[default]
    Text,
    /// JSON for programs.
    Json,
}

/// Format of log lines, once it is known.
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// Reports why the process ends, in the format of the rest of its output.
pub fn report(error: &str) {
    match FORMAT.get() {
        Some(LogFormat::Json) => tracing::error!(error, "atumpan ends with an error"),
        Some(LogFormat::Text) | None => eprintln!("atumpan: {error}"),
    }
}

/// Logs a panic. Without this hook it would be printed in lines that are not JSON.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let text = panic_text(panic.payload());
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(panic = text, place, "a thread panicked");
}

/// Writes logs to standard error from now on. Later calls change nothing.
pub fn start(format: LogFormat) {
    if FORMAT.set(format).is_ok() && format == LogFormat::Json {
        panic::set_hook(Box::new(log_panic));
    }
    let wanted = std::env::var("RUST_LOG").ok().filter(|wanted| !wanted.is_empty());
    let wanted = wanted.map(|wanted| (wanted.parse::<Targets>(), wanted));
    let (filter, refused) = match wanted {
        None => (None, None),
        Some((Ok(filter), _)) => (Some(filter), None),
        Some((Err(error), wanted)) => (None, Some((error, wanted))),
    };
    let filter = filter.unwrap_or_else(|| {
        Targets::new().with_default(Level::INFO).with_target("actix_server", Level::WARN)
    });
    let registry = tracing_subscriber::registry().with(filter);
    // A second subscriber is refused, and the first one stays, as intended.
    let _ = match format {
        LogFormat::Text => {
            let is_terminal = io::stderr().is_terminal();
            let layer = fmt::layer().with_ansi(is_terminal).with_writer(io::stderr);
            registry.with(layer.fmt_fields(debug_fn(write_field).delimited(" "))).try_init()
        }
        LogFormat::Json => registry
            .with(
                fmt::layer()
                    .json()
                    .flatten_event(true)
                    .with_current_span(false)
                    .with_span_list(true)
                    .with_writer(io::stderr),
            )
            .try_init(),
    };
    if let Some((error, wanted)) = refused {
        tracing::warn!(%error, wanted, "RUST_LOG cannot be read: the usual lines are logged");
    }
}
