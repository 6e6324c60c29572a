//! The forms that vendors post to us.

use domain::callback::Callback;

/// The fields of a body of the type `application/x-www-form-urlencoded`.
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a callback's body. What is no form has fields without any sense.
    pub(crate) fn of(callback: &Callback) -> Self {
        Self(form_urlencoded::parse(&callback.body).into_owned().collect())
    }

    /// The fields in their order.
    pub(crate) fn fields(&self) -> &[(String, String)] {
        &self.0
    }

    /// A field's value, which may be empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(known, _)| known == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// A field's value, unless it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|value| !value.is_empty())
    }
}
