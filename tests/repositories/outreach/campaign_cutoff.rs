//! The cutoff of the contacts of a campaign, set while contacts are being added.

use chrono::TimeDelta;
use domain::{
    audience::{
        contact::{Contact, ContactRequest},
        import::{ContactTable, ImportKind},
    },
    identity::organization::Organization,
    messaging::job::Lease,
    shared::id::Id,
};
use ports::{
    audience::{
        contacts::{ContactRepository, Inserted},
        imports::{ImportQueue, ImportRepository},
        segments::{Audience, AudienceRepository},
    },
    outreach::campaign_queue::{CampaignQueue, LeasedCampaign},
    shared::store::StoreError,
};
use tokio::task::JoinHandle;
use tokio_postgres::Client;

use crate::{World, audience::imports::upload, now};

/// An organization that begins campaigns.
struct Beginning {
    world: World,
    organization: Id<Organization>,
}

impl Beginning {
    async fn new() -> Self {
        let world = World::alone().await;
        let organization = world.organization().await.id;
        Self { world, organization }
    }

    fn contact(&self, phone: &str, before: i64) -> Contact {
        let request = ContactRequest { phone: Some(phone.into()), ..ContactRequest::default() };
        request.contact(self.organization, now() - TimeDelta::seconds(before)).unwrap()
    }

    async fn insert(&self, phone: &str, before: i64) -> Inserted {
        ContactRepository::insert(&self.world.store, &self.contact(phone, before)).await.unwrap()
    }

    /// Begins a transaction that adds contacts, as an import does.
    async fn add(&self, contacts: &[Contact]) -> Client {
        let client = self.world.client().await;
        client.batch_execute("BEGIN").await.unwrap();
        for contact in contacts {
            let phone = contact.phone.as_ref().unwrap().as_str();
            client
                .batch_execute(&format!(
                    "INSERT INTO contacts (organization_id, id, phone, created_at) \
                     VALUES ('{}', '{}', '{phone}', now())",
                    self.organization, contact.id
                ))
                .await
                .unwrap();
        }
        client
    }

    /// Sets the cutoff without waiting for it.
    fn close(&self) -> JoinHandle<Result<Id<Contact>, StoreError>> {
        let store = self.world.store.clone();
        let campaign = LeasedCampaign {
            organization: self.organization,
            id: Id::new_in(now(), self.organization),
            lease: Lease::NONE,
            contacts_until: None,
            position: None,
            expanded_at: None,
            has_segment: true,
        };
        tokio::spawn(async move { store.set_cutoff(&campaign, Id::floor(now())).await })
    }

    async fn counted(&self, until: Id<Contact>) -> u64 {
        let counted =
            self.world.store.count_until(self.organization, Audience::Everybody, until).await;
        counted.unwrap()
    }

    async fn reached(&self, until: Id<Contact>) -> usize {
        let found =
            self.world.store.members_after(self.organization, Audience::Everybody, None, 100).await;
        found.unwrap().iter().filter(|contact| contact.id < until).count()
    }

    /// Waits until a connection waits for a lock.
    async fn until_somebody_waits(&self) {
        let client = self.world.client().await;
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity \
                     WHERE wait_event_type = 'Lock' AND datname = current_database())";
        let waits = async || client.query_one(waits, &[]).await.unwrap().get(0);
        acceptance::until("the cutoff waits for the import", waits).await;
    }
}

#[tokio::test]
async fn contacts_added_while_a_campaign_begins_belong_to_it() {
    let beginning = Beginning::new().await;
    assert_eq!(beginning.insert("0241234560", 60).await, Inserted::Done);
    let contacts = [beginning.contact("0241234561", 2), beginning.contact("0241234562", 1)];
    let import = beginning.add(&contacts).await;
    let closing = beginning.close();
    beginning.until_somebody_waits().await;
    import.batch_execute("COMMIT").await.unwrap();

    let until = closing.await.unwrap().unwrap();

    assert_eq!((beginning.counted(until).await, beginning.reached(until).await), (3, 3));
}

#[tokio::test]
async fn a_campaign_waits_for_the_first_contacts_being_added() {
    let beginning = Beginning::new().await;
    let import = beginning.add(&[beginning.contact("0241234561", 2)]).await;
    let closing = beginning.close();
    beginning.until_somebody_waits().await;
    import.batch_execute("COMMIT").await.unwrap();

    let until = closing.await.unwrap().unwrap();

    assert_eq!((beginning.counted(until).await, beginning.reached(until).await), (1, 1));
}

#[tokio::test]
async fn contacts_added_after_the_cutoff_get_later_identifiers() {
    let beginning = Beginning::new().await;
    beginning.insert("0241234560", 60).await;
    let world = &beginning.world;
    let import =
        upload(world, beginning.organization, ImportKind::Contacts, "phone\n0241234561\n").await;
    let chunk = ImportQueue::claim(&world.store).await.unwrap().unwrap();
    let table = ContactTable::new(chunk.layout.clone()).unwrap();
    let rows =
        |before| table.rows(&chunk.chunk, chunk.organization, now() - TimeDelta::seconds(before));
    let late = rows(120);

    let until = beginning.close().await.unwrap().unwrap();

    assert!(matches!(
        world.store.write_contacts(&chunk, &late).await,
        Err(StoreError::Conflict { constraint }) if constraint == "contacts_closed"
    ));
    assert_eq!(beginning.insert("0241234562", 120).await, Inserted::Overtaken);
    world.store.write_contacts(&chunk, &rows(1)).await.unwrap();
    assert_eq!(beginning.insert("0241234562", 1).await, Inserted::Done);
    assert_eq!((beginning.counted(until).await, beginning.reached(until).await), (1, 1));
    let imports: &dyn ImportRepository = &world.store;
    let found = imports.find(beginning.organization, ImportKind::Contacts, import.id).await;
    assert_eq!(found.unwrap().unwrap().created, 1);
}

#[tokio::test]
async fn a_campaign_stops_waiting_for_a_long_running_import() {
    let beginning = Beginning::new().await;
    let stuck = beginning.add(&[beginning.contact("0241234561", 2)]).await;

    let closed = beginning.close().await.unwrap();

    assert!(matches!(closed, Err(StoreError::Unavailable(_))), "{closed:?}");
    stuck.batch_execute("COMMIT").await.unwrap();
    let until = beginning.close().await.unwrap().unwrap();
    assert_eq!(beginning.counted(until).await, 1);
}
