//! Changes of the tags of many contacts.

use std::collections::HashSet;

use crate::{
    audience::contact::{MAX_TAG, MAX_TAGS},
    shared::{
        fault::Faults,
        text::{self, fold},
    },
};

/// Change of the tags of each contact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagChange {
    /// Tags that each contact has afterwards.
    pub add: Vec<String>,
    /// Tags that no contact has afterwards, in any case.
    pub remove: Vec<String>,
}

/// Change of tags as it came in, unchecked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagChangeRequest {
    /// See [`TagChange::add`].
    pub add: Vec<String>,
    /// See [`TagChange::remove`].
    pub remove: Vec<String>,
}

impl TagChangeRequest {
    /// Returns the change. Fails with every fault of the request.
    pub fn change(&self) -> Result<TagChange, Faults> {
        let mut faults = Faults::default();
        if self.add.is_empty() && self.remove.is_empty() {
            faults.add("add", "is required without `remove`");
        }
        let add = checked("add", &self.add, &mut faults);
        let remove = checked("remove", &self.remove, &mut faults);
        let removed: HashSet<_> = remove.iter().map(|tag| fold(tag)).collect();
        if add.iter().any(|tag| removed.contains(&fold(tag))) {
            faults.add("add", "must not have a tag that is removed");
        }
        faults.or(TagChange { add, remove })
    }
}

impl TagChange {
    /// Returns the tags of a contact after the change; `None` if they stay as they are, also because
    /// they would be more than [`MAX_TAGS`].
    pub fn apply(&self, tags: &[String]) -> Option<Vec<String>> {
        let removed: HashSet<_> = self.remove.iter().map(|tag| fold(tag)).collect();
        let mut changed = tags.to_vec();
        changed.retain(|tag| !removed.contains(&fold(tag)));
        let mut known: HashSet<_> = changed.iter().map(|tag| fold(tag)).collect();
        for tag in &self.add {
            if known.insert(fold(tag)) {
                changed.push(tag.clone());
            }
        }
        let is_changed = changed != tags;
        (is_changed && changed.len() <= MAX_TAGS).then_some(changed)
    }
}

/// Checks the tags of a field. Returns them without those that repeat an earlier one in any case.
fn checked(path: &str, tags: &[String], faults: &mut Faults) -> Vec<String> {
    if tags.len() > MAX_TAGS {
        faults.add(path, format!("must be at most {MAX_TAGS}"));
    }
    let (mut known, mut distinct) = (HashSet::new(), Vec::new());
    for (index, tag) in tags.iter().enumerate() {
        let checked = faults.take(&format!("{path}.{index}"), text::line(tag, MAX_TAG));
        if let Some(tag) = checked
            && known.insert(fold(&tag))
        {
            distinct.push(tag);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(tags: &[&str]) -> Vec<String> {
        tags.iter().map(ToString::to_string).collect()
    }

    fn change(add: &[&str], remove: &[&str]) -> Result<TagChange, Faults> {
        TagChangeRequest { add: tags(add), remove: tags(remove) }.change()
    }

    #[test]
    fn tags_are_added_and_removed_in_any_case() {
        let change = change(&["Gold", "gold", "VIP"], &[" trial "]).unwrap();

        let changed = change.apply(&tags(&["vip", "Trial", "Accra"]));

        assert_eq!(changed, Some(tags(&["vip", "Accra", "Gold"])));
        assert_eq!(change.apply(&tags(&["vip", "Gold"])), None);
    }

    #[test]
    fn a_contact_whose_tags_would_be_too_many_keeps_its_own() {
        let full: Vec<_> = (0..MAX_TAGS).map(|number| number.to_string()).collect();

        assert_eq!(change(&["gold"], &[]).unwrap().apply(&full), None);
        assert!(change(&["gold"], &["0"]).unwrap().apply(&full).is_some());
    }

    #[test]
    fn a_change_names_tags_and_contradicts_itself_in_none() {
        let faults = |add: &[&str], remove: &[&str]| {
            change(add, remove).unwrap_err().fields.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(faults(&[], &[]), ["add"]);
        assert_eq!(faults(&["Gold"], &["gold"]), ["add"]);
        assert_eq!(faults(&["a", " "], &["b\nc"]), ["add.1", "remove.0"]);
        let many: Vec<_> = (0..=MAX_TAGS).map(|number| number.to_string()).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        assert_eq!(faults(&many, &[]), ["add"]);
    }
}
