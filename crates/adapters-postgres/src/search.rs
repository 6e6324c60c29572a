//! Texts that somebody looks for.

/// The pattern of `ILIKE` for texts that contain `text`, in which nothing has a meaning of its own.
pub(crate) fn pattern(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_is_meant_literally() {
        assert_eq!(pattern(r"50%_\"), r"%50\%\_\\%");
    }
}
