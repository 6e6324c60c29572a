//! Check of a text before its use.

use super::{Assessment, Issue, Sending, Severity, assess_sent, characters};
use crate::{
    identity::organization::{Organization, WaysOut},
    money::pricing::PriceList,
    shared::{
        category::Category,
        channel::Channel,
        country::Country,
        fault::Faults,
        id::Id,
        money::Money,
        sms::{self, Segmentation},
        text,
    },
};

/// The longest sender, in characters.
const MAX_SENDER: usize = 100;

/// Text to check, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageCheck {
    /// Text. Required.
    pub message: Option<String>,
    /// Category of the text; promotion if absent.
    pub category: Option<Category>,
    /// Channel for sending; `None` if unknown.
    pub channel: Option<Channel>,
    /// Sender that the recipients see; `None` if unknown.
    pub sender: Option<String>,
    /// Country of the recipients; `None` if unknown.
    pub country: Option<Country>,
}

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedMessage {
    /// Risk of the text. Its issues end with those that add nothing to the score.
    pub assessment: Assessment,
    /// Segments of the text as a text message.
    pub segmentation: Segmentation,
    /// Price of sending to one recipient; `None` if channel or country is unknown or has no price.
    pub estimated_cost: Option<Money>,
}

impl MessageCheck {
    /// Returns every fault of the request.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        let longest = self.channel.unwrap_or(Channel::Email).max_characters();
        match &self.message {
            None => faults.add("message", "is required"),
            Some(text) if text.trim().is_empty() => faults.add("message", "must not be empty"),
            Some(text) if text.chars().count() > longest => {
                faults.add("message", format!("must have at most {longest} characters"));
            }
            Some(text) => {
                faults.take("message", text::without_nul(text));
            }
        }
        if let Some(sender) = &self.sender {
            faults.take("senderId", text::line(sender, MAX_SENDER));
        }
        faults
    }

    /// Checks the text for `organization`, which has these ways out of its promotion and pays the
    /// prices of `prices`.
    pub fn check(
        &self,
        organization: Id<Organization>,
        ways_out: &WaysOut,
        prices: &PriceList,
    ) -> CheckedMessage {
        let text = self.message.as_deref().unwrap_or_default();
        let category = self.category.unwrap_or(Category::Marketing);
        let sending = Sending {
            ways_out: Some(ways_out),
            channel: self.channel,
            sender: self.sender.as_deref(),
        };
        let assessment = assess_whole(text, category, sending);
        let estimated_cost = self.channel.zip(self.country).and_then(|(channel, country)| {
            let unit_price = prices.unit_price(organization, channel, country)?;
            Some(unit_price * sms::segments_on(channel, text))
        });
        CheckedMessage { assessment, segmentation: sms::segment(text), estimated_cost }
    }
}

/// Assesses a text, and appends the issues without weight: approval for its category, and characters that
/// raise its cost.
pub(crate) fn assess_whole(text: &str, category: Category, sending: Sending<'_>) -> Assessment {
    let mut assessment = assess_sent(text, category, sending);
    if category.needs_approval() {
        assessment.issues.push(category_issue());
    }
    if matches!(sending.channel, None | Some(Channel::Sms)) {
        assessment.issues.extend(characters::costly(text));
    }
    assessment
}

fn category_issue() -> Issue {
    Issue {
        code: "CATEGORY_NEEDS_APPROVAL".into(),
        severity: Severity::Info,
        message: "is of a category whose templates need approval, whatever they say".into(),
        remedy: "Have the template approved before you need it.".into(),
        found: None,
        position: None,
        weight: 0,
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::money::pricing::PricingRule;

    fn price(channel: Channel, country: Option<Country>, micros: i64) -> PricingRule {
        let (id, organization) = (Id::new(DateTime::UNIX_EPOCH), None);
        PricingRule { id, organization, channel, country, unit_price: Money::from_micros(micros) }
    }

    #[test]
    fn estimates_the_cost_of_one_recipient_in_the_country() {
        let prices = PriceList::new(
            0,
            vec![
                price(Channel::Sms, Some(Country::GH), 35_000),
                price(Channel::Sms, None, 90_000),
                price(Channel::Email, None, 4_000),
            ],
        );
        let cost = |channel, country: Option<&str>| {
            let request = MessageCheck {
                message: Some("a".repeat(200)),
                channel,
                sender: None,
                country: country.map(|it| it.parse().unwrap()),
                category: None,
            };
            let organization = Id::new(DateTime::UNIX_EPOCH);
            let checked = request.check(organization, &WaysOut::default(), &prices);
            checked.estimated_cost.map(Money::micros)
        };

        assert_eq!(cost(Some(Channel::Sms), Some("GH")), Some(70_000));
        assert_eq!(cost(Some(Channel::Sms), Some("NG")), Some(180_000));
        assert_eq!(cost(Some(Channel::Email), Some("GH")), Some(4_000), "mails have one part");
        assert_eq!(cost(Some(Channel::Voice), Some("GH")), None);
        assert_eq!(cost(None, Some("GH")).or(cost(Some(Channel::Sms), None)), None);
    }

    #[test]
    fn a_supervised_category_adds_nothing_to_the_score() {
        let check = |category| {
            let message = Some("Your policy is active".to_owned());
            let request = MessageCheck { message, category: Some(category), ..Default::default() };
            let organization = Id::new(DateTime::UNIX_EPOCH);
            request.check(organization, &WaysOut::default(), &PriceList::default()).assessment
        };
        for category in Category::ALL.into_iter().filter(|it| *it != Category::Marketing) {
            let assessment = check(category);
            assert_eq!(assessment.score, 0);
            assert_eq!(!assessment.issues.is_empty(), category.needs_approval(), "{category}");
        }
    }

    #[test]
    fn a_check_needs_a_text_that_the_channel_can_carry() {
        let faulty = |message: Option<&str>, channel| {
            let message = message.map(str::to_owned);
            !MessageCheck { message, channel, ..Default::default() }.faults().fields.is_empty()
        };
        assert!(faulty(None, None) && faulty(Some(" "), None) && faulty(Some("a\0"), None));
        let long = "a".repeat(1_601);
        assert!(faulty(Some(&long), Some(Channel::Sms)) && !faulty(Some(&long), None));
    }
}
