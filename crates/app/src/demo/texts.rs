//! Texts that the organizations of the demonstration send.

use std::collections::BTreeMap;

use domain::{
    content::template::TemplateRequest,
    shared::{category::Category, channel::Channel, placeholder},
};

use super::chance::Chance;

/// Text of a template, with its share of the messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    /// Name of the template.
    pub(super) name: &'static str,
    /// Channel of its messages.
    pub(super) channel: Channel,
    /// Category of its messages.
    pub(super) category: Category,
    /// Subject line, for mails.
    pub(super) subject: Option<&'static str>,
    /// Text with placeholders.
    pub(super) body: &'static str,
    /// Share of the organization's messages; 0 if none is sent.
    pub(super) weight: u32,
}

/// Texts of a shop. The first is for everybody who has a phone.
pub(super) const SHOP: &[Text] = &[
    Text {
        weight: 34,
        ..sms(
            "Order received",
            Category::Ecommerce,
            "Hello {{firstName}}, we have your order {{order}} of GHS {{amount}}. We write again when it leaves Accra.",
        )
    },
    Text {
        weight: 22,
        ..sms(
            "Order on its way",
            Category::Logistics,
            "Your order {{order}} is on its way and arrives today before {{time}}. The rider calls you.",
        )
    },
    Text {
        weight: 18,
        ..sms(
            "Sign-in code",
            Category::Otp,
            "Your verification code is {{code}}. It expires in 10 minutes. Do not share it with anyone.",
        )
    },
    Text {
        channel: Channel::WhatsApp,
        weight: 12,
        ..sms(
            "Receipt",
            Category::Transactional,
            "Hello {{firstName}}, thank you. We received GHS {{amount}} for order {{order}}.",
        )
    },
    Text {
        channel: Channel::Email,
        subject: Some("Your receipt for order {{order}}"),
        weight: 16,
        ..sms(
            "Receipt by mail",
            Category::Transactional,
            "Dear {{firstName}},\n\nthank you for your payment of GHS {{amount}} for order {{order}}.\n\nAdinkra Market, Osu",
        )
    },
    Text {
        channel: Channel::Push,
        weight: 14,
        ..sms(
            "Rider is near",
            Category::Alert,
            "The rider with order {{order}} is near. Expect the call before {{time}}.",
        )
    },
    Text {
        channel: Channel::Voice,
        weight: 1,
        ..sms(
            "Call about an address",
            Category::Alert,
            "Hello {{firstName}}. The rider does not find your house. Please call us about order {{order}}.",
        )
    },
];

/// Texts of a clinic. The first is for everybody who has a phone.
pub(super) const CLINIC: &[Text] = &[
    Text {
        weight: 40,
        ..sms(
            "Appointment",
            Category::Reminder,
            "Dear {{firstName}}, your appointment at Sankofa Clinic is tomorrow at {{time}}. Call 0302 740 740 to change it.",
        )
    },
    Text {
        weight: 24,
        ..sms(
            "Results are ready",
            Category::Healthcare,
            "Dear {{firstName}}, your results are ready at Sankofa Clinic. Bring your folder {{order}}.",
        )
    },
    Text {
        channel: Channel::WhatsApp,
        weight: 14,
        ..sms(
            "Vaccination day",
            Category::Reminder,
            "Hello {{firstName}}, vaccination for children is on Thursday from {{time}} at Sankofa Clinic.",
        )
    },
    Text {
        channel: Channel::Email,
        subject: Some("Your bill {{order}}"),
        weight: 10,
        ..sms(
            "Bill",
            Category::Transactional,
            "Dear {{firstName}},\n\nyour bill {{order}} comes to GHS {{amount}}.\n\nSankofa Clinic, Adum",
        )
    },
];

/// Promotion that needs no decision.
pub(super) const APPROVED: Text = sms(
    "Easter sale",
    Category::Marketing,
    "Easter sale at Adinkra Market! Up to 30% off kente until Monday. Reply STOP to opt out.",
);
/// Promotion that an administrator has rejected.
pub(super) const REJECTED: Text = sms(
    "Raffle",
    Category::Marketing,
    "Congratulations! You have won GHS 5,000 in our raffle. Send your PIN to claim your prize.",
);
/// Promotion that waits for a decision, and its first text, which was withdrawn.
pub(super) const PENDING: Text = sms(
    "Weekend offer",
    Category::Marketing,
    "This weekend delivery is free for orders above GHS 200 at Adinkra Market, Osu.",
);
/// Text that replaces the one of [`PENDING`].
pub(super) const PENDING_AGAIN: &str =
    "This weekend delivery in Accra is free for orders above GHS 150 at Adinkra Market.";

const fn sms(name: &'static str, category: Category, body: &'static str) -> Text {
    Text { name, channel: Channel::Sms, category, subject: None, body, weight: 0 }
}

impl Text {
    /// Returns the request for its template.
    pub(super) fn request(&self) -> TemplateRequest {
        TemplateRequest {
            name: Some(self.name.to_owned()),
            channel: Some(self.channel.into()),
            body: Some(self.body.to_owned()),
            category: Some(self.category),
            subject: self.subject.map(str::to_owned),
            ..TemplateRequest::default()
        }
    }

    /// Returns values of its placeholders, for a person of that name.
    pub(super) fn values(&self, person: &str, chance: &mut Chance) -> BTreeMap<String, String> {
        let texts = [self.subject.unwrap_or_default(), self.body];
        let names = texts.into_iter().flat_map(placeholder::names);
        names.map(|name| (name.to_owned(), value(name, person, chance))).collect()
    }
}

fn value(name: &str, person: &str, chance: &mut Chance) -> String {
    match name {
        "firstName" => person.to_owned(),
        "order" => format!("AD-{}", 10_000 + chance.below(90_000)),
        "amount" => format!("{}.{:02}", 20 + chance.below(780), chance.below(100)),
        "code" => format!("{:06}", chance.below(1_000_000)),
        _ => format!("{}:{:02}", 8 + chance.below(9), 15 * chance.below(4)),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        content::template::TemplateStatus,
        identity::{organization::PLATFORM, user::User},
        shared::id::Id,
    };

    use super::*;

    fn template(text: &Text) -> domain::content::template::Template {
        let author: Id<User> = Id::new(DateTime::UNIX_EPOCH);
        text.request().template(PLATFORM, author, DateTime::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn every_text_is_a_template_and_its_values_fill_it() {
        let mut chance = Chance::seeded(1);
        for text in SHOP.iter().chain(CLINIC) {
            let template = template(text);
            let values = text.values("Esi", &mut chance);
            for name in &template.content.variables {
                assert!(values.contains_key(name), "{}: {name}", text.name);
            }
        }
    }

    #[test]
    fn promotion_without_a_way_out_waits_for_a_decision() {
        let again = Text { body: PENDING_AGAIN, ..PENDING };
        for text in [REJECTED, PENDING, again] {
            assert_eq!(template(&text).status, TemplateStatus::PendingApproval, "{}", text.body);
        }
        assert_eq!(template(&APPROVED).status, TemplateStatus::Approved);
    }
}
