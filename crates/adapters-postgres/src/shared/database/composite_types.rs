//! Composite types of a database.

use std::collections::HashMap;

use ports::shared::store::StoreError;

/// Numbers that the server gave to the composite types of a database.
pub(crate) struct CompositeTypes(HashMap<String, i64>);

impl CompositeTypes {
    /// Creates a table of types from their names and numbers.
    pub(crate) fn new(numbered: impl Iterator<Item = (String, i64)>) -> Self {
        Self(numbered.collect())
    }

    /// Returns the number of a type.
    pub(crate) fn number(&self, name: &str) -> Result<u32, StoreError> {
        let number = self.0.get(name).and_then(|number| u32::try_from(*number).ok());
        number.ok_or_else(|| {
            StoreError::Internal(format!("the database has no type `{name}`").into())
        })
    }
}
