//! Long texts in lists of messages.

use domain::{
    content::template::FilledTemplate,
    messaging::{
        delivery_log::LogFilter,
        message::{Message, MessageRequest, Terms},
        priority::Origin,
    },
    shared::{category::Category, channel::Channel, listed_text::LISTED_TEXT_READ, page::Page},
};

use super::{PRICE, Subject, subjects};
use crate::now;

impl Subject {
    /// A mail of 20,000 characters and a code.
    fn long_mail(&self) -> Message {
        let request = MessageRequest {
            channel: Some(Channel::Email),
            to: Some("ama@example.com".into()),
            body: Some(format!("{{{{code}}}}{}", "ɛ".repeat(20_000))),
            variables: [("code".to_owned(), "482913".to_owned())].into(),
            category: Some(Category::Otp),
            ..MessageRequest::default()
        };
        let mut draft = request.draft(None).unwrap();
        draft.vendor_template = Some(FilledTemplate {
            name: "code".into(),
            language: "en".into(),
            values: vec!["482913".into()],
            button: None,
        });
        let terms = Terms { cost: PRICE, refusal: None, is_sandbox: false, is_confidential: false };
        Message::queue(self.organization, draft, Origin::Single, terms, now())
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(usize::from(LISTED_TEXT_READ)).collect()
}

#[tokio::test]
async fn a_list_shortens_a_long_text_and_a_lookup_does_not() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let own = subject.organization;
        let accepted = subject.long_mail();
        subject.accept(std::slice::from_ref(&accepted)).await;
        let filter = LogFilter::default();

        let page = subject.logs.page(own, filter, Page::new(None, None).unwrap()).await.unwrap();
        let older = subject.logs.older(own, filter, None, 10).await.unwrap();
        let found = subject.logs.find(own, accepted.id).await.unwrap().unwrap();

        let mut listed = (*accepted.draft).clone();
        listed.body = beginning(&listed.body);
        let masked = listed.masked.as_mut().unwrap();
        masked.body = beginning(&masked.body);
        listed.vendor_template = None;
        for messages in [page.items, older] {
            assert_eq!(messages.len(), 1);
            assert_eq!(*messages[0].draft, listed);
        }
        assert_eq!(found.draft, accepted.draft);
    }
}
