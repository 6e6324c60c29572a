//! Suppression lists and the messages they stop.

use std::sync::Arc;

use domain::{
    audience::{
        contact::ContactRequest,
        suppression::{
            OptOut, Suppression, SuppressionFilter, SuppressionRequest, SuppressionSource,
        },
    },
    identity::organization::Organization,
    messaging::{delivery::FailureCode, message::Message},
    shared::{
        address::Address, category::Category, channel::Channel, id::Id, money::Money, page::Page,
    },
};

use super::{PRICE, Subject, subjects};
use crate::now;

/// All entries of the organization that match.
async fn entries(subject: &Subject, search: Option<&str>) -> Vec<Suppression> {
    let filter = SuppressionFilter { search: search.map(str::to_owned) };
    let page = Page::of_short_list(None, None).unwrap();
    let found = subject.suppressions.page(subject.organization, &filter, page).await.unwrap();
    assert_eq!(found.total, u64::try_from(found.items.len()).unwrap());
    found.items
}

fn entry(subject: &Subject, category: Option<Category>) -> Suppression {
    let request = SuppressionRequest {
        phone: Some("0241234567".into()),
        category,
        reason: Some("asked by phone".into()),
        ..SuppressionRequest::default()
    };
    request.entry(subject.organization, now()).unwrap()
}

#[tokio::test]
async fn a_suppressed_recipient_costs_nothing_and_gets_nothing() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let other = subject.another_organization(PRICE * 10).await;
        subject.suppressions.insert(&entry(&subject, None)).await.unwrap();

        let theirs = Message { organization: other, ..subject.message() };
        assert_eq!(subject.accept(&[theirs]).await[0].message.cost, PRICE, "another's list");
        let barred = subject.accept(&subject.messages(2)).await;

        for job in &barred {
            let refusal = job.message.refusal().map(|failure| failure.code);
            assert_eq!(refusal, Some(FailureCode::RecipientSuppressed));
            assert_eq!(job.message.cost, Money::ZERO);
            assert_eq!(subject.find(job.message.id).await, job.message);
        }
        assert_eq!(subject.balance().await, PRICE * 10);
    }
}

#[tokio::test]
async fn a_suppression_of_one_category_lets_others_through() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        subject.suppressions.insert(&entry(&subject, Some(Category::Marketing))).await.unwrap();

        let jobs = subject.accept(&[subject.message()]).await;

        assert_eq!(jobs[0].message.refusal(), None, "a receipt still arrives");
        assert_eq!(subject.balance().await, PRICE * 9);
    }
}

/// Accepts a message, and returns true if its recipient is suppressed. Such a message costs nothing.
async fn is_suppressed(
    subject: &Subject,
    organization: Id<Organization>,
    (channel, to): (Channel, &str),
) -> bool {
    let mut message = Message { organization, ..subject.message() };
    let draft = Arc::make_mut(&mut message.draft);
    (draft.channel, draft.recipient) = (channel, Address::stored(to.into()));
    let accepted = subject.accept(&[message]).await.remove(0).message;
    let refusal = accepted.refusal().map(|failure| failure.code);
    let is_suppressed = refusal == Some(FailureCode::RecipientSuppressed);
    assert_eq!(accepted.cost, if is_suppressed { Money::ZERO } else { PRICE }, "{channel:?} {to}");
    is_suppressed
}

