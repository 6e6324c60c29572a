//! Hash chains: each line includes the hash of the one before it in its own, so that no line can be
//! changed, left out or inserted without a trace.
//!
//! ```
//! use domain::shared::chain::{START, link};
//!
//! assert_eq!(&link(&START, &[Some("ab"), None])[32..], b"2:ab-");
//! ```

/// Hash of a line.
pub type Hash = [u8; 32];

/// Hash that stands before the first line.
pub const START: Hash = [0; 32];

/// Returns the input of a line's hash: the hash of the line before it, and the values of the line.
/// Each value is preceded by its length, so that two never read as one.
pub fn link(previous: &Hash, values: &[Option<&str>]) -> Vec<u8> {
    let mut bytes = previous.to_vec();
    for value in values {
        match value {
            Some(text) => bytes.extend(format!("{}:{text}", text.len()).into_bytes()),
            None => bytes.push(b'-'),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_never_run_into_each_other() {
        let (some, none) = (|text| Some(text), None);
        let linked = link(&START, &[some("ab"), none, some("")]);

        assert_eq!(&linked[32..], b"2:ab-0:");
        for other in [
            [some("a"), some("b"), some("")],
            [some("ab-"), some(""), none],
            [some("ab"), some(""), none],
        ] {
            assert_ne!(link(&START, &other), linked, "{other:?}");
        }
        assert_ne!(link(&[1; 32], &[some("ab"), none, some("")]), linked);
    }
}
