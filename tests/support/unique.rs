//! Values that no two tests of this binary share.

use std::sync::atomic::{AtomicU32, Ordering};

use uuid::Uuid;

static NUMBERS: AtomicU32 = AtomicU32::new(0);

/// Returns an unregistered email address that begins with that name.
pub fn unique_email(name: &str) -> String {
    format!("{name}{}@example.com", next_number())
}

/// Returns a new random identifier.
pub fn unique_id() -> String {
    Uuid::new_v4().to_string()
}

pub(crate) fn next_number() -> u32 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}