#[tokio::test]
async fn an_entry_covers_the_address_of_its_contact_on_its_channel() {
    for subject in subjects(PRICE * 20).await {
        println!("on {}", subject.name);
        let (own, other) = (subject.organization, subject.another_organization(PRICE * 20).await);
        for organization in [own, other] {
            let ama = ContactRequest {
                phone: Some("0241234567".into()),
                email: Some("Ama@example.com".into()),
                fcm_token: Some("device-of-ama".into()),
                ..ContactRequest::default()
            };
            subject.put_contact(organization, ama).await;
        }
        let (phone, email) = (Some("0241234567".to_owned()), Some("AMA@example.com".to_owned()));
        let (sms, voice) = ((Channel::Sms, "+233241234567"), (Channel::Voice, "+233241234567"));
        let (mail, device) =
            ((Channel::Email, "Ama@example.com"), (Channel::Push, "device-of-ama"));
        let everything = [sms, voice, mail, device];
        for (phone, email, channel, barred) in [
            (phone.clone(), None, Channel::Email, mail),
            (None, email, Channel::Sms, sms),
            (phone, None, Channel::Push, device),
        ] {
            let channel = Some(channel);
            let request = SuppressionRequest { phone, email, channel, ..Default::default() };
            let entry = request.entry(own, now()).unwrap();
            let entry = subject.suppressions.insert(&entry).await.unwrap();

            for recipient in everything {
                let is_barred = is_suppressed(&subject, own, recipient).await;
                assert_eq!(is_barred, recipient == barred, "{recipient:?} by {channel:?}");
            }
            assert!(!is_suppressed(&subject, other, barred).await, "another's list");
            assert!(subject.suppressions.delete(own, entry.id).await.unwrap());
        }
        for recipient in everything {
            assert!(!is_suppressed(&subject, own, recipient).await, "{recipient:?} again");
        }
        // One of four recipients was suppressed, three times.
        assert_eq!(subject.balance().await, PRICE * (20 - 3 * 3 - 4));
    }
}

#[tokio::test]
async fn an_entry_is_unique_searchable_and_deleted_by_its_owner() {
    for subject in subjects(PRICE).await {
        println!("on {}", subject.name);
        let (list, organization) = (&subject.suppressions, subject.organization);
        let first = list.insert(&entry(&subject, None)).await.unwrap();
        let again = list.insert(&entry(&subject, None)).await.unwrap();
        assert_eq!(again, first);
        assert_eq!(list.count(organization).await.unwrap(), 1);
        assert_eq!(entries(&subject, Some("1234567")).await, std::slice::from_ref(&first));
        assert_eq!(entries(&subject, Some("BY PHONE")).await, std::slice::from_ref(&first));
        assert_eq!(entries(&subject, Some("by mail")).await, []);

        let other = subject.another_organization(PRICE).await;
        assert!(!list.delete(other, first.id).await.unwrap());
        assert!(list.delete(organization, first.id).await.unwrap());
        assert!(!list.delete(organization, first.id).await.unwrap());
        assert_eq!(list.count(organization).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn suppressions_are_unique_by_reason_and_start_lifts_stop() {
    for subject in subjects(PRICE).await {
        println!("on {}", subject.name);
        let (own, callbacks) = (subject.organization, &subject.callbacks);
        let phone = Address::stored("+233241234563".into());
        let mail = Address::stored("ama@example.com".into());
        for _ in 0..2 {
            for source in SuppressionSource::ALL {
                for (channel, address) in [(Channel::Sms, &phone), (Channel::Email, &mail)] {
                    let address = address.clone();
                    let opt_out = OptOut { organization: own, channel, address, source, at: now() };
                    callbacks.suppress(&opt_out).await.unwrap();
                }
            }
        }
        let all = entries(&subject, None).await;
        let of = |channel| all.iter().filter(move |entry| entry.channel == Some(channel));
        assert!(of(Channel::Sms).all(|it| (&it.phone, &it.email) == (&Some(phone.clone()), &None)));
        assert!(
            of(Channel::Email).all(|it| (&it.phone, &it.email) == (&None, &Some(mail.clone())))
        );
        assert_eq!((of(Channel::Sms).count(), of(Channel::Email).count()), (5, 5));
        for entry in &all {
            let is_unsubscribe = entry.source == SuppressionSource::Unsubscribe;
            assert_eq!(entry.category, is_unsubscribe.then_some(Category::Marketing));
            assert_eq!(entry.id.slot(), own.slot());
        }

        let lift = async |channel, address: &Address| {
            callbacks.unsuppress(own, channel, address).await.unwrap();
        };
        lift(Channel::WhatsApp, &phone).await;
        assert_eq!(entries(&subject, None).await.len(), 10, "another channel");
        lift(Channel::Sms, &phone).await;
        lift(Channel::Email, &Address::stored("Ama@example.com".into())).await;
        let left = entries(&subject, None).await;
        assert!(!left.iter().any(|entry| entry.source.is_lifted_by_start()));
        assert_eq!(left.len(), 6);
    }
}
