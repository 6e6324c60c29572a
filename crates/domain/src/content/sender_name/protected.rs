//! Senders that people trust: operators, banks, authorities. Sender names that look like one of them are
//! shown to the deciding administrator. This alone does not reject them.

use std::borrow::Cow;

use crate::content::compliance::{Assessment, Issue, Severity};
use crate::shared::sender::Sender;

/// Matching of a protected name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The sender is that name, or looks like it. For names that are parts of other words.
    Whole,
    /// The name occurs anywhere in the sender.
    Part,
}

/// Trusted party, and the names of its kind.
struct Protected {
    who: &'static str,
    place: Place,
    names: &'static [&'static str],
}

/// Party of generic names.
const NOBODY: &str = "nobody in particular";

const PROTECTED: &[Protected] = &[
    Protected {
        who: "a telecom operator or its mobile money",
        place: Place::Part,
        names: &[
            "MTN",
            "Telecel",
            "Vodafone",
            "AirtelTigo",
            "Airtel",
            "Tigo",
            "Expresso",
            "GloGhana",
            "MoMo",
            "MobileMoney",
            "ATMoney",
            "TCash",
            "VodaCash",
            "GhIPSS",
            "GhQR",
            "eZwich",
            "Hubtel",
        ],
    },
    Protected {
        who: "a telecom operator or its mobile money",
        place: Place::Whole,
        names: &["AT", "Glo", "Cash", "ATGhana"],
    },
    Protected {
        who: "a bank or a payment service",
        place: Place::Part,
        names: &[
            "Bank",
            "Stanbic",
            "Absa",
            "Barclays",
            "StanChart",
            "CalBank",
            "Zenith",
            "Fidelity",
            "GTBank",
            "SocGen",
            "Republic",
            "Prudential",
            "FirstAtlantic",
            "OmniBSIC",
            "Consolidated",
            "Visa",
            "MasterCard",
            "PayPal",
            "WesternUnion",
            "MoneyGram",
            "ExpressPay",
            "Zeepay",
            "Paystack",
        ],
    },
    Protected {
        who: "a bank or a payment service",
        place: Place::Whole,
        names: &[
            "GCB", "UBA", "ADB", "CBG", "NIB", "FBN", "FNB", "BoG", "UMB", "Access", "ARB", "Apex",
        ],
    },
    Protected {
        who: "an authority",
        place: Place::Part,
        names: &[
            "Police",
            "GovGh",
            "Government",
            "Ministry",
            "Parliament",
            "President",
            "JubileeHouse",
            "SSNIT",
            "NHIS",
            "DVLA",
            "GhanaWater",
            "GWCL",
            "Immigration",
            "Passport",
            "Customs",
            "Electoral",
            "GhanaCard",
            "WAEC",
            "Interpol",
            "FireService",
            "Judicial",
            "CyberSec",
            "GhanaArmy",
            "EOCO",
        ],
    },
    Protected {
        who: "an authority",
        place: Place::Whole,
        names: &[
            "GRA", "NIA", "NCA", "ECG", "EC", "GAF", "GHS", "FDA", "GES", "GIS", "NEDCo", "Court",
            "Gov", "Ghana", "BNI", "SSS", "Army", "CID", "NPP", "NDC",
        ],
    },
    Protected {
        who: "a service that many use",
        place: Place::Part,
        names: &[
            "WhatsApp",
            "Facebook",
            "Instagram",
            "Google",
            "Microsoft",
            "TikTok",
            "Netflix",
            "Amazon",
            "Jumia",
            "Telegram",
            "Snapchat",
            "Binance",
        ],
    },
    Protected {
        who: "a service that many use",
        place: Place::Whole,
        names: &["Apple", "Uber", "Bolt", "Yango", "DHL", "FedEx", "Meta"],
    },
    Protected {
        who: NOBODY,
        place: Place::Whole,
        names: &[
            "Info", "Alert", "Alerts", "SMS", "OTP", "Verify", "Code", "Admin", "Support",
            "Security", "Service", "Notice", "Promo", "Winner", "Lottery", "Loan", "Help",
            "Message",
        ],
    },
];

const EXACT: u8 = 80;
const CONTAINED: u8 = 60;
const GENERIC: u8 = 30;
/// Minimum length of a name that still looks the same with another letter.
const SHORTEST_SIMILAR: usize = 5;

/// Assesses the risk of a sender. Numbers carry none.
pub(super) fn assess(sender: &Sender) -> Assessment {
    let mut best: Option<Issue> = None;
    if sender.as_str().contains(|c: char| c.is_ascii_alphabetic()) {
        let shape = shape(sender.as_str());
        for protected in PROTECTED {
            for name in protected.names {
                let issue = likeness(&shape, protected.place, name)
                    .map(|likeness| likeness.issue(sender, protected.who, name));
                best = best.into_iter().chain(issue).max_by_key(|issue| issue.weight);
            }
        }
    }
    let score = best.as_ref().map_or(0, |issue| issue.weight);
    Assessment { score, issues: best.into_iter().collect() }
}

/// Likeness of a sender and a protected name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    Same,
    Similar,
    Contains,
}

