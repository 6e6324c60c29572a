//! Forms: what was written in them, and what is wrong with it.

use domain::shared::fault::Faults;
use usecases::{Error, seconds};

use crate::frame::{Failure, capitalized};
use crate::words::InWords;

/// Sentence about a form that was sent before, and has no result yet.
const IN_PROGRESS: &str = "You sent this before, and it is still being done. Wait a moment, and send it \
                           again: it is done once.";
/// Sentence about a form that was sent before with other fields.
const OTHER_FORM: &str = "You sent this page before, with something else in it. Nothing was done now. If \
                          you want this, too, send it again.";
/// Sentence about a service that has too much to do.
const BUSY: &str = "The service has too much to do at present. Go on in a moment.";

/// Labels of fields by their names. A fault is said with the label: "Email is required".
pub(crate) type Labels = &'static [(&'static str, &'static str)];

/// Option of a list or of a group of choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) label: String,
}

impl Choice {
    pub(crate) fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into() }
    }

    /// Returns an option for each value, with its words. `name` returns what is sent.
    pub(crate) fn of_all<T: InWords + Copy>(
        all: impl IntoIterator<Item = T>,
        name: impl Fn(T) -> &'static str,
    ) -> Vec<Self> {
        all.into_iter().map(|value| Self::new(name(value), value.words().label)).collect()
    }

    /// Returns options after one that stands for no choice.
    pub(crate) fn after(none: &str, options: impl IntoIterator<Item = Self>) -> Vec<Self> {
        [Self::new("", none)].into_iter().chain(options).collect()
    }
}

/// Form as a page shows it. Templates read it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form {
    values: Vec<(String, String)>,
    /// Fields with faults, in the order of the labels; the name of the form as a whole is empty.
    faults: Vec<(String, String)>,
    labels: Labels,
}

impl Form {
    pub(crate) fn new(labels: Labels) -> Self {
        Self { labels, ..Self::default() }
    }

    pub(crate) fn filled(labels: Labels, values: Vec<(String, String)>) -> Self {
        Self { labels, values, faults: Vec::new() }
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.values.push((name.to_owned(), value.into()));
        self
    }

    /// Adds faults: those of fields that the form lacks, and of the request as a whole, belong to the
    /// form as a whole.
    #[must_use]
    pub(crate) fn with_faults(mut self, faults: Faults) -> Self {
        let place = |path: &str| {
            let name = path.split('.').next().unwrap_or_default();
            self.labels.iter().position(|(known, _)| *known == path || *known == name)
        };
        let mut found: Vec<(usize, String, String)> = Vec::new();
        for (path, texts) in faults.fields {
            let place = place(&path);
            let known = place.and_then(|place| self.labels.get(place));
            let (name, label) = match known {
                Some((name, label)) => (*name, (*label).to_owned()),
                None => ("", path),
            };
            for text in texts {
                let text = format!("{label} {text}");
                found.push((place.unwrap_or(usize::MAX), name.to_owned(), text));
            }
        }
        found.sort_by_key(|(place, ..)| *place);
        self.faults.extend(found.into_iter().map(|(_, name, text)| (name, text)));
        self.faults.extend(faults.form.into_iter().map(|text| (String::new(), capitalized(&text))));
        self
    }

    /// Adds what a refusal says. Fails with the refusal if nothing in the form can help.
    pub(crate) fn refused(self, refusal: Error) -> Result<Self, Failure> {
        match refusal {
            Error::Invalid(faults) => Ok(self.with_faults(faults)),
            Error::BadRequest(_)
            | Error::UnknownReference(_)
            | Error::Conflict(_)
            | Error::TooLarge(_)
            | Error::InsufficientBalance(_)
            | Error::SpendingLimitReached(_) => {
                Ok(self.with_fault("", capitalized(&refusal.to_string())))
            }
            Error::InProgress(_) => Ok(self.with_fault("", IN_PROGRESS)),
            Error::Contradiction(_) => Ok(self.with_fault("", OTHER_FORM)),
            // The page that says so would lose what was written.
            Error::RateLimited(wait) => {
                let sentence = format!("Too many requests. Go on in {} seconds.", seconds(wait));
                Ok(self.with_fault("", sentence))
            }
            Error::Overloaded => Ok(self.with_fault("", BUSY)),
            other => Err(other.into()),
        }
    }

    /// Adds a sentence about a field; `""` is the form as a whole.
    #[must_use]
    pub(crate) fn with_fault(mut self, name: &str, sentence: impl Into<String>) -> Self {
        self.faults.push((name.to_owned(), sentence.into()));
        self
    }

    /// Returns the value of a field, `""` if it has none.
    pub(crate) fn value(&self, name: &str) -> &str {
        let value = self.values.iter().find(|(known, _)| known == name);
        value.map_or("", |(_, value)| value)
    }

    /// True if the field has that value among its own.
    pub(crate) fn is_chosen(&self, name: &str, value: &str) -> bool {
        self.values.iter().any(|(known, chosen)| known == name && chosen == value)
    }

    /// Returns the sentences about a field.
    pub(crate) fn faults(&self, name: &str) -> Vec<&str> {
        let of_field = self.faults.iter().filter(|(known, _)| known == name);
        of_field.map(|(_, text)| text.as_str()).collect()
    }

    pub(crate) fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Returns the fields with the sentences about them.
    pub(crate) fn all_faults(&self) -> Vec<(&str, &str)> {
        self.faults.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    const LABELS: Labels = &[("name", "Name"), ("email", "Email")];

    #[test]
    fn faults_name_the_labels_in_their_order() {
        let mut faults = Faults::field("email", "is required");
        faults.add("name", "is too long");
        faults.add("nobody.2", "is unknown");
        faults.merge("", Faults::form("the file is empty"));
        let form = Form::new(LABELS).with_faults(faults);
        assert_eq!(
            form.all_faults(),
            [
                ("name", "Name is too long"),
                ("email", "Email is required"),
                ("", "nobody.2 is unknown"),
                ("", "The file is empty."),
            ]
        );
        assert_eq!(form.faults("email"), ["Email is required"]);
    }

    #[test]
    fn a_form_keeps_what_was_written() {
        let form = Form::new(LABELS).with("tag", "vip").with("tag", "new");
        assert!(form.is_chosen("tag", "new") && !form.is_chosen("tag", "old"));
        assert_eq!((form.value("tag"), form.value("name")), ("vip", ""));
    }
    #[test]
    fn a_form_that_may_be_sent_again_later_keeps_what_was_written() {
        let form = || Form::new(LABELS).with("name", "Ama");
        for later in [Error::RateLimited(TimeDelta::seconds(7)), Error::Overloaded] {
            let form = form().refused(later).unwrap();
            assert!(form.has_faults() && form.value("name") == "Ama");
        }
        let failed = form().refused(Error::Internal("broken".into()));
        assert!(failed.is_err());
    }
}
