//! Ways out of promotion that depend on its sender: recipients cannot answer a name, and an organization may
//! have a number or a code of its own.

use super::{
    Assessment, Issue, MAX_SCORE, Severity, assess, read,
    rules::{NO_WAY_OUT, RuleBook},
};
use crate::{
    identity::organization::WaysOut,
    shared::{category::Category, channel::Channel},
};

/// Sending of a text, as far as it decides which ways out of promotion work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sending<'a> {
    /// Ways out of the organization's promotion; `None` if they are not known.
    pub ways_out: Option<&'a WaysOut>,
    /// Channel of the message; `None` if it is not known.
    pub channel: Option<Channel>,
    /// Sender that the recipients see; `None` if it is not known.
    pub sender: Option<&'a str>,
}

impl Sending<'_> {
    /// True if nobody can answer the message: its sender is a name.
    fn is_unanswerable(&self) -> bool {
        let is_text_message = matches!(self.channel, None | Some(Channel::Sms));
        is_text_message && self.sender.is_some_and(|sender| sender.contains(char::is_alphabetic))
    }
}

/// Assesses `text` as a message of `category` that is sent like this.
pub fn assess_sent(text: &str, category: Category, sending: Sending<'_>) -> Assessment {
    let mut assessment = assess(text, category);
    if category != Category::Marketing {
        return assessment;
    }
    if sending.ways_out.is_some_and(|ways_out| ways_out.are_named_in(text)) {
        assessment.clear_missing_way_out();
    } else if sending.is_unanswerable() {
        assessment.issues.extend(impossible_reply(text));
    }
    assessment
}

impl Assessment {
    /// Removes the issue that the text has no way out.
    pub(in crate::content) fn clear_missing_way_out(&mut self) {
        self.issues.retain(|issue| issue.code != NO_WAY_OUT);
        let score =
            self.issues.iter().fold(0_u8, |score, issue| score.saturating_add(issue.weight));
        self.score = score.min(MAX_SCORE);
    }
}

/// Returns the issue of a text whose only way out is a reply.
fn impossible_reply(text: &str) -> Option<Issue> {
    let book = RuleBook::get();
    let reading = read(text, book.vocabulary());
    let (position, bytes) = book.only_reply(&reading)?;
    Some(Issue {
        code: "REPLY_IMPOSSIBLE".into(),
        severity: Severity::Info,
        message: "asks for a reply, and nobody can answer a sender that is a name".into(),
        remedy: "Add {{unsubscribe}}, or a number or code from the opt-out settings of your \
                 organization."
            .into(),
        found: text.get(bytes).map(str::to_owned),
        position: Some(position),
        weight: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str, sending: Sending<'_>) -> Vec<String> {
        let assessment = assess_sent(text, Category::Marketing, sending);
        assessment.issues.into_iter().map(|issue| issue.code.into_owned()).collect()
    }

    #[test]
    fn a_reply_is_a_way_out_unless_the_sender_is_a_name() {
        let text = "Sale at Makola this Saturday. Reply STOP to opt out";
        let by = |channel, sender| Sending { channel, sender, ways_out: None };
        for sending in [
            Sending::default(),
            by(Some(Channel::Sms), None),
            by(Some(Channel::Sms), Some("+233302123456")),
            by(None, Some("1945")),
            by(Some(Channel::Email), Some("shop")),
        ] {
            assert_eq!(codes(text, sending), [""; 0], "{sending:?}");
        }

        let named = by(Some(Channel::Sms), Some("Kente"));
        let assessment = assess_sent(text, Category::Marketing, named);

        let [issue] = assessment.issues.as_slice() else { panic!("{assessment:?}") };
        assert_eq!((issue.code.as_ref(), issue.severity), ("REPLY_IMPOSSIBLE", Severity::Info));
        assert_eq!((issue.found.as_deref(), issue.position), (Some("Reply STOP"), Some(30)));
        assert_eq!(assessment.score, 0);
        assert_eq!(assess_sent(text, Category::Alert, named).issues, []);
        for other in [
            "Sale at Makola. Reply STOP or follow {{unsubscribe}}",
            "Sale at Makola. Reply STOP or dial *713#",
            "Sale at Makola. Text STOP to 1945",
        ] {
            assert_eq!(codes(other, named), [""; 0], "{other}");
        }
    }

    #[test]
    fn a_number_or_a_code_of_the_organization_is_a_way_out() {
        let ways_out =
            WaysOut { number: Some("+233302123456".into()), ussd: Some("*713*2#".into()) };
        let own = Sending { ways_out: Some(&ways_out), sender: Some("Kente"), channel: None };
        for text in ["Sale this Saturday. *713*2#", "Sale this Saturday. 0302 123 456"] {
            assert_eq!(codes(text, Sending::default()), [NO_WAY_OUT], "{text}");
            assert_eq!(assess_sent(text, Category::Marketing, own).score, 0, "{text}");
        }
        let silent = assess_sent("Kente sale this Saturday", Category::Marketing, own);
        assert_eq!(silent.score, 30);
    }
}
