//! Rules that count only together with others: features rare in messages of organizations, and frequent in
//! scams.
//!
//! The syntax of patterns is in [`pattern`](crate::content::compliance::pattern), classes are in
//! `words.txt` and [`forms`](crate::content::compliance::forms).

use super::{
    Evidence::{Contains, Shouted},
    Rule, rule,
};

pub(super) const RULES: &[Rule] = &[
    rule(
        "EASY_MONEY",
        20,
        "promises money for little work",
        "Describe the work, the employer and the pay.",
        Contains(&["<easy-money>", "earn ..4 <money> ..3 <period>"]),
    ),
    rule(
        "WORK_FOR_STRANGERS",
        20,
        "offers easy work and is answered in a private chat",
        "Name the employer and the place of the work.",
        Contains(&["<easy-money> & <mobile>|<chat-link>|<shortener>|<odd-link>|telegram|whatsapp"]),
    ),
    rule(
        "NO_QUESTIONS_ASKED",
        20,
        "offers a loan, a job or a visa without the usual checks",
        "State the conditions.",
        Contains(&["<no-check>"]),
    ),
    rule(
        "GIVEAWAY",
        20,
        "gives something away for nothing",
        "State who gives it, to whom, and the terms.",
        Contains(&["<giveaway>"]),
    ),
    rule(
        "ROMANCE",
        20,
        "sounds like a stranger who courts the recipient",
        "Leave that out.",
        Contains(&["<romance>"]),
    ),
    rule(
        "THREAT",
        15,
        "threatens with a block or with the law",
        "Say what has happened and where to ask.",
        Contains(&["<asset> ..6 <blocked>", "<blocked> ..3 <asset>", "<legal-threat>"]),
    ),
    rule(
        "PRIVATE_NUMBER_OF_AN_INSTITUTION",
        20,
        "speaks for a well-known institution and gives the number of a mobile phone",
        "Give the official number.",
        Contains(&["<big> & <mobile> & !momo"]),
    ),
    rule(
        "PRIVATE_VOICE",
        25,
        "is written as by one private person to another",
        "Write in the name of your organization.",
        Contains(&["<i> & !was|not me", "i <first-person-verb>"]),
    ),
    rule(
        "STRANGER",
        5,
        "speaks of need, codes or a fortune, as a person without work, place or order",
        "Write in the name of your organization.",
        Contains(&[
            "i <first-person-verb> & <send-me>|<secrecy>|<code>|<distress>|<fortune> & !<everyday>",
            "im|ive|iam & <send-me>|<secrecy>|<code>|<distress>|<fortune> & !<everyday>",
        ]),
    ),
    rule(
        "MONEY_DEMANDED",
        10,
        "asks for an amount of money",
        "Say for what it is, and name the account of your organization.",
        Contains(&[
            "<i> & <amount> & !was|not me",
            "i <first-person-verb> & <amount>",
            "<demand> ..4 <amount>",
        ]),
    ),
    rule(
        "MOBILE_NUMBER",
        10,
        "has the number of a mobile phone",
        "Give the number of your office, or a short code.",
        Contains(&["<mobile>"]),
    ),
    rule(
        "PRIVATE_NUMBER",
        15,
        "leads to the number of a mobile phone and not to a place, a person or an order that is known",
        "Say whose number it is, and what it is for.",
        Contains(&["<mobile> & !<everyday>|<leave>|<way-out>"]),
    ),
    rule(
        "PRIVATE_CHAT",
        10,
        "leads to a private chat",
        "Give an address of your own.",
        Contains(&["<chat>", "<chat-link>"]),
    ),
    rule(
        "CONSEQUENCE",
        5,
        "says what happens to those who do not comply",
        "Say until when there is time.",
        Contains(&["<consequence>"]),
    ),
    rule(
        "OFFICER",
        5,
        "speaks of an officer or an agent",
        "Name your organization.",
        Contains(&["<officer>"]),
    ),
    rule(
        "SHORT_LINK",
        10,
        "has a link that hides where it leads",
        "Link to your own domain.",
        Contains(&["<shortener>", "<odd-link>"]),
    ),
    rule(
        "DISGUISED_WORDS",
        20,
        "hides words from whoever checks them",
        "Write words with their own letters.",
        Contains(&["<disguised>", "<mixed>"]),
    ),
    rule(
        "HASTE",
        5,
        "presses the recipient to be quick",
        "Say until when there is time.",
        Contains(&["<haste>"]),
    ),
    rule(
        "SHOUTING",
        10,
        "is written in capitals or with many exclamation marks",
        "Write in small letters.",
        Shouted,
    ),
];
