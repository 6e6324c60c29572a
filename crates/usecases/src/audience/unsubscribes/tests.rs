//! Rules of unsubscribe links.

use std::collections::HashMap;

use chrono::DateTime;
use domain::{
    audience::{
        contact::{Contact, ContactRequest},
        unsubscribe::UnsubscribeCode,
    },
    identity::organization::PLATFORM,
    shared::{address::Address, channel::Channel},
};
use ports::{
    audience::unsubscribes::UnsubscribeLinks as _,
    shared::mock::{MockRandom, MockSubscriptionTokens, MockUnsubscribeRepository},
};

use super::*;

fn contact(phone: Option<&str>, email: Option<&str>) -> Contact {
    let fcm_token = Some("device".to_owned());
    let (phone, email) = (phone.map(str::to_owned), email.map(str::to_owned));
    let request = ContactRequest { phone, email, fcm_token, ..ContactRequest::default() };
    request.contact(PLATFORM, DateTime::UNIX_EPOCH).unwrap()
}

fn links(repository: MockUnsubscribeRepository) -> Links {
    let mut tokens = MockSubscriptionTokens::new();
    tokens.expect_issue().returning(|it| format!("{}000", it.address.as_str()));
    let mut random = MockRandom::new();
    random.expect_secret().return_const([7; 32]);
    Links::new(LinksDeps {
        tokens: Arc::new(tokens),
        repository: Arc::new(repository),
        random: Arc::new(random),
        public_url: "https://notify.example.com".into(),
    })
}

#[tokio::test]
async fn links_are_short_in_sms_and_signed_elsewhere() {
    let contacts = [contact(Some("+233241234567"), Some("ama@example.com")), contact(None, None)];
    let id = contacts[0].id;
    let code = UnsubscribeCode::new_in(PLATFORM, [9; 32]);
    let mut repository = MockUnsubscribeRepository::new();
    let known = code.clone();
    repository
        .expect_codes()
        .once()
        .withf(move |_, proposed| proposed.len() == 1 && proposed[0].0 == id)
        .returning(move |_, _| Ok(HashMap::from([(id, known.clone())])));
    let links = links(repository);

    for (channel, expected) in [
        (Channel::Sms, Some(format!("https://notify.example.com/u/{code}"))),
        (
            Channel::Email,
            Some("https://notify.example.com/unsubscribe/ama@example.com000".to_owned()),
        ),
        (
            Channel::WhatsApp,
            Some("https://notify.example.com/unsubscribe/+233241234567000".to_owned()),
        ),
        (Channel::Push, None),
        (Channel::Voice, None),
    ] {
        let made = links.links_of(channel, &contacts).await.unwrap();
        assert_eq!(made, [expected, None], "{channel:?}");
    }
}

#[tokio::test]
async fn a_taken_code_is_replaced_once() {
    let contacts = [contact(Some("+233241234567"), None)];
    let id = contacts[0].id;
    for second in [None, Some(UnsubscribeCode::new_in(PLATFORM, [1; 32]))] {
        let mut repository = MockUnsubscribeRepository::new();
        let answer: HashMap<_, _> = second.iter().map(|code| (id, code.clone())).collect();
        let mut answers = vec![answer, HashMap::new()];
        repository
            .expect_codes()
            .times(2)
            .returning(move |_, _| Ok(answers.pop().unwrap_or_default()));

        let made = links(repository).links_of(Channel::Sms, &contacts).await.unwrap();

        let expected = second.map(|code| format!("https://notify.example.com/u/{code}"));
        assert_eq!(made, [expected]);
    }
}

#[tokio::test]
async fn a_sample_is_as_long_as_the_links_that_contacts_get() {
    let contacts = [contact(Some("+233241234567"), None)];
    let id = contacts[0].id;
    let mut repository = MockUnsubscribeRepository::new();
    let code = UnsubscribeCode::new_in(PLATFORM, [9; 32]);
    repository.expect_codes().returning(move |_, _| Ok(HashMap::from([(id, code.clone())])));
    let links = links(repository);

    for channel in [Channel::Sms, Channel::WhatsApp] {
        let made = links.links_of(channel, &contacts).await.unwrap().remove(0);
        let sample = links.sample(PLATFORM, channel).unwrap();
        assert_eq!(sample.len(), made.unwrap().len(), "{channel:?}");
    }
    assert!(links.sample(PLATFORM, Channel::Email).is_some());
    assert_eq!(links.sample(PLATFORM, Channel::Voice), None);
}

#[test]
fn a_link_ends_nothing_but_its_own_channel() {
    let contact = contact(Some("+233241234567"), Some("ama@example.com"));
    let address = |channel| Subscription::of_contact(&contact, channel).map(|it| it.address);
    assert_eq!(address(Channel::Sms), Some(Address::stored("+233241234567".into())));
    assert_eq!(address(Channel::Email), Some(Address::stored("ama@example.com".into())));
    assert_eq!(address(Channel::Push), None);
}
