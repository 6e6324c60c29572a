//! Rules of contact creation.

use std::sync::Mutex;

use domain::identity::organization::Role;
use ports::shared::mock::MockContactRepository;

use super::*;
use crate::shared::fixtures::{clock, member};

/// Contacts whose first `times` inserts are overtaken by campaigns, and the identifiers tried.
fn overtaken(times: usize) -> (Contacts, Arc<Mutex<Vec<Id<Contact>>>>) {
    let tried = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&tried);
    let mut repository = MockContactRepository::new();
    repository.expect_insert().returning(move |contact| {
        let mut tried = kept.lock().unwrap();
        tried.push(contact.id);
        Ok(if tried.len() <= times { Inserted::Overtaken } else { Inserted::Done })
    });
    (Contacts::new(Arc::new(repository), clock()), tried)
}

async fn create(contacts: &Contacts) -> Result<Contact, Error> {
    let request = ContactRequest { phone: Some("0241234567".into()), ..ContactRequest::default() };
    contacts.create(&member(Role::Owner), request, Faults::default()).await
}

#[tokio::test]
async fn a_contact_overtaken_by_a_campaign_gets_a_new_identifier() {
    let (contacts, tried) = overtaken(2);

    let created = create(&contacts).await.unwrap();

    let tried = tried.lock().unwrap();
    assert_eq!((tried.len(), tried[2]), (3, created.id));
    assert!(tried[0] != tried[1] && tried[1] != tried[2]);
}

#[tokio::test]
async fn a_contact_that_is_always_overtaken_is_refused_for_now() {
    let (contacts, tried) = overtaken(usize::MAX);

    let refused = create(&contacts).await;

    assert!(matches!(refused, Err(Error::Store(StoreError::Unavailable(_)))), "{refused:?}");
    assert_eq!(tried.lock().unwrap().len(), 5);
}
