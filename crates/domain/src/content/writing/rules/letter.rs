//! Composition of a new text: salutation, sentences from the goal, placeholders, and sender.

use super::{
    goal,
    pieces::{Piece, capitalised, join, split},
};
use crate::{
    content::writing::{Generation, Style, WrittenText},
    shared::{category::Category, channel::Channel, placeholder},
};

/// Purpose of a placeholder, derived from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Name of the reader.
    Name,
    /// Code to enter.
    Code,
    /// Validity of the code, in minutes.
    Minutes,
    /// Link to further information.
    Link,
    /// Number to call.
    Phone,
    /// Name of the sender.
    Sender,
    /// Link to unsubscribe.
    Unsubscribe,
    /// Detail that is shown with its label.
    Detail,
}

const NAMES: &[&str] = &[
    "name",
    "firstname",
    "lastname",
    "fullname",
    "customername",
    "clientname",
    "patientname",
    "membername",
    "studentname",
    "recipientname",
    "contactname",
    "username",
    "customer",
];
const SENDERS: &[&str] = &[
    "company",
    "companyname",
    "business",
    "businessname",
    "organization",
    "organisation",
    "organizationname",
    "brand",
    "sender",
    "shop",
    "school",
    "clinic",
    "bank",
];
const CODES: &[&str] = &["code", "otp", "pin", "passcode", "verificationcode", "token"];
const MINUTES: &[&str] = &["minutes", "expiry", "expiresin", "validity"];
const PHONES: &[&str] = &["phone", "telephone", "hotline", "supportphone"];
const LINKS: &[&str] = &["link", "url", "website", "site"];

/// First words that continue the sentence after a salutation, in lower case.
const CONTINUING: &[&str] = &[
    "this",
    "we",
    "please",
    "you",
    "your",
    "thank",
    "congratulations",
    "discover",
    "reminder",
    "our",
    "the",
];
/// The longest subject, in characters.
const MAX_SUBJECT: usize = 60;
const GIVEN_CODE: &str = "Do not share it with anyone.";

/// Writes the requested text.
pub(super) fn write(wanted: &Generation, style: Style) -> WrittenText {
    let channel = wanted.constraints.channel;
    let core = core(wanted);
    let parts = Parts::of(wanted, &core);
    let subject = matches!(channel, Some(Channel::Email | Channel::Push)).then(|| subject(&core));
    let is_mail = channel == Some(Channel::Email);
    let long = compose(&core, &parts, style, is_mail, labelled);
    let is_long = long.chars().count() > wanted.constraints.max_characters();
    let message = if is_long { compose(&core, &parts, style, is_mail, bare) } else { long };
    WrittenText { subject, message }
}

/// Placeholders that the core of the text lacks.
struct Parts<'a>(Vec<(Part, &'a str)>);

impl<'a> Parts<'a> {
    fn of(wanted: &'a Generation, core: &str) -> Self {
        let used = placeholder::names(core);
        let variables = wanted.variables.iter().map(String::as_str);
        let rest = variables.filter(|name| !used.contains(name));
        Self(rest.map(|name| (part(name), name)).collect())
    }

    fn are(&self, part: Part) -> impl Iterator<Item = String> {
        let meant = self.0.iter().filter(move |(it, _)| *it == part);
        meant.map(|(_, name)| braced(name))
    }
}

fn braced(name: &str) -> String {
    format!("{{{{{name}}}}}")
}

fn part(name: &str) -> Part {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    let plain = plain.as_str();
    if plain == "unsubscribe" {
        Part::Unsubscribe
    } else if NAMES.contains(&plain) {
        Part::Name
    } else if SENDERS.contains(&plain) {
        Part::Sender
    } else if CODES.contains(&plain) {
        Part::Code
    } else if MINUTES.contains(&plain) {
        Part::Minutes
    } else if PHONES.contains(&plain) {
        Part::Phone
    } else if LINKS.iter().any(|link| plain.ends_with(link)) {
        Part::Link
    } else {
        Part::Detail
    }
}

/// Returns the sentences of the goal. Empty for a one-time password with a code, which is enough.
fn core(wanted: &Generation) -> String {
    let has_code = wanted.variables.iter().any(|name| part(name) == Part::Code);
    let is_otp = wanted.constraints.category == Category::Otp;
    if is_otp && has_code && placeholder::names(&wanted.goal).is_empty() {
        return String::new();
    }
    goal::sentences(&wanted.goal, wanted.constraints.category)
}

