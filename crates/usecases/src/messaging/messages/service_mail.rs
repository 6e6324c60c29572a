//! Mails in the service's own name.

use async_trait::async_trait;
use domain::{
    identity::organization::PLATFORM,
    messaging::{
        message::{Draft, Message, Metadata, Terms},
        priority::Origin,
        retry,
    },
    shared::{
        address::Address, category::Category, channel::Channel, country::Country, money::Money,
        text_format::TextFormat,
    },
};
use ports::messaging::messages::{FirstWorker, Idempotency, Submission};

use super::Messages;
use crate::{
    Error,
    shared::{digest::Fingerprint, mailer::Mailer},
};

#[async_trait]
impl Mailer for Messages {
    async fn send_service_mail(&self, to: &str, subject: &str, body: String) -> Result<(), Error> {
        self.send_mail(draft(Category::Otp, to, subject, body), None).await
    }

    async fn send_service_notice(
        &self,
        to: &str,
        subject: &str,
        body: String,
        key: String,
    ) -> Result<(), Error> {
        let fingerprint = Fingerprint::of("notice").finish();
        let idempotency = Idempotency { key, is_sandbox: false, fingerprint, gaps: Vec::new() };
        self.send_mail(draft(Category::Transactional, to, subject, body), Some(idempotency)).await
    }
}

impl Messages {
    async fn send_mail(&self, draft: Draft, idempotency: Option<Idempotency>) -> Result<(), Error> {
        let refusal = self.refusal(&draft, false);
        let terms = Terms { cost: Money::ZERO, refusal, is_sandbox: false, is_confidential: true };
        let message = Message::queue(PLATFORM, draft, Origin::Single, terms, self.deps.clock.now());
        let submission = Submission {
            organization: PLATFORM,
            idempotency,
            messages: vec![message],
            first_worker: FirstWorker::Workers,
            advance: None,
        };
        self.submit(submission).await?;
        Ok(())
    }
}

fn draft(category: Category, to: &str, subject: &str, body: String) -> Draft {
    Draft {
        channel: Channel::Email,
        recipient: Address::stored(to.to_owned()),
        country: Country::GH,
        category,
        sender: None,
        subject: Some(subject.to_owned()),
        body,
        format: TextFormat::Text,
        is_open: false,
        masked: None,
        segments: 1,
        template: None,
        vendor_template: None,
        validity: retry::validity(category),
        retry_rules: None,
        metadata: Metadata::default(),
    }
}
