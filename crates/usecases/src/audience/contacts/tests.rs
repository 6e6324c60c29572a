//! Rules of contact creation and of lists of contacts.

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
    repository.expect_details().returning(|_, contacts, _| {
        let details = contacts.into_iter().map(|it| ContactDetails::of(it, None, &[], &[]));
        Ok(details.collect())
    });
    (Contacts::new(Arc::new(repository), Bounds::none(), clock()), tried)
}

async fn create(contacts: &Contacts) -> Result<ContactDetails, Error> {
    let request = ContactRequest { phone: Some("0241234567".into()), ..ContactRequest::default() };
    contacts.create(&member(Role::Owner), request, Faults::default()).await
}

#[tokio::test]
async fn a_contact_overtaken_by_a_campaign_gets_a_new_identifier() {
    let (contacts, tried) = overtaken(2);

    let created = create(&contacts).await.unwrap();

    let tried = tried.lock().unwrap();
    assert_eq!((tried.len(), tried[2]), (3, created.contact.id));
    assert!(tried[0] != tried[1] && tried[1] != tried[2]);
}

#[tokio::test]
async fn a_contact_that_is_always_overtaken_is_refused_for_now() {
    let (contacts, tried) = overtaken(usize::MAX);

    let refused = create(&contacts).await;

    assert!(matches!(refused, Err(Error::Store(StoreError::Unavailable(_)))), "{refused:?}");
    assert_eq!(tried.lock().unwrap().len(), 5);
}

fn ama() -> Contact {
    let request = ContactRequest { first_name: Some("Ama".into()), ..ContactRequest::default() };
    request.contact(member(Role::Owner).organization, crate::shared::fixtures::NOW).unwrap()
}

#[tokio::test]
async fn an_unknown_segment_is_a_fault_of_the_filter() {
    let mut repository = MockContactRepository::new();
    repository.expect_has_segment().returning(|_, _| Ok(false));
    let contacts = Contacts::new(Arc::new(repository), Bounds::none(), clock());
    let (caller, segment) = (member(Role::Owner), Id::of(ama().id.uuid()));
    let filter =
        ContactFilter { segment: Some(segment), tag: Some(" ".into()), ..ContactFilter::default() };

    let refused = contacts.part(&caller, &filter, None, 20).await;
    let members = contacts.members(&caller, segment, None, 20).await;

    let Err(Error::Invalid(faults)) = refused else { panic!("{refused:?}") };
    assert_eq!(faults.fields.into_keys().collect::<Vec<_>>(), ["segmentId", "tag"]);
    assert!(matches!(members, Err(Error::NotFound("segment"))), "{members:?}");
}

#[tokio::test]
async fn an_export_passes_over_parts_without_contacts() {
    let mut repository = MockContactRepository::new();
    let (first, last) = (ama(), ama());
    let (reached, farther) = (first.id, last.id);
    let kept = [first.clone(), last.clone()];
    repository.expect_older().returning(move |_, _, before, _| {
        let [first, last] = kept.clone();
        Ok(match before {
            None => ContactPart { contacts: vec![first], next: Some(reached) },
            Some(before) if before == reached => {
                ContactPart { contacts: Vec::new(), next: Some(farther) }
            }
            Some(_) => ContactPart { contacts: vec![last], next: None },
        })
    });
    repository.expect_written_at().returning(|_, _| Ok(std::collections::HashMap::new()));
    let contacts = Contacts::new(Arc::new(repository), Bounds::none(), clock());
    let filter = ContactFilter::default();
    let mut export = contacts.export(&member(Role::Viewer), &filter).await.unwrap();

    let mut exported = Vec::new();
    loop {
        let part = export.next().await.unwrap();
        if part.is_empty() {
            break;
        }
        exported.extend(part.into_iter().map(|it| it.contact));
    }

    assert_eq!(exported, [first, last]);
}
