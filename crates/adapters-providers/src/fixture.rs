//! A message for unit tests.

use chrono::DateTime;
use domain::{
    address::Address,
    category::Category,
    channel::Channel,
    country::Country,
    id::Id,
    lane::Origin,
    message::{Draft, Message, Terms},
    money::Money,
};

pub(crate) fn message() -> Message {
    let draft = Draft {
        channel: Channel::Email,
        recipient: Address::stored("ama@example.com".into()),
        country: Country::GH,
        category: Category::Otp,
        sender: None,
        subject: Some("Your code".into()),
        body: "It is 1234.".into(),
        segments: 1,
        template: None,
    };
    let terms =
        Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
    let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    Message::queue(Id::new(now), draft, Origin::Single, terms, now)
}
