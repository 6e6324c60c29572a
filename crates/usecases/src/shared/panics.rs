//! Panics in work that goes on all the same.

use std::any::Any;

use ports::shared::store::StoreError;

/// A panic, as a failure of what was being done.
pub(crate) fn failure(panic: &(dyn Any + Send)) -> StoreError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    StoreError::Internal(format!("panicked: {}", text.unwrap_or("without a message")).into())
}
