//! Findings about messages after the database was restored to an earlier time.
//!
//! ```
//! use domain::messaging::finding::Finding;
//!
//! let in_doubt = Finding::InDoubt { provider: "hubtel".to_owned() };
//! assert_ne!(in_doubt, Finding::NotSent, "only the latter is sent again");
//! ```

/// Result of the inquiry about a message of which a restored database does not know what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A provider confirmed its delivery.
    Delivered,
    /// It failed for good, and is refunded.
    Failed,
    /// A provider has it, and a report is awaited.
    Sent,
    /// No provider can have it: it is sent when it is due.
    NotSent,
    /// A provider may have it. It is not sent again.
    InDoubt {
        /// Provider that may have it.
        provider: String,
    },
}
