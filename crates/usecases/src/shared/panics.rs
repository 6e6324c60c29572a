//! Panics in background work, which continues after them.

use std::any::Any;

use ports::shared::store::StoreError;

/// Returns a panic as a failure of the operation.
pub(crate) fn failure(panic: &(dyn Any + Send)) -> StoreError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    StoreError::Internal(format!("panicked: {}", text.unwrap_or("without a message")).into())
}
