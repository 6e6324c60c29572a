//! The names of operations in client libraries.

/// Keyword of an operation that names its method, such as `messages.sendBulk`.
pub(super) const KEYWORD: &str = "x-method";

/// Returns the name of an operation's method: the area, and the identifier without the area's noun
/// behind its verb. `listApiKeys` of `API keys` is `apiKeys.list`.
pub(super) fn name(area: &str, id: &str) -> String {
    let noun: Vec<_> = area.split([' ', '-']).map(str::to_lowercase).collect();
    let words = words(id);
    let (verb, rest) = words.split_first().map_or(("", &[][..]), |(verb, rest)| (*verb, rest));
    let names_area = rest.len() >= noun.len()
        && noun.iter().zip(rest).all(|(a, b)| singular(a) == singular(&b.to_lowercase()));
    let rest = if names_area { &rest[noun.len()..] } else { rest };
    format!("{}.{verb}{}", camel_case(&noun), rest.concat())
}

/// Returns the words of a name in camel case.
fn words(id: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    for (at, character) in id.char_indices().skip(1) {
        if character.is_ascii_uppercase() {
            words.push(&id[start..at]);
            start = at;
        }
    }
    words.push(&id[start..]);
    words
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

fn camel_case(words: &[String]) -> String {
    let mut name = String::new();
    for word in words {
        let mut characters = word.chars();
        match characters.next() {
            Some(first) if !name.is_empty() => name.extend(first.to_uppercase()),
            first => name.extend(first),
        }
        name.push_str(characters.as_str());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_named_after_its_area_and_its_verb() {
        for (area, id, method) in [
            ("API keys", "listApiKeys", "apiKeys.list"),
            ("API keys", "revokeApiKey", "apiKeys.revoke"),
            ("Messages", "sendMessage", "messages.send"),
            ("Messages", "sendBulk", "messages.sendBulk"),
            ("Webhooks", "rotateWebhookSecret", "webhooks.rotateSecret"),
            ("Analytics", "getAnalyticsOverview", "analytics.getOverview"),
            ("Imports", "listContactImports", "imports.listContactImports"),
            ("Top-ups", "topUp", "topUps.topUp"),
            ("Unsubscribe", "unsubscribe", "unsubscribe.unsubscribe"),
        ] {
            assert_eq!(name(area, id), method);
        }
    }
}
