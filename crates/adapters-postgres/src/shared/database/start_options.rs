//! Start options of connections: settings that hold for the lifetime of the connection. They travel
//! with the packet that opens it, so they cost no round trip, and nothing changes them later.

use std::time::Duration;

/// Purpose of statements, which decides how long they may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A caller waits for the answer.
    Requests,
    /// Batch writes whose callers wait for the answer.
    Writers,
    /// Evaluations of rules over all contacts of an organization, whose callers wait for the
    /// answer.
    Evaluation,
    /// Nobody waits for the answer.
    Background,
    /// Work taken from a queue; nobody waits for the answer.
    Queues,
    /// Long statements, with a limit.
    Maintenance,
    /// Statements without a limit.
    Migrations,
}

type Setting = (&'static str, &'static str);

/// Compiling a plan takes longer than any statement here.
const SETTINGS: [Setting; 2] = [("idle_in_transaction_session_timeout", "15s"), ("jit", "off")];
/// First rows are read from an index in their order. With the statistics of an empty table the
/// planner would sort all waiting rows.
const IN_ORDER: Setting = ("enable_sort", "off");
/// Errors are recognized by the messages of the server, so they are requested in English, where
/// that is allowed.
const ENGLISH: Setting = ("lc_messages", "C");
/// Writers, and workers on a queue, find every row by its key. Otherwise the planner replans each
/// batch, and reads a whole table for a few hundred rows of it: its statistics are minutes old,
/// when the table has grown many times over. Where it has a choice it scans an index from end to
/// end instead, so they leave it none: `key = ANY(ARRAY[other.key])` is found by an index, as `key
/// = other.key` is, but cannot be merge-joined, for which an index would be read as a whole.
const BY_KEYS: [Setting; 4] = [
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_material", "off"),
];
/// Writers wait for a lock only as long as transactions normally hold one: a batch has the rows of
/// many organizations, and must not wait for one of them.
const WRITING: [Setting; 2] =
    [("lock_timeout", "200ms"), ("plan_cache_mode", "force_generic_plan")];

/// Rows that match rules are found by several processes at once, kept in memory and counted:
/// transferring them costs next to nothing compared with finding them.
const EVALUATING: [Setting; 2] = [("work_mem", "64MB"), ("parallel_tuple_cost", "0.001")];

impl Purpose {
    /// Returns the server's limit for a statement.
    pub(crate) fn limit(self) -> Option<Duration> {
        let seconds = match self {
            Self::Requests | Self::Writers | Self::Evaluation => 5,
            Self::Background | Self::Queues => 30,
            Self::Maintenance => 600,
            Self::Migrations => return None,
        };
        Some(Duration::from_secs(seconds))
    }

    /// Returns the start options of its connections. Those in the address of the database come
    /// last, so that they win.
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
    fn migrations_use_only_the_options_of_the_address() {
        assert_eq!(Purpose::Migrations.options(false, Some("-c work_mem=1GB")), "-c work_mem=1GB");
        assert_eq!(Purpose::Migrations.options(false, None), "");
    }
}
