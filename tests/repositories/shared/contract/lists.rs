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

        let page = subject.logs.page(own, &filter, Page::new(None, None).unwrap()).await.unwrap();
        let older = subject.logs.older(own, &filter, None, 10).await.unwrap();
        let found = subject.logs.find(own, accepted.id).await.unwrap().unwrap();

        let mut listed = (*accepted.draft).clone();
        listed.body = beginning(&listed.body);
        let masked = listed.masked.as_mut().unwrap();
        masked.body = beginning(&masked.body);
        listed.vendor_template = None;
        for messages in [page.items, older.messages] {
            assert_eq!(messages.len(), 1);
            assert_eq!(*messages[0].draft, listed);
        }
        assert_eq!(found.draft, accepted.draft);
    }
}

#[tokio::test]
async fn a_search_finds_the_messages_that_fit() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let own = subject.organization;
        let mail = Message { event: Some("order-shipped".into()), ..subject.long_mail() };
        subject.accept(&[subject.message(), mail.clone(), subject.message()]).await;
        let recipients = Some(vec!["ama@example.com".to_owned(), "ama".to_owned()]);
        let page = Page::new(None, Some(1)).unwrap();

        for filter in [
            LogFilter { recipients, ..LogFilter::default() },
            LogFilter { event: mail.event.clone(), ..LogFilter::default() },
            LogFilter {
                channel: Some(Channel::Email),
                is_sandbox: Some(false),
                ..Default::default()
            },
        ] {
            let part = subject.logs.older(own, &filter, None, 1).await.unwrap();
            let paged = subject.logs.page(own, &filter, page).await.unwrap();

            assert_eq!((part.messages.len(), part.next), (1, None), "{filter:?}");
            assert_eq!((part.messages[0].id, paged.total), (mail.id, 1), "{filter:?}");
            assert_eq!(part.messages, paged.items, "{filter:?}");
        }
        let live = LogFilter { is_sandbox: Some(false), ..LogFilter::default() };
        let first = subject.logs.older(own, &live, None, 2).await.unwrap();
        let second = subject.logs.older(own, &live, first.next, 2).await.unwrap();
        assert_eq!((first.messages.len(), second.messages.len(), second.next), (2, 1, None));
    }
}
