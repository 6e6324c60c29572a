//! Conversion of a goal to a sentence for the reader: `remind patients of their visit` becomes
//! `This is a reminder about your visit.`

use super::{
    phrases::{self, Table, end_of},
    pieces::{ENDS, Piece, capitalised, join, split, tidy},
};
use crate::shared::category::Category;

/// Words of goals that describe a message instead of its content.
const ORDERS: &[&str] = &[
    "please write",
    "please create",
    "please generate",
    "please draft",
    "write",
    "create",
    "generate",
    "draft",
    "compose",
    "make",
    "prepare",
    "send",
];
/// Names of messages, and their adjectives.
const NAMES: &[&str] = &[
    "a",
    "an",
    "the",
    "short",
    "brief",
    "quick",
    "friendly",
    "polite",
    "formal",
    "professional",
    "urgent",
    "simple",
    "nice",
    "warm",
    "sms",
    "text",
    "whatsapp",
    "push",
    "email",
    "mail",
    "voice",
    "message",
    "notification",
    "notice",
    "note",
    "announcement",
];
/// Words between the message and its purpose.
const LEADS: &[&str] = &["that", "to", "which", "for"];
/// Words between the audience and the content.
const LINKS: &[&str] = &["that", "about", "of", "on", "to", "for", "not"];
/// Maximum and usual number of words of the audience in a goal, with the following link.
const LONGEST_AUDIENCE: usize = 8;
const USUAL_AUDIENCE: usize = 4;
/// Words after the verb that address the reader. Such a goal is already a text.
const PRONOUNS: &[&str] = &["us", "me", "you", "your"];

/// Replacements that address the audience directly.
const SPOKEN_TO: &Table = &[
    ("they're", "you're"),
    ("they", "you"),
    ("them", "you"),
    ("theirs", "yours"),
    ("their", "your"),
    ("themselves", "yourself"),
];

/// Forms of a verb, and the beginnings of the message by the link that follows. A beginning without a link
/// precedes the words after the verb itself.
struct Verb {
    forms: &'static [&'static str],
    beginnings: &'static [(&'static str, &'static str)],
}

/// Default verb, for goals such as `a message to customers about the sale`.
static INFORM: Verb = Verb {
    forms: &[
        "tell",
        "tells",
        "telling",
        "inform",
        "informs",
        "informing",
        "notify",
        "notifies",
        "notifying",
        "update",
        "updating",
    ],
    beginnings: &[
        ("that", ""),
        ("to", "Please "),
        ("not", "Please do not "),
        ("about", "We have news about "),
        ("of", "We have news about "),
        ("on", "We have news about "),
    ],
};

static VERBS: &[Verb] = &[
    Verb { forms: &["say", "says", "saying"], beginnings: &[("that", ""), ("", "")] },
    Verb { forms: &["about"], beginnings: &[("", "We have news about ")] },
    Verb {
        forms: &["remind", "reminds", "reminding", "reminder"],
        beginnings: &[
            ("that", "This is a reminder that "),
            ("to", "Please remember to "),
            ("not", "Please remember not to "),
            ("about", "This is a reminder about "),
            ("of", "This is a reminder about "),
            ("on", "This is a reminder about "),
            ("for", "This is a reminder about "),
        ],
    },
    Verb {
        forms: &["ask", "asks", "asking", "encourage", "encouraging", "request", "requesting"],
        beginnings: &[
            ("to", "Please "),
            ("not", "Please do not "),
            ("for", "We ask you for "),
            ("about", "We have a question about "),
            ("that", "We ask that "),
        ],
    },
    Verb {
        forms: &["invite", "invites", "inviting"],
        beginnings: &[("to", "You are invited to "), ("for", "You are invited for ")],
    },
    Verb {
        forms: &["thank", "thanks", "thanking"],
        beginnings: &[("for", "Thank you for "), ("that", "Thank you that ")],
    },
    Verb { forms: &["welcome", "welcomes", "welcoming"], beginnings: &[("to", "Welcome to ")] },
    Verb {
        forms: &["congratulate", "congratulating"],
        beginnings: &[("on", "Congratulations on "), ("for", "Congratulations on ")],
    },
    Verb {
        forms: &["apologise", "apologize", "apologising", "apologizing"],
        beginnings: &[("for", "We apologise for "), ("that", "We apologise that ")],
    },
    Verb {
        forms: &["warn", "warns", "warning", "alert", "alerting"],
        beginnings: &[
            ("that", "Please be aware that "),
            ("about", "Please be aware of "),
            ("of", "Please be aware of "),
            ("not", "Please do not "),
        ],
    },
    Verb {
        forms: &["confirm", "confirms", "confirming"],
        beginnings: &[("that", "We confirm that "), ("", "This confirms ")],
    },
    Verb {
        forms: &["announce", "announces", "announcing"],
        beginnings: &[("that", ""), ("", "We are pleased to announce ")],
    },
    Verb {
        forms: &["promote", "promotes", "promoting", "advertise", "advertising"],
        beginnings: &[("", "Discover ")],
    },
];

/// Returns the content of the message, with a mark at its end.
pub(super) fn sentences(goal: &str, category: Category) -> String {
    let pieces = split(&tidy(goal));
    let sentence = sentence(&pieces).unwrap_or_else(|| as_it_is(&join(&pieces), category));
    let sentence = tidy(&sentence);
    if sentence.ends_with(|c| ENDS.contains(c)) { sentence } else { format!("{sentence}.") }
}

