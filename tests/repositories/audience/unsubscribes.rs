//! Unsubscribe links: their codes and the events of opt-outs.

use std::collections::HashMap;

use domain::{
    audience::{
        contact::{Contact, ContactRequest},
        suppression::{OptOut, SuppressionSource},
        unsubscribe::{Subscription, UnsubscribeCode},
    },
    identity::organization::Organization,
    shared::{address::Address, channel::Channel, id::Id},
};
use futures_util::future::try_join_all;
use ports::audience::{
    contacts::{ContactRepository, Inserted},
    unsubscribes::UnsubscribeRepository,
};
use serde_json::{Value, json};

use crate::{World, now};

impl World {
    fn contacts_of_links(&self) -> &dyn ContactRepository {
        &self.store
    }

    fn unsubscribes(&self) -> &dyn UnsubscribeRepository {
        &self.store
    }

    async fn contact(&self, organization: Id<Organization>, request: ContactRequest) -> Contact {
        let contact = request.contact(organization, now()).unwrap();
        let inserted = self.contacts_of_links().insert(&contact).await.unwrap();
        assert!(matches!(inserted, Inserted::Done));
        contact
    }

    /// The events to publish to an organization, in order.
    async fn published(&self, organization: Id<Organization>) -> Vec<(String, Value)> {
        let query = format!(
            "SELECT event, data FROM outbound_events WHERE organization_id = '{organization}' \
             ORDER BY id"
        );
        let rows = self.client().await.query(&query, &[]).await.unwrap();
        let parse = |data: &str| serde_json::from_str(data).unwrap();
        rows.iter().map(|row| (row.get(0), parse(row.get(1)))).collect()
    }
}

fn with_phone(number: &str) -> ContactRequest {
    ContactRequest { phone: Some(number.into()), ..ContactRequest::default() }
}

fn code(organization: Id<Organization>, byte: u8) -> UnsubscribeCode {
    UnsubscribeCode::new_in(organization, [byte; 32])
}

fn opt_out(
    organization: Id<Organization>,
    channel: Channel,
    address: &str,
    source: SuppressionSource,
) -> OptOut {
    let address = Address::stored(address.into());
    OptOut { organization, channel, address, source, at: now() }
}

#[tokio::test]
async fn concurrent_requests_give_a_contact_one_lasting_code() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let mut contacts = Vec::new();
    for number in 0..3 {
        let request = with_phone(&format!("+23324123457{number}"));
        contacts.push(world.contact(organization, request).await.id);
    }
    let proposals = [1, 2, 3, 4].map(|round: u8| {
        let numbered = contacts.iter().zip(0..);
        numbered.map(|(id, number)| (*id, code(organization, round * 8 + number))).collect()
    });
    let proposals: [Vec<_>; 4] = proposals;

    let codes = proposals.iter().map(|proposed| world.unsubscribes().codes(organization, proposed));
    let codes = try_join_all(codes).await.unwrap();

    for answer in &codes {
        assert_eq!(answer, &codes[0]);
        assert_eq!(answer.len(), 3);
    }
    let later: Vec<_> = contacts.iter().map(|id| (*id, code(organization, 31))).collect();
    assert_eq!(world.unsubscribes().codes(organization, &later).await.unwrap(), codes[0]);
}

#[tokio::test]
async fn a_code_follows_the_number_of_its_contact_until_deletion() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let contact = world.contact(organization, with_phone("+233241234580")).await.id;
    let own = code(organization, 5);
    world.unsubscribes().codes(organization, &[(contact, own.clone())]).await.unwrap();
    let phone = |number: &str| {
        let address = Address::stored(number.into());
        Some(Subscription { organization, channel: Channel::Sms, address })
    };
    assert_eq!(world.unsubscribes().subscription(&own).await.unwrap(), phone("+233241234580"));
    assert_eq!(world.unsubscribes().subscription(&code(organization, 6)).await.unwrap(), None);

    let change = format!("UPDATE contacts SET phone = '+233241234581' WHERE id = '{contact}'");
    world.sql(&change).await;
    assert_eq!(world.unsubscribes().subscription(&own).await.unwrap(), phone("+233241234581"));

    assert!(world.contacts_of_links().delete(organization, contact).await.unwrap());
    assert_eq!(world.unsubscribes().subscription(&own).await.unwrap(), None);
    let left = world.unsubscribes().codes(organization, &[(contact, own)]).await.unwrap();
    assert_eq!(left, HashMap::new());
}

