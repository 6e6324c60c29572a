//! Imports as JSON, for webhooks.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::{Import, UndoStatus};
use crate::shared::id::Id;

impl Import {
    /// Returns the public fields of an import, with the kind of its rows, which in the API follows
    /// from the address.
    pub fn to_json(&self) -> Value {
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
        json!({
            "id": self.id.uuid(),
            "kind": self.kind.as_str(),
            "status": self.status.as_str(),
            "totalRows": self.total_rows,
            "created": self.created,
            "updated": self.updated,
            "failed": self.failed,
            "fixedLines": self.fixed_lines,
            "fileName": self.file_name,
            "consentSource": self.consent_source,
            "sameAs": self.same_as.map(Id::uuid),
            "undoStatus": self.undo_status.map(UndoStatus::as_str),
            "undone": self.undone,
            "undoneAt": self.undone_at.map(time),
            "createdAt": time(self.created_at),
            "completedAt": self.completed_at.map(time),
        })
    }
}
