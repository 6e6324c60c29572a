//! Structured logs.
//!
//! | variable | default |
//! |---|---|
//! | `ATUMPAN_LOG` | `text`, or `json` for one object a line |
//! | `RUST_LOG` | `info,actix_server=warn`: levels, by target where one is named |

use std::io::{self, IsTerminal};

use tracing::Level;

use tracing_subscriber::{filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// Writes logs to standard error from now on. Later calls change nothing.
pub fn start(format: LogFormat) {
    let wanted = std::env::var("RUST_LOG").ok().and_then(|wanted| wanted.parse::<Targets>().ok());
    let filter = wanted.unwrap_or_else(|| {
        Targets::new().with_default(Level::INFO).with_target("actix_server", Level::WARN)
    });
    let registry = tracing_subscriber::registry().with(filter);
    // A second subscriber is refused, which is right: the first one goes on.
    let _ = match format {
        LogFormat::Text => {
            let is_terminal = io::stderr().is_terminal();
            registry.with(fmt::layer().with_ansi(is_terminal).with_writer(io::stderr)).try_init()
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
}