#[tokio::test]
async fn a_taken_code_is_not_given_to_another_contact() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let first = world.contact(organization, with_phone("+233241234590")).await.id;
    let second = world.contact(organization, with_phone("+233241234591")).await.id;
    let taken = code(organization, 9);
    let unsubscribes = world.unsubscribes();
    unsubscribes.codes(organization, &[(first, taken.clone())]).await.unwrap();

    let answer = unsubscribes.codes(organization, &[(second, taken)]).await.unwrap();
    assert_eq!(answer, HashMap::new());
    let other = code(organization, 10);
    let answer = unsubscribes.codes(organization, &[(second, other.clone())]).await.unwrap();
    assert_eq!(answer, HashMap::from([(second, other)]));
}

#[tokio::test]
async fn publishes_an_opt_out_once_per_reason_with_its_contact() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let other = world.organization().await.id;
    for organization in [organization, other] {
        world.sql(&acceptance::silent_endpoint(&organization.to_string())).await;
    }
    let request = ContactRequest {
        email: Some("Ama@Example.com".into()),
        fcm_token: Some("device".into()),
        ..with_phone("+233241234570")
    };
    let contact = world.contact(organization, request).await.id;
    let known = contact.to_string();
    for (opt_out, expected) in [
        (
            opt_out(organization, Channel::Sms, "+233241234570", SuppressionSource::Stop),
            json!({"contactId": known, "channel": "SMS", "source": "STOP", "phone": "+233241234570"}),
        ),
        (
            opt_out(
                organization,
                Channel::Email,
                "AMA@example.com",
                SuppressionSource::Unsubscribe,
            ),
            json!({"contactId": known, "channel": "EMAIL", "source": "UNSUBSCRIBE",
                "email": "AMA@example.com"}),
        ),
        (
            opt_out(organization, Channel::Push, "device", SuppressionSource::Vendor),
            json!({"contactId": known, "channel": "PUSH", "source": "VENDOR"}),
        ),
        (
            opt_out(other, Channel::Sms, "+233241234570", SuppressionSource::Complaint),
            json!({"contactId": null, "channel": "SMS", "source": "COMPLAINT",
                "phone": "+233241234570"}),
        ),
    ] {
        assert!(world.unsubscribes().opt_out(&opt_out).await.unwrap());
        assert!(!world.unsubscribes().opt_out(&opt_out).await.unwrap(), "{expected}");
        let published = world.published(opt_out.organization).await;
        assert!(published.contains(&("contact.opted_out".into(), expected.clone())), "{expected}");
    }
    assert_eq!(world.published(organization).await.len(), 3);
    assert_eq!(world.published(other).await.len(), 1);
    let ids = format!(
        "SELECT count(*) FROM outbound_events WHERE organization_id = '{organization}' \
            AND right(id::text, 3) = '{}'",
        organization.slot()
    );
    assert_eq!(world.client().await.query_one(&ids, &[]).await.unwrap().get::<_, i64>(0), 3);
}

#[tokio::test]
async fn all_instances_sign_links_with_the_first_key() {
    let world = World::alone().await;

    let keys = [1, 2, 3].map(|byte| world.store.link_key([byte; 32]));
    let keys = try_join_all(keys).await.unwrap();

    assert_eq!(keys[0].len(), 32);
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(world.store.link_key([9; 32]).await.unwrap(), keys[0]);
}
