//! Export of everything that an organization has, for its move to another system.
//!
//! ```
//! use domain::platform::organization_export::{ExportedList, ExportedRow};
//!
//! let list = ExportedList::SegmentMembers;
//! let row = ExportedRow::parse(list, r#"{"contactId": "b", "segmentId": "a"}"#).unwrap();
//! assert_eq!(list.csv_header() + &row.csv_line(), "segmentId,contactId\r\na,b\r\n");
//! ```

mod columns;

use serde_json::{Map, Value};
use thiserror::Error;

use crate::shared::csv::{self, Cell};

crate::closed_list! {
    /// Lists of an export. Each is a file of its name, as JSON Lines and as CSV.
    pub enum ExportedList {
        /// The organization, its profile and its settings: one row.
        Organization = "organization",
        /// Members with their roles.
        Members = "members",
        /// API keys, without what authenticates them.
        ApiKeys = "api-keys",
        /// Sender names.
        SenderNames = "sender-names",
        /// Contacts with tags, attributes and consent.
        Contacts = "contacts",
        /// Addresses that are not written to.
        Suppressions = "suppressions",
        /// Segments with their rules.
        Segments = "segments",
        /// Contacts of the segments that are lists.
        SegmentMembers = "segment-members",
        /// Templates.
        Templates = "templates",
        /// All versions of templates.
        TemplateVersions = "template-versions",
        /// Requests for approval, and the decisions.
        Approvals = "approvals",
        /// Events with their texts, channels and fallbacks.
        Events = "events",
        /// Campaigns with their content and audience.
        Campaigns = "campaigns",
        /// Contacts whom a campaign passed over.
        CampaignSkips = "campaign-skips",
        /// Messages of the log, with their attempts.
        Messages = "messages",
        /// Counts of messages by day, also of months that left the log.
        DailyFigures = "daily-figures",
        /// Balance of the wallet, and its limits.
        Wallet = "wallet",
        /// Movements of the wallet.
        Ledger = "ledger",
        /// Top-ups.
        TopUps = "top-ups",
        /// Invoices and statements.
        Invoices = "invoices",
        /// Webhook endpoints, without their secrets.
        WebhookEndpoints = "webhook-endpoints",
        /// Deliveries to the endpoints.
        WebhookDeliveries = "webhook-deliveries",
        /// Imports of contacts, with their results.
        Imports = "imports",
        /// Audit log.
        AuditLog = "audit-log",
    }
    impl Display;
}

impl ExportedList {
    /// Returns the names of its columns, in their order.
    pub const fn columns(self) -> &'static [&'static str] {
        columns::of(self)
    }

    /// Returns the first line of its CSV, with the names of the columns.
    pub fn csv_header(self) -> String {
        let mut text = String::new();
        csv::push_line(&mut text, self.columns().iter().copied());
        text
    }
}

/// Row of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedRow {
    list: ExportedList,
    values: Map<String, Value>,
}

/// Error in a row.
#[derive(Debug, Error)]
pub enum UnreadableRow {
    /// It is no JSON object.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It has other fields than its list has columns.
    #[error("the fields of a row of {0} are not the columns of the list")]
    Columns(ExportedList),
}

impl ExportedRow {
    /// Reads a row from a JSON object, whose fields must be the columns of the list.
    pub fn parse(list: ExportedList, object: &str) -> Result<Self, UnreadableRow> {
        let values: Map<String, Value> = serde_json::from_str(object)?;
        let columns = list.columns();
        let has_all = columns.iter().all(|column| values.contains_key(*column));
        if !has_all || values.len() != columns.len() {
            return Err(UnreadableRow::Columns(list));
        }
        Ok(Self { list, values })
    }

    /// Returns the list to which the row belongs.
    pub const fn list(&self) -> ExportedList {
        self.list
    }

    /// Returns the value of a column.
    pub fn value(&self, column: &str) -> &Value {
        self.values.get(column).unwrap_or(&Value::Null)
    }

    /// Returns the row as a line of JSON, with all columns in their order.
    pub fn json_line(&self) -> String {
        let mut line = String::from("{");
        for (place, column) in self.list.columns().iter().enumerate() {
            if place > 0 {
                line.push(',');
            }
            line.push_str(&Value::from(*column).to_string());
            line.push(':');
            line.push_str(&self.value(column).to_string());
        }
        line.push_str("}\n");
        line
    }

    /// Returns the row as a line of CSV. Lists and objects are JSON in their cell.
    pub fn csv_line(&self) -> String {
        let mut line = String::new();
        let columns = self.list.columns().iter();
        csv::push_cells(&mut line, columns.map(|column| cell(self.value(column))));
        line
    }
}

fn cell(value: &Value) -> Cell<'_> {
    match value {
        Value::Null => Cell::Text("".into()),
        Value::String(text) => Cell::Text(text.into()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Cell::Plain(value.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(list: ExportedList, object: &str) -> Result<ExportedRow, UnreadableRow> {
        ExportedRow::parse(list, object)
    }

    #[test]
    fn a_row_has_all_columns_in_the_order_of_its_list() {
        let object = r#"{"amount": -0.035, "contraAccount": "a,b", "createdAt": null, "id": "a",
            "kind": null, "messages": 2, "reference": "=1+1", "sequence": 7}"#;
        let row = row(ExportedList::Ledger, object).unwrap();

        let json = r#"{"id":"a","sequence":7,"kind":null,"amount":-0.035,"messages":2,"#;
        assert!(row.json_line().starts_with(json), "{}", row.json_line());
        assert!(row.json_line().ends_with("}\n"));
        assert_eq!(row.csv_line(), "a,7,,-0.035,2,'=1+1,\"a,b\",\r\n");
        let header = "id,sequence,kind,amount,messages,reference,contraAccount,createdAt\r\n";
        assert_eq!(ExportedList::Ledger.csv_header(), header);
    }

    #[test]
    fn a_row_with_another_field_or_without_one_is_refused() {
        for object in [
            r#"{"segmentId": "a", "contactId": "b", "secret": "hush"}"#,
            r#"{"segmentId": "a", "secret": "hush"}"#,
            r#"{"segmentId": "a"}"#,
            "[]",
        ] {
            assert!(row(ExportedList::SegmentMembers, object).is_err(), "{object}");
        }
    }

    #[test]
    fn a_list_is_one_cell() {
        let object = r#"{"segmentId": ["a", "b"], "contactId": true}"#;
        let row = row(ExportedList::SegmentMembers, object).unwrap();

        assert_eq!(row.csv_line(), "\"[\"\"a\"\",\"\"b\"\"]\",true\r\n");
    }

    #[test]
    fn no_column_holds_what_authenticates() {
        for list in ExportedList::ALL {
            for column in list.columns() {
                let name = column.to_lowercase();
                let is_secret = ["secret", "hash", "password", "token", "totp", "lease"]
                    .iter()
                    .any(|word| name.contains(word));
                assert!(!is_secret, "{list}: {column}");
            }
        }
    }
}
