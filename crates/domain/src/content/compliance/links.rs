//! Links, and their suspicious features.

mod hosts;

use std::ops::Range;

use self::hosts::{BAIT, CHATS, ENDINGS, FREE_PAGES, NAMES, ODD_ENDINGS, SHORTENERS, WORDS};
use super::{forms, vocabulary::Classes};

/// Finds the link in `text`, which has no spaces.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    if let Some(scheme) = text.find("://") {
        let start = text[..scheme].trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
        return (scheme > start).then_some(start..text.len());
    }
    if !text.is_ascii() {
        return None;
    }
    let (host, _) = text.split_at(text.find(['/', '?', '#']).unwrap_or(text.len()));
    let start = host.trim_end_matches(is_of_host).len();
    let host = host[start..].split(':').next()?;
    if host.starts_with('.') || host.contains("..") || text[..start].ends_with('@') {
        return None;
    }
    let (rest, ending) = host.rsplit_once('.')?;
    let is_name = rest.chars().any(|c| c.is_ascii_alphabetic()) && !is_spelled(rest);
    let has_path = text[start + host.len()..].len() > 1;
    let is_known = ENDINGS.contains(&ending) || ODD_ENDINGS.contains(&ending);
    let is_address = is_ip(host) && has_path;
    // "day.today" is more likely two sentences than a host.
    let is_sure = has_path
        || host.starts_with("www.")
        || rest.contains(['.', '-'])
        || !WORDS.contains(&ending);
    (is_address || (is_known && is_name && is_sure)).then_some(start..text.len())
}

/// True if single letters stand between dots, as in `p.i.n`.
fn is_spelled(host: &str) -> bool {
    host.split('.').all(|label| label.len() == 1) && host.contains('.')
}

/// True if `text` is a mail address.
pub(super) fn is_email(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let Some((rest, ending)) = host.rsplit_once('.') else { return false };
    !name.is_empty()
        && !rest.is_empty()
        && ending.len() >= 2
        && ending.bytes().all(|it| it.is_ascii_alphabetic())
}

const fn is_of_host(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':')
}

/// Returns the classes of a link.
pub(super) fn classes(link: &str) -> Classes {
    let after_scheme = link.split_once("://").map_or(link, |(_, rest)| rest);
    let end = after_scheme.find(['/', '?', '#']).unwrap_or(after_scheme.len());
    let (authority, path) = after_scheme.split_at(end);
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let host = host.split(':').next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let mut classes = forms::LINK;
    if user.is_some()
        || is_ip(host)
        || host.starts_with("xn--")
        || host.contains(".xn--")
        || !host.is_ascii()
    {
        classes |= forms::RAW_LINK;
    }
    if is_under(host, SHORTENERS) {
        classes |= forms::SHORTENER;
    }
    if is_under(host, CHATS) {
        classes |= forms::CHAT_LINK;
    }
    let ending = host.rsplit('.').next().unwrap_or_default();
    if ODD_ENDINGS.contains(&ending) || is_under(host, FREE_PAGES) {
        classes |= forms::ODD_LINK;
    }
    if is_false(host) {
        classes |= forms::FALSE_LINK;
    }
    let file = path.split(['?', '#']).next().unwrap_or_default();
    if matches!(file.rsplit_once('.'), Some((_, "apk" | "exe"))) {
        classes |= forms::FILE_LINK;
    }
    if is_way_out(path) {
        classes |= forms::WAY_OUT;
    }
    classes
}

/// Number of letters and digits in the code of a short unsubscribe link.
const UNSUBSCRIBE_CODE: usize = 13;

/// True if the path is that of an unsubscribe page.
fn is_way_out(path: &str) -> bool {
    let is_code = |text: &str| {
        text.len() == UNSUBSCRIBE_CODE && text.bytes().all(|it| it.is_ascii_alphanumeric())
    };
    path.contains("/unsubscribe") || path.strip_prefix("/u/").is_some_and(is_code)
}

/// True if a host borrows the name of another organization, or has an enticing word in a compound name.
fn is_false(host: &str) -> bool {
    let labels = || host.split(['.', '-']);
    let borrowed = NAMES.iter().any(|(name, homes)| {
        let is_named = if name.len() > 4 {
            host.contains(name)
        } else {
            labels().any(|label| {
                label == *name
                    || label
                        .strip_prefix(name)
                        .is_some_and(|rest| is_bait(rest) || rest == "gh" || rest == "ghana")
            })
        };
        is_named && !is_under(host, homes) && !is_authority(host)
    });
    let compound = host.contains('-') && labels().filter(|label| is_bait(label)).count() >= 1;
    borrowed || (compound && !is_authority(host))
}

/// True if the host has an ending reserved for authorities and schools.
fn is_authority(host: &str) -> bool {
    [".gov.gh", ".edu.gh", ".mil.gh", ".gov.uk", ".gov"].iter().any(|ending| host.ends_with(ending))
}

fn is_bait(label: &str) -> bool {
    BAIT.contains(&label)
}

/// True if `host` is one of `hosts` or below one.
fn is_under(host: &str, hosts: &[&str]) -> bool {
    hosts
        .iter()
        .any(|it| host.strip_suffix(it).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

fn is_ip(host: &str) -> bool {
    host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_with_and_without_a_scheme() {
        for text in [
            "https://gra.gov.gh/pay",
            "bit.ly/3xYz",
            "www.mtn.com.gh",
            "momo-bonus.xyz",
            "10.0.0.1/x",
            "kasapreko.com",
        ] {
            assert!(find(text).is_some(), "{text}");
        }
        for text in
            ["p.i.n", "now.click", "e.g", "3.50", "ama@example.com", "10.0.0.1", "done.thanks"]
        {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn classifies_suspicious_links_by_their_host() {
        let all = forms::SHORTENER
            | forms::ODD_LINK
            | forms::FALSE_LINK
            | forms::RAW_LINK
            | forms::CHAT_LINK;
        for (link, expected) in [
            ("https://mtn.com.gh/offers", 0),
            ("https://www.gcbbank.com.gh", 0),
            ("https://payments.gov.gh", 0),
            ("bit.ly/x", forms::SHORTENER),
            ("wa.me/233241234567", forms::CHAT_LINK),
            ("http://41.66.1.2/login", forms::RAW_LINK),
            ("https://mtn.com.gh@evil.net/", forms::RAW_LINK),
            ("mtn-promo.xyz", forms::ODD_LINK | forms::FALSE_LINK),
            ("ecobank-verify.com", forms::FALSE_LINK),
            ("https://kasapreko.com/e-shop", 0),
        ] {
            assert_eq!(classes(link) & all, expected, "{link}");
        }
    }
}
