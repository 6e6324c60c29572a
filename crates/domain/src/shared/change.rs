//! Changes of values that may be absent.

/// A change of one value: kept, or set, perhaps to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// As it was.
    #[default]
    Keep,
    /// This from now on; `None` clears it.
    Set(Option<T>),
}

impl<T: Clone> Change<T> {
    /// Makes the change.
    pub fn apply(&self, to: &mut Option<T>) {
        if let Self::Set(value) = self {
            to.clone_from(value);
        }
    }
}
