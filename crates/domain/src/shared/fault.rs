//! Faults of a request, reported all at once.
//!
//! ```
//! use domain::shared::fault::Faults;
//!
//! let mut faults = Faults::default();
//! faults.add("to", "is required");
//! assert_eq!(faults.to_string(), "`to` is required");
//! ```

use std::{collections::BTreeMap, fmt};

/// All faults that were found in a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults {
    /// Faults of single fields: a camelCase path such as `messages.3.to`, and the faults of that
    /// field.
    pub fields: BTreeMap<String, Vec<String>>,
    /// Faults of the request as a whole.
    pub form: Vec<String>,
}

/// Maximum number of fields with faults, and of faults of one field. More would help nobody, and a
/// small request can have any number.
const MAX_REPORTED: usize = 1_000;

impl Faults {
    /// Returns the fault of a single field.
    pub fn field(path: impl Into<String>, fault: impl fmt::Display) -> Self {
        let mut faults = Self::default();
        faults.add(path, fault);
        faults
    }

    /// Returns a fault of the request as a whole.
    pub fn form(fault: impl fmt::Display) -> Self {
        Self { form: vec![fault.to_string()], ..Self::default() }
    }

    /// Adds a fault of a field, unless it is already there or there are too many faults.
    pub fn add(&mut self, path: impl Into<String>, fault: impl fmt::Display) {
        let path = path.into();
        if self.fields.len() >= MAX_REPORTED && !self.fields.contains_key(&path) {
            return;
        }
        let (known, fault) = (self.fields.entry(path).or_default(), fault.to_string());
        if known.len() < MAX_REPORTED && !known.contains(&fault) {
            known.push(fault);
        }
    }

    /// Returns the value of `result`, or adds its fault and returns `None`.
    pub fn take<T, E: fmt::Display>(&mut self, path: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|fault| self.add(path, fault)).ok()
    }

    /// Adds the faults of a part of the request at `path`; `""` is the whole.
    pub fn merge(&mut self, path: &str, part: Self) {
        for (field, faults) in part.fields {
            let field = if path.is_empty() { field } else { format!("{path}.{field}") };
            for fault in faults {
                self.add(field.as_str(), fault);
            }
        }
        for fault in part.form {
            if path.is_empty() {
                self.form.push(fault);
            } else {
                self.add(path, fault);
            }
        }
    }

    /// Like [`merge`](Self::merge), but adds nothing to a field that already has a fault: a value
    /// of the wrong type is not missing as well.
    pub fn merge_new(&mut self, path: &str, mut part: Self) {
        part.fields.retain(|field, _| !self.knows(path, field));
        self.merge(path, part);
    }

    /// True if `field` of the part of the request at `path` has a fault.
    pub fn knows(&self, path: &str, field: &str) -> bool {
        if path.is_empty() {
            self.fields.contains_key(field)
        } else {
            self.fields.contains_key(&format!("{path}.{field}"))
        }
    }

    /// True if faults of further fields are left out.
    pub fn is_full(&self) -> bool {
        self.fields.len() >= MAX_REPORTED
    }

    /// True if there are no faults.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.form.is_empty()
    }

    /// Returns `value`. Fails if there are faults.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }

    /// Returns the value of `made`. Fails with all faults if there were any before or `made`
    /// failed.
    pub fn check<T>(mut self, made: Result<T, Self>) -> Result<T, Self> {
        match made {
            Ok(made) => self.or(made),
            Err(found) => {
                self.merge_new("", found);
                Err(self)
            }
        }
    }

    /// Returns `value`. Fails if there are faults or it is missing; a missing value without a fault
    /// is itself a fault.
    pub fn require<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) => self.or(value),
            None if self.is_empty() => Err(Self::form("is incomplete")),
            None => Err(self),
        }
    }
}

impl fmt::Display for Faults {
    /// Writes one sentence that names the first fault and counts the others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.fields.iter();
        let fields =
            fields.flat_map(|(path, faults)| faults.iter().map(move |fault| (path, fault)));
        let mut all = self
            .form
            .iter()
            .cloned()
            .chain(fields.map(|(path, fault)| format!("`{path}` {fault}")));
        write!(f, "{}", all.next().as_deref().unwrap_or("nothing is wrong"))?;
        match all.count() {
            0 => Ok(()),
            1 => write!(f, " (and 1 more fault)"),
            more => write!(f, " (and {more} more faults)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faults_of_a_part_are_under_its_path() {
        let mut part = Faults::field("to", "is required");
        part.merge("", Faults::form("is empty"));
        let mut whole = Faults::default();

        whole.merge("messages.3", part);

        assert_eq!(whole.fields["messages.3.to"], ["is required"]);
        assert_eq!(whole.fields["messages.3"], ["is empty"]);
        assert!(whole.form.is_empty());
    }

    #[test]
    fn the_same_fault_of_a_field_is_added_once() {
        let mut faults = Faults::field("to", "is required");
        faults.add("to", "is required");
        faults.merge("", Faults::field("to", "is required"));

        assert_eq!(faults.fields["to"], ["is required"]);
    }

    #[test]
    fn the_number_of_faults_is_limited() {
        let mut faults = Faults::default();
        for number in 0..3_000 {
            faults.add(format!("items.{number}"), "is required");
            faults.add("items.0", format!("is wrong in way {number}"));
        }

        assert_eq!(faults.fields.len(), MAX_REPORTED);
        assert_eq!(faults.fields["items.0"].len(), MAX_REPORTED);
        assert!(faults.is_full() && !faults.is_empty());
    }

    #[test]
    fn the_sentence_names_the_first_fault_and_counts_the_others() {
        let mut faults = Faults::field("a", "is required");
        assert_eq!(faults.to_string(), "`a` is required");
        faults.add("b", "is required");
        faults.add("b", "is too long");
        assert_eq!(faults.to_string(), "`a` is required (and 2 more faults)");
    }
}