/// Returns the verb of a goal, and the start of its object. Skips beginnings such as
/// `Write a short SMS to`.
fn verb(pieces: &[Piece]) -> Option<(&'static Verb, usize)> {
    let Some(mut at) = ORDERS.iter().find_map(|order| end_of(pieces, 0, order)) else {
        return verb_at(pieces, 0);
    };
    loop {
        let next = after_space(pieces, at);
        if let Some(found) = verb_at(pieces, next) {
            return Some(found);
        }
        if let Some(end) = NAMES.iter().find_map(|name| end_of(pieces, next, name)) {
            at = end;
            continue;
        }
        let end = LEADS.iter().find_map(|lead| end_of(pieces, next, lead))?;
        let behind = after_space(pieces, end);
        return verb_at(pieces, behind).or(Some((&INFORM, behind)));
    }
}

fn verb_at(pieces: &[Piece], at: usize) -> Option<(&'static Verb, usize)> {
    VERBS.iter().chain([&INFORM]).find_map(|verb| {
        let end = verb.forms.iter().find_map(|form| end_of(pieces, at, form))?;
        // A word before a colon is no verb: `Reminder: …`.
        matches!(pieces.get(end), Some(Piece::Space(_))).then_some((verb, end + 1))
    })
}

fn after_space(pieces: &[Piece], at: usize) -> usize {
    if matches!(pieces.get(at), Some(Piece::Space(_))) { at + 1 } else { at }
}

/// Returns the sentence for a goal with a known verb.
fn sentence(pieces: &[Piece]) -> Option<String> {
    let (verb, object) = verb(pieces)?;
    if PRONOUNS.iter().any(|pronoun| end_of(pieces, object, pronoun).is_some()) {
        return None;
    }
    let beginning = |link: &str| {
        verb.beginnings.iter().find(|(known, _)| *known == link).map(|(_, beginning)| *beginning)
    };
    let linked = link(pieces, object)
        .and_then(|(link, behind)| Some((beginning(link)?, join(pieces.get(behind..)?))));
    let (beginning, rest) = match linked {
        Some(linked) => linked,
        None => (beginning("")?, join(pieces.get(object..)?)),
    };
    let rest = phrases::replace(rest.trim(), SPOKEN_TO);
    if rest.is_empty() {
        return None;
    }
    Some(if beginning.is_empty() { capitalised(&rest) } else { format!("{beginning}{rest}") })
}

/// Returns the first link after the audience, and the start of the words after it.
fn link(pieces: &[Piece], from: usize) -> Option<(&'static str, usize)> {
    let mut words = 0;
    for at in from..pieces.len() {
        if pieces[at].is_mark_of(ENDS) || words > LONGEST_AUDIENCE {
            return None;
        }
        if !pieces[at].is_word() {
            continue;
        }
        words += 1;
        let found = LINKS.iter().find(|link| end_of(pieces, at, link).is_some());
        // Later links other than `that` belong to something else.
        if let Some(link) = found.filter(|link| words <= USUAL_AUDIENCE || **link == "that") {
            let behind = after_space(pieces, at + 1);
            let to = end_of(pieces, behind, "to").filter(|_| *link == "not");
            return Some((link, to.map_or(behind, |end| after_space(pieces, end))));
        }
    }
    None
}

/// Returns a goal that is already a text.
fn as_it_is(goal: &str, category: Category) -> String {
    match category {
        Category::Reminder => format!("Reminder: {goal}"),
        Category::Alert => format!("Alert: {goal}"),
        _ => capitalised(goal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_becomes_a_sentence_for_the_reader() {
        for (goal, sentence) in [
            (
                "Remind patients about their appointment tomorrow",
                "This is a reminder about your appointment tomorrow.",
            ),
            (
                "Write a short SMS to remind customers that they have to pay by {{date}}",
                "This is a reminder that you have to pay by {{date}}.",
            ),
            ("Tell parents that school closes early on Friday.", "School closes early on Friday."),
            ("ask all members to renew their membership", "Please renew your membership."),
            ("Invite customers to our shop in Osu", "You are invited to our shop in Osu."),
            ("Thank donors for their gift", "Thank you for your gift."),
            (
                "Announce the new branch in Kumasi",
                "We are pleased to announce the new branch in Kumasi.",
            ),
            ("Promote 20% off all kente", "Discover 20% off all kente."),
            ("Warn drivers not to use the N1", "Please do not use the N1."),
            ("Confirm the order {{order}}", "This confirms the order {{order}}."),
            ("Your parcel is ready", "Your parcel is ready."),
            ("write a message telling customers that we moved", "We moved."),
            ("Create an announcement about the sale", "We have news about the sale."),
            ("Draft an SMS to customers about the sale", "We have news about the sale."),
            ("Write a text that says we are closed", "We are closed."),
            ("Reminder: pay your fees to the bursar", "Reminder: pay your fees to the bursar."),
            ("Tell us what you think of our shop", "Tell us what you think of our shop."),
        ] {
            assert_eq!(sentences(goal, Category::Transactional), sentence);
        }
    }

    #[test]
    fn a_goal_that_is_a_text_says_what_it_is() {
        assert_eq!(
            sentences("rent is due on Friday", Category::Reminder),
            "Reminder: rent is due on Friday."
        );
        assert_eq!(sentences("flood at Circle!", Category::Alert), "Alert: flood at Circle!");
    }
}
