//! Columns of rows that are bound to a statement.

/// Returns a value of each row.
pub(crate) fn column<T: Copy, V>(rows: &[T], value: impl Fn(T) -> V) -> Vec<V> {
    rows.iter().copied().map(value).collect()
}
