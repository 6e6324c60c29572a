//! Changes of optional values.
//!
//! ```
//! use domain::shared::change::Change;
//!
//! let mut name = Some("Ama");
//! Change::Keep.apply(&mut name);
//! assert_eq!(name, Some("Ama"));
//! Change::Set(None).apply(&mut name);
//! assert_eq!(name, None);
//! ```

/// Change of one value: kept, or set, possibly to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// The value stays as it is.
    #[default]
    Keep,
    /// New value; `None` clears it.
    Set(Option<T>),
}

impl<T> Change<T> {
    /// Returns the value after the change of `present`.
    pub fn of(self, present: Option<T>) -> Option<T> {
        match self {
            Self::Keep => present,
            Self::Set(value) => value,
        }
    }
}

impl<T: Clone> Change<T> {
    /// Applies the change.
    pub fn apply(&self, to: &mut Option<T>) {
        if let Self::Set(value) = self {
            to.clone_from(value);
        }
    }
}
