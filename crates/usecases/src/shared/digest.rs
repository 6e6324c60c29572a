//! SHA-256 of secrets, of requests and of long identifiers.

use chrono::{DateTime, Utc};
use domain::{
    content::{
        sender_name::SenderName,
        template::{TemplateContent, ValueRules, VendorTemplate},
    },
    messaging::message::{Message, MessageRequest, Metadata},
    outreach::{
        campaign::{Campaign, CampaignContent},
        trigger::TriggerRequest,
    },
    shared::{id::Id, text_format::TextFormat, vendor_text},
};
use sha2::{Digest as _, Sha256};

/// Returns the stored hash of a secret of at least 32 random bytes. Such a secret cannot be guessed, so
/// it needs no salt and no slow hash.
pub(crate) fn of_secret(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// Returns the hash of bytes composed elsewhere.
pub(crate) fn of_bytes(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Hash of bytes that arrive in pieces.
#[derive(Default)]
pub(crate) struct PiecewiseHash(Sha256);

impl PiecewiseHash {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Returns the hash that the approval of a sender name is bound to.
pub(crate) fn of_sender_name(name: &SenderName) -> [u8; 32] {
    let kind = Fingerprint::of("sender name").text(Some(name.channel.as_str()));
    kind.text(Some(name.country.as_str())).text(Some(name.sender.as_str())).finish()
}

/// Returns a vendor's identifier as it is stored and compared: the identifier, or its hash if it
/// exceeds the maximum length of vendor texts.
pub(crate) fn of_reference(reference: String) -> String {
    if vendor_text::is_short(&reference) {
        return vendor_text::clean(reference);
    }
    let hash = Sha256::digest(&reference);
    hash.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Hash of the content of a request. Equal requests have equal hashes on every instance.
pub(crate) struct Fingerprint(Sha256);

impl Fingerprint {
    pub(crate) fn of(kind: &str) -> Self {
        Self(Sha256::new()).text(Some(kind))
    }

    /// Adds a value, prefixed with its length so that adjacent values stay distinct.
    fn text(mut self, text: Option<&str>) -> Self {
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        self.0.update(length.to_be_bytes());
        self.0.update(text.unwrap_or_default());
        self
    }

    pub(crate) fn flag(self, flag: bool) -> Self {
        self.text(Some(if flag { "1" } else { "0" }))
    }

    pub(crate) fn message(self, message: &MessageRequest) -> Self {
        let template = message.template.map(|id| id.to_string());
        let country = message.country.map(|country| country.to_string());
        let variables = message.variables.iter();
        let count = message.variables.len().to_string();
        let validity = message.validity.map(|seconds| seconds.to_string());
        let fingerprint = self
            .text(message.channel.map(domain::shared::channel::Channel::as_str))
            .text(message.to.as_deref())
            .text(message.body.as_deref())
            .text(message.subject.as_deref())
            .text(message.sender.as_deref())
            .text(country.as_deref())
            .text(template.as_deref())
            .text(message.category.map(domain::shared::category::Category::as_str))
            .text(Some(&count));
        let fingerprint = variables.fold(fingerprint, |fingerprint, (name, value)| {
            fingerprint.text(Some(name)).text(Some(value))
        });
        let fingerprint = match validity {
            Some(seconds) => fingerprint.text(Some(&seconds)),
            None => fingerprint,
        };
        let fingerprint = fingerprint.format(message.format).metadata(&message.metadata);
        fingerprint.schedule(message.scheduled_at)
    }

    /// Adds a triggered event.
    pub(crate) fn trigger(self, request: &TriggerRequest) -> Self {
        let contact = request.contact.map(|id| id.to_string());
        let fingerprint = self
            .text(request.event.as_deref())
            .text(request.to.as_deref())
            .text(contact.as_deref())
            .text(Some(&request.variables.len().to_string()));
        let fingerprint =
            request.variables.iter().fold(fingerprint, |fingerprint, (name, value)| {
                fingerprint.text(Some(name)).text(Some(value))
            });
        let fingerprint = match &request.sender {
            Some(sender) => fingerprint.text(Some("sender")).text(Some(sender)),
            None => fingerprint,
        };
        let fingerprint = match request.country {
            Some(country) => fingerprint.text(Some("country")).text(Some(country.as_str())),
            None => fingerprint,
        };
        fingerprint.metadata(&request.metadata).schedule(request.scheduled_at)
    }

    /// Adds the time for which a message is scheduled. None adds nothing.
    fn schedule(self, at: Option<DateTime<Utc>>) -> Self {
        match at {
            Some(at) => self.text(Some("scheduled")).text(Some(&at.to_rfc3339())),
            None => self,
        }
    }

    /// Adds metadata. None adds nothing.
    fn metadata(self, metadata: &Metadata) -> Self {
        if metadata.is_empty() {
            return self;
        }
        let counted = self.text(Some("metadata")).text(Some(&metadata.len().to_string()));
        metadata.iter().fold(counted, |fingerprint, (key, value)| {
            fingerprint.text(Some(key)).text(Some(value))
        })
    }

    /// Adds a message that is sent again.
    pub(crate) fn resend(self, message: Id<Message>) -> Self {
        self.text(Some(&message.to_string()))
    }

    /// Adds the content that the approval of a template covers.
    pub(crate) fn template(self, content: &TemplateContent) -> Self {
        let fingerprint = self
            .text(Some(content.channel.as_str()))
            .text(Some(content.category.as_str()))
            .text(Some(content.country.as_str()))
            .text(Some(&content.language))
            .text(content.subject.as_deref())
            .text(Some(&content.body))
            .names(&content.variables)
            .format(content.format)
            .value_rules(&content.value_rules);
        fingerprint.vendor_template(content.vendor_template.as_ref())
    }

    /// Adds the content that the approval of a campaign covers.
    pub(crate) fn campaign(self, campaign: &Campaign, content: &CampaignContent) -> Self {
        let fingerprint = self
            .text(Some(campaign.channel.as_str()))
            .text(campaign.sender.as_deref())
            .text(Some(content.category.as_str()))
            .text(content.subject.as_deref())
            .text(Some(&content.body))
            .format(content.format)
            .value_rules(&content.value_rules);
        fingerprint.vendor_template(content.vendor_template.as_ref())
    }

    fn vendor_template(self, template: Option<&VendorTemplate>) -> Self {
        match template {
            Some(vendors) => self
                .text(Some(&vendors.name))
                .text(Some(&vendors.language))
                .names(&vendors.parameters)
                .text(vendors.button.as_deref()),
            None => self,
        }
    }

    /// Adds a named format. No format adds nothing, which keeps hashes from before formats existed.
    fn format(self, format: Option<TextFormat>) -> Self {
        match format {
            Some(format) => self.text(Some("format")).text(Some(format.as_str())),
            None => self,
        }
    }

    /// Adds the rules for variable values. Default rules add nothing, which keeps hashes from before
    /// they existed.
    fn value_rules(self, rules: &ValueRules) -> Self {
        let fingerprint = match &rules.short {
            Some(short) => self.text(Some("short")).names(short),
            None => self,
        };
        if rules.allows_long { fingerprint.text(Some("long")) } else { fingerprint }
    }

    fn names(self, names: &[String]) -> Self {
        let counted = self.text(Some(&names.len().to_string()));
        names.iter().fold(counted, |fingerprint, name| fingerprint.text(Some(name)))
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::shared::{category::Category, channel::Channel, country::Country};

    use super::*;

    #[test]
    fn a_long_identifier_is_known_by_its_hash() {
        assert_eq!(of_reference("SM-17\0".into()), "SM-17");
        let long = "ɔ".repeat(256);
        let hash = of_reference(long.clone());
        assert_eq!(hash.len(), 64);
        assert_eq!(hash, of_reference(long.clone()));
        assert_ne!(hash, of_reference(long + "x"));
    }

    #[test]
    fn values_never_run_into_each_other() {
        let of = |to: &str, body: &str| {
            let message = MessageRequest {
                to: Some(to.into()),
                body: Some(body.into()),
                ..MessageRequest::default()
            };
            Fingerprint::of("send").message(&message).finish()
        };

        assert_eq!(of("ab", "c"), of("ab", "c"));
        assert_ne!(of("ab", "c"), of("a", "bc"));
    }

    #[test]
    fn metadata_is_part_of_a_request() {
        let of = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let metadata = Metadata::new(pairs.collect()).unwrap();
            let message =
                MessageRequest { metadata: metadata.clone(), ..MessageRequest::default() };
            let trigger = TriggerRequest { metadata, ..TriggerRequest::default() };
            [
                Fingerprint::of("send").message(&message).finish(),
                Fingerprint::of("trigger").trigger(&trigger).finish(),
            ]
        };

        let none = of(&[]);
        for (one, other) in of(&[("a", "bc")]).into_iter().zip(of(&[("ab", "c")])) {
            assert_ne!(one, other);
            assert!(!none.contains(&one) && !none.contains(&other));
        }
        assert_eq!(of(&[("a", "1"), ("b", "2")]), of(&[("b", "2"), ("a", "1")]));
    }

    #[test]
    fn an_approval_holds_for_all_that_is_sent_with_a_template() {
        let content = TemplateContent {
            channel: Channel::WhatsApp.into(),
            category: Category::Otp,
            country: Country::GH,
            language: "en".into(),
            subject: None,
            body: "{{a}}{{b}}".into(),
            variables: vec!["a".into(), "b".into()],
            format: None,
            vendor_template: None,
            value_rules: ValueRules::default(),
        };
        let vendors = |button: Option<&str>| VendorTemplate {
            name: "x".into(),
            language: "en".into(),
            parameters: vec!["a".into()],
            button: button.map(str::to_owned),
        };
        let contents = [
            content.clone(),
            TemplateContent { channel: Channel::Sms.into(), ..content.clone() },
            TemplateContent { category: Category::Alert, ..content.clone() },
            TemplateContent { country: "NG".parse().unwrap(), ..content.clone() },
            TemplateContent { language: "tw".into(), ..content.clone() },
            TemplateContent { subject: Some(String::new()), ..content.clone() },
            TemplateContent { format: Some(TextFormat::Html), ..content.clone() },
            TemplateContent {
                value_rules: ValueRules { short: None, allows_long: true },
                ..content.clone()
            },
            TemplateContent {
                value_rules: ValueRules { short: Some(vec!["a".into()]), allows_long: false },
                ..content.clone()
            },
            TemplateContent { body: "{{b}}{{a}}".into(), ..content.clone() },
            TemplateContent { variables: vec!["b".into(), "a".into()], ..content.clone() },
            TemplateContent { vendor_template: Some(vendors(None)), ..content.clone() },
            TemplateContent { vendor_template: Some(vendors(Some("a"))), ..content.clone() },
        ];

        let hash =
            |content: &TemplateContent| Fingerprint::of("template").template(content).finish();
        let hashes: BTreeSet<_> = contents.iter().map(hash).collect();

        assert_eq!(hashes.len(), contents.len());
        assert_eq!(hash(&content), hash(&contents[0]));
    }
}