fn compose(
    core: &str,
    parts: &Parts<'_>,
    style: Style,
    is_mail: bool,
    details: fn(&[&str]) -> Vec<String>,
) -> String {
    let names: Vec<_> = parts.are(Part::Name).collect();
    let mut body = Vec::new();
    if !core.is_empty() {
        body.push(core.to_owned());
    }
    for code in parts.are(Part::Code) {
        body.push(format!("Your code is {code}. {GIVEN_CODE}"));
    }
    body.extend(parts.are(Part::Minutes).map(|minutes| format!("Valid for: {minutes}.")));
    let named: Vec<_> =
        parts.0.iter().filter(|(it, _)| *it == Part::Detail).map(|(_, name)| *name).collect();
    body.extend(details(&named));
    body.extend(parts.are(Part::Phone).map(|phone| format!("Call {phone}.")));
    // A full stop would become a part of the link.
    body.extend(parts.are(Part::Link).map(|link| format!("See {link}")));
    let senders: Vec<_> = parts.are(Part::Sender).collect();
    let ways_out = parts.are(Part::Unsubscribe).map(|link| format!("No more: {link}"));
    if is_mail {
        let salutation = if names.is_empty() { "customer".to_owned() } else { names.join(" ") };
        let mut paragraphs = vec![format!("{} {salutation},", greeting(style)), body.join("\n")];
        let regards = ["Kind regards,".to_owned()].into_iter().chain(senders);
        paragraphs.push(regards.collect::<Vec<_>>().join("\n"));
        paragraphs.extend(ways_out);
        return paragraphs.join("\n\n");
    }
    let mut text = body.join(" ");
    if !names.is_empty() {
        text = format!("{} {}, {}", greeting(style), names.join(" "), continuing(&text));
    }
    for sender in senders {
        text = format!("{text} - {sender}");
    }
    for way_out in ways_out {
        text = format!("{text} {way_out}");
    }
    text
}

const fn greeting(style: Style) -> &'static str {
    match style {
        Style::Friendly => "Hi",
        Style::Formal => "Dear",
        Style::Professional | Style::Urgent => "Hello",
    }
}

/// Returns the text after a salutation and its comma.
fn continuing(text: &str) -> String {
    let mut pieces = split(text);
    if let Some(Piece::Word(first)) = pieces.first_mut()
        && CONTINUING.contains(&first.to_ascii_lowercase().as_str())
    {
        *first = first.to_lowercase();
    }
    join(&pieces)
}

/// Returns each placeholder with its label.
fn labelled(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("{}: {}.", label(name), braced(name))).collect()
}

/// Returns the placeholders without labels.
fn bare(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| braced(name)).collect()
}

/// Converts the name of a placeholder to words: `dueDate` to `Due date`.
fn label(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !words.ends_with([' ', '-']) {
            words.push(' ');
        }
        words.push(if "_.-".contains(c) { ' ' } else { c.to_ascii_lowercase() });
    }
    let words: Vec<_> = words
        .split_whitespace()
        .map(|word| match word {
            "id" | "no" => "number",
            "ref" => "reference",
            word => word,
        })
        .collect();
    if words.is_empty() { "Also".to_owned() } else { capitalised(&words.join(" ")) }
}

/// Returns the first words of a text, as its subject.
fn subject(core: &str) -> String {
    if core.is_empty() {
        return "Your code".to_owned();
    }
    let mut subject = Vec::new();
    let mut length = 0;
    for piece in split(core) {
        let is_end = matches!(&piece, Piece::Space(space) if space.contains('\n'))
            || piece.is_mark_of(".!?");
        length += join(std::slice::from_ref(&piece)).chars().count();
        if is_end || length > MAX_SUBJECT {
            break;
        }
        subject.push(piece);
    }
    let subject = join(&subject).trim().trim_end_matches([',', ';', ':', '-']).to_owned();
    if subject.is_empty() { "For your information".to_owned() } else { subject }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::writing::Constraints;

    fn generation(goal: &str, channel: Channel, variables: &[&str]) -> Generation {
        Generation {
            goal: goal.to_owned(),
            language: "en".to_owned(),
            tone: None,
            variables: variables.iter().map(ToString::to_string).collect(),
            constraints: Constraints { channel: Some(channel), ..Constraints::default() },
        }
    }

    #[test]
    fn every_placeholder_finds_its_place() {
        let wanted = generation(
            "Tell customers that their order {{order}} is ready",
            Channel::Sms,
            &["firstName", "order", "pickup_date", "company", "trackingLink"],
        );
        assert_eq!(
            write(&wanted, Style::Friendly),
            WrittenText {
                subject: None,
                message: "Hi {{firstName}}, your order {{order}} is ready. Pickup date: \
                          {{pickup_date}}. See {{trackingLink}} - {{company}}"
                    .to_owned(),
            }
        );
    }

    #[test]
    fn a_mail_has_a_subject_and_paragraphs() {
        let wanted = generation("Thank members for their support", Channel::Email, &["name"]);
        let mail = write(&wanted, Style::Formal);
        assert_eq!(mail.subject.as_deref(), Some("Thank you for your support"));
        assert_eq!(mail.message, "Dear {{name}},\n\nThank you for your support.\n\nKind regards,");
    }

    #[test]
    fn a_code_says_it_all() {
        let mut wanted = generation("Login code", Channel::Sms, &["code", "minutes"]);
        wanted.constraints.category = Category::Otp;
        let text = write(&wanted, Style::Professional).message;
        assert_eq!(
            text,
            "Your code is {{code}}. Do not share it with anyone. Valid for: {{minutes}}."
        );
    }
}