fn likeness(shape: &str, place: Place, name: &str) -> Option<Likeness> {
    let protected = self::shape(name);
    if shape == protected {
        Some(Likeness::Same)
    } else if shape.trim_end_matches(['o', 'i', 'z', 'e', 's']) == protected
        || (protected.len() >= SHORTEST_SIMILAR && is_one_edit_away(shape, &protected))
    {
        Some(Likeness::Similar)
    } else if place == Place::Part && shape.contains(&protected) {
        Some(Likeness::Contains)
    } else {
        None
    }
}

impl Likeness {
    fn issue(self, sender: &Sender, who: &str, name: &str) -> Issue {
        let (code, message, weight) = match self {
            _ if who == NOBODY => {
                ("GENERIC_SENDER", format!("{name:?} does not say who writes"), GENERIC)
            }
            Self::Same => ("PROTECTED_SENDER", format!("reads as {name:?}, {who}"), EXACT),
            Self::Similar => ("LOOK_ALIKE_SENDER", format!("looks like {name:?}, {who}"), EXACT),
            Self::Contains => ("PROTECTED_SENDER", format!("contains {name:?}, {who}"), CONTAINED),
        };
        Issue {
            code: Cow::Borrowed(code),
            severity: if weight >= CONTAINED { Severity::High } else { Severity::Medium },
            message: Cow::Owned(message),
            remedy: Cow::Borrowed("use a name that only your organization is known by"),
            found: Some(sender.as_str().to_owned()),
            position: Some(0),
            weight,
        }
    }
}

/// Returns the visual shape of a sender: only letters, look-alikes merged, repetitions removed.
fn shape(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for c in text.chars() {
        let letter = match c.to_ascii_lowercase() {
            '0' => 'o',
            '1' | 'l' | '!' => 'i',
            '2' => 'z',
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            '6' | '9' => 'g',
            '7' | '+' => 't',
            '8' => 'b',
            letter if letter.is_ascii_alphabetic() => letter,
            _ => continue,
        };
        if !shape.ends_with(letter) {
            shape.push(letter);
        }
    }
    shape.replace("vv", "w").replace("rn", "m")
}

/// True if one text becomes the other by adding, removing, changing or swapping a letter.
fn is_one_edit_away(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[start..], &other[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[..one.len() - end], &other[..other.len() - end]);
    match (one, other) {
        ([a, b], [c, d]) => (a, b) == (d, c),
        _ => one.len() <= 1 && other.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assessed(text: &str) -> (u8, Vec<String>) {
        let Assessment { score, issues } = assess(&Sender::stored(text.to_owned()));
        (score, issues.into_iter().map(|issue| issue.code.into_owned()).collect())
    }

    #[test]
    fn notices_protected_names_and_their_lookalikes() {
        for (text, score, code) in [
            ("MTN", EXACT, "PROTECTED_SENDER"),
            ("mtn", EXACT, "PROTECTED_SENDER"),
            ("MTN0", EXACT, "LOOK_ALIKE_SENDER"),
            ("M.T.N", EXACT, "PROTECTED_SENDER"),
            ("M0M0", EXACT, "PROTECTED_SENDER"),
            ("AirteI", EXACT, "PROTECTED_SENDER"),
            ("Telecell", EXACT, "PROTECTED_SENDER"),
            ("Vodafon", EXACT, "LOOK_ALIKE_SENDER"),
            ("Telcel", EXACT, "LOOK_ALIKE_SENDER"),
            ("GRA", EXACT, "PROTECTED_SENDER"),
            ("GR4", EXACT, "PROTECTED_SENDER"),
            ("GhanaPolice", CONTAINED, "PROTECTED_SENDER"),
            ("MTN Promo", CONTAINED, "PROTECTED_SENDER"),
            ("EcoBank GH", CONTAINED, "PROTECTED_SENDER"),
            ("INFO", GENERIC, "GENERIC_SENDER"),
        ] {
            assert_eq!(assessed(text), (score, vec![code.to_owned()]), "{text}");
        }
    }

    #[test]
    fn ignores_names_of_shops_and_numbers() {
        for text in [
            "Kente Ltd",
            "Program",
            "Mania",
            "AdwoaShop",
            "Kasapreko",
            "Melcom",
            "ChopBar",
            "Kofi&Sons",
            "Akwaaba",
            "Sunlight",
            "ECOFARM",
            "Attic",
            "1234",
            "+233241234567",
            "Catering",
            "Graphic",
        ] {
            assert_eq!(assessed(text), (0, vec![]), "{text}");
        }
    }

    #[test]
    fn one_letter_makes_no_difference() {
        for (one, other) in
            [("teicei", "teiecei"), ("vodafne", "vodafone"), ("bnak", "bank"), ("a", "a")]
        {
            assert!(is_one_edit_away(one, other) && is_one_edit_away(other, one), "{one} {other}");
        }
        for (one, other) in [("kente", "bank"), ("teicl", "teiecei"), ("abc", "cba")] {
            assert!(!is_one_edit_away(one, other), "{one} {other}");
        }
    }
}
