//! What the server is told of a connection when it starts: settings that hold for as long as the
//! connection does. They travel with the packet that opens it, so they cost no round trip, and nobody
//! changes them later.

use std::time::Duration;

/// What statements are for, which says how long they may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Somebody waits for the answer.
    Requests,
    /// They write in batches, and somebody waits for the answer.
    Writers,
    /// They evaluate rules over all contacts of an organization, and somebody waits for the answer.
    Evaluation,
    /// Nobody waits for them.
    Background,
    /// They take work from a queue, and nobody waits for them.
    Queues,
    /// They may take long, but not for ever.
    Maintenance,
    /// They take as long as they take.
    Migrations,
}

type Setting = (&'static str, &'static str);

/// Compiling a plan takes longer than any statement here.
const SETTINGS: [Setting; 2] = [("idle_in_transaction_session_timeout", "15s"), ("jit", "off")];
/// First rows are read from an index in their order. With figures of an empty table the planner would sort
/// all that waits.
const IN_ORDER: Setting = ("enable_sort", "off");
/// What is wrong is known by the messages of the server, so they should be in English, where that may
/// be asked for.
const ENGLISH: Setting = ("lc_messages", "C");
/// Writers, and whoever takes work from a queue, find every row by its key. Left alone, the planner
/// weighs each batch anew, and reads a whole table for a few hundred rows of it: what it thinks of the
/// table is minutes old, when it has grown many times over. Where it has a choice it goes through an
/// index from end to end instead, so they leave it none: `key = ANY(ARRAY[other.key])` is found by an
/// index, as `key = other.key` is, but cannot be merged, for which an index would be read as a whole.
const BY_KEYS: [Setting; 4] = [
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_material", "off"),
];
/// Writers wait for a lock only for so long as others hold one in passing: one batch has the rows of many
/// organizations, and must not wait for one of them.
const WRITING: [Setting; 2] =
    [("lock_timeout", "200ms"), ("plan_cache_mode", "force_generic_plan")];

/// What fits rules is found by several processes at once, kept in memory and counted: handing it over
/// costs next to nothing beside finding it.
const EVALUATING: [Setting; 2] = [("work_mem", "64MB"), ("parallel_tuple_cost", "0.001")];

impl Purpose {
    /// How long the server lets a statement take.
    pub(crate) fn limit(self) -> Option<Duration> {
        let seconds = match self {
            Self::Requests | Self::Writers | Self::Evaluation => 5,
            Self::Background | Self::Queues => 30,
            Self::Maintenance => 600,
            Self::Migrations => return None,
        };
        Some(Duration::from_secs(seconds))
    }

    /// The start options of its connections. Those that the address of the database brings come last,
    /// so that they win.
    pub(crate) fn options(self, asks_for_english: bool, of_address: Option<&str>) -> String {
        let mut settings = Vec::new();
        if let Some(limit) = self.limit() {
            settings.push(format!("-c statement_timeout={}s", limit.as_secs()));
            settings.extend(SETTINGS.map(option));
        }
        if matches!(self, Self::Writers | Self::Queues) {
            settings.extend(BY_KEYS.map(option));
        }
        if self == Self::Queues {
            settings.push(option(IN_ORDER));
        }
        if self == Self::Writers {
            settings.extend(WRITING.map(option));
        }
        if self == Self::Evaluation {
            settings.extend(EVALUATING.map(option));
        }
        if asks_for_english {
            settings.push(option(ENGLISH));
        }
        settings.extend(of_address.map(str::to_owned));
        settings.join(" ")
    }
}

/// No value has a space or a backslash, so none is escaped.
fn option((name, value): Setting) -> String {
    format!("-c {name}={value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_of_the_address_come_last() {
        let options = Purpose::Background.options(true, Some("-c jit=on"));
        assert_eq!(
            options,
            "-c statement_timeout=30s -c idle_in_transaction_session_timeout=15s -c jit=off \
             -c lc_messages=C -c jit=on"
        );
    }

    #[test]
    fn migrations_have_only_what_the_address_brings() {
        assert_eq!(Purpose::Migrations.options(false, Some("-c work_mem=1GB")), "-c work_mem=1GB");
        assert_eq!(Purpose::Migrations.options(false, None), "");
    }
}
