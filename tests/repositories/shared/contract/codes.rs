//! Retention of codes.

use domain::{
    messaging::{
        delivery::DeliveryEvent,
        job::{Job, ReportApplied},
        message::{Message, MessageRequest, Terms},
        priority::Origin,
    },
    shared::{category::Category, channel::Channel},
};
use ports::messaging::messages::Recorded;

use super::{PRICE, Subject, confirmed, sent, subjects};
use crate::now;

impl Subject {
    /// A mail with a code.
    fn code(&self) -> Message {
        let request = MessageRequest {
            channel: Some(Channel::Email),
            to: Some("ama@example.com".into()),
            subject: Some("{{code}} is your code".into()),
            body: Some("<b>{{code}}</b>".into()),
            variables: [("code".to_owned(), "482913".to_owned())].into(),
            category: Some(Category::Otp),
            ..MessageRequest::default()
        };
        let terms = Terms { cost: PRICE, refusal: None, is_sandbox: false, is_confidential: false };
        let draft = request.draft(None).unwrap();
        Message::queue(self.organization, draft, Origin::Single, terms, now())
    }
}

fn reported(message: &Message, event: DeliveryEvent) -> ReportApplied {
    let delivery = message.delivery.after_report(event).unwrap();
    let from = message.delivery.status();
    ReportApplied {
        message: Message { delivery, ..message.clone() },
        from,
        due_in: None,
        event: None,
    }
}

#[tokio::test]
async fn a_code_is_masked_once_its_message_is_final() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let accepted = subject.code();
        subject.accept(std::slice::from_ref(&accepted)).await;
        let [job] = <[Job; 1]>::try_from(subject.claim().await).unwrap();
        assert_eq!(job.message.draft, accepted.draft, "with its format and what is shown later");

        let step = sent(&job, "first", "ref-1");
        assert_eq!(subject.record(step).await, Recorded::Done);
        let message = subject.find(accepted.id).await;
        assert_eq!(message.draft.body, "<b>482913</b>");

        let report = reported(&message, confirmed());
        assert_eq!(subject.record(report).await, Recorded::Done);
        let delivered = subject.find(accepted.id).await.draft.clone();
        assert_eq!(delivered.body, "<b>••••••</b>");
        assert_eq!(delivered.subject.as_deref(), Some("•••••• is your code"));
        assert_eq!((delivered.format, &delivered.masked), (accepted.draft.format, &None));
    }
}
