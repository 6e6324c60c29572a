//! Segments.

use adapters_postgres::{PgSegments, PgStore};
use domain::{
    audience::{
        contact::{Contact, ContactRequest},
        segment::{CountedSegment, Rules, Segment, SegmentName, SegmentRequest},
    },
    identity::organization::Organization,
    shared::{id::Id, page::Page},
};
use ports::audience::{
    contacts::{ContactRepository, Inserted},
    segments::{Audience, AudienceRepository, Deleted, EvaluationError, SegmentRepository},
};
use serde_json::{Value, json};

use crate::{World, now};

mod campaigns;
mod rules;

impl World {
    fn segments(&self) -> PgSegments {
        let evaluation = PgStore::connect_evaluation(&self.url, 2).unwrap();
        PgSegments::new(self.store.clone(), evaluation)
    }

    async fn keep(&self, contact: &Contact) {
        let contacts: &dyn ContactRepository = &self.store;
        assert_eq!(contacts.insert(contact).await.unwrap(), Inserted::Done);
    }

    /// Adds a contact with a tag.
    async fn tagged(&self, organization: Id<Organization>, tag: &str) -> Contact {
        let (first_name, tags) = (Some("Ama".to_owned()), vec![tag.to_owned()]);
        let request = ContactRequest { first_name, tags, ..ContactRequest::default() };
        let contact = request.contact(organization, now()).unwrap();
        self.keep(&contact).await;
        contact
    }

    /// Makes the organization appear to have more contacts than are counted at once.
    async fn appear_large(&self, organization: Id<Organization>) {
        self.sql(&format!(
            "UPDATE contact_counts SET contacts = 100001 WHERE organization_id = '{organization}'"
        ))
        .await;
    }

    /// Moves the last count back by that many seconds.
    async fn age_counts(&self, organization: Id<Organization>, seconds: u32) {
        self.sql(&format!(
            "UPDATE segments SET counted_at = counted_at - interval '{seconds} seconds', \
                count_begun_at = count_begun_at - interval '{seconds} seconds' \
             WHERE organization_id = '{organization}'"
        ))
        .await;
    }

    async fn members(&self, segment: &Segment, page: u32) -> Vec<Id<Contact>> {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let audience = Audience::Segment(segment);
            let walk: &dyn AudienceRepository = &self.store;
            let next = walk.members_after(segment.organization, audience, after, page).await;
            let next: Vec<_> = next.unwrap().iter().map(|contact| contact.id).collect();
            found.extend(&next);
            after = next.last().copied();
            if next.len() < page as usize {
                return found;
            }
        }
    }
}

fn segment(organization: Id<Organization>, rules: Value, is_dynamic: bool) -> Segment {
    let request = SegmentRequest {
        name: Some("some".into()),
        rules: Some(rules),
        is_dynamic: Some(is_dynamic),
        ..SegmentRequest::default()
    };
    request.segment(organization, now()).unwrap()
}

async fn insert(segments: &PgSegments, segment: &Segment) -> CountedSegment {
    segments.insert(segment).await.unwrap().unwrap()
}

async fn listed(segments: &PgSegments, organization: Id<Organization>) -> Vec<CountedSegment> {
    segments.page(organization, Page::of_short_list(None, None).unwrap()).await.unwrap().items
}

async fn counts(segments: &PgSegments, organization: Id<Organization>) -> Vec<u64> {
    listed(segments, organization).await.iter().map(|item| item.contacts).collect()
}

#[tokio::test]
async fn rules_match_contacts_of_their_own_organization_only() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let contact = world.tagged(own, "vip").await;
    world.tagged(other, "vip").await;
    let segments = world.segments();

    for rules in [json!({"tags": "vip"}), json!({"tags": {"contains": "vip"}}), json!({})] {
        let rules = Rules::parse(rules).unwrap();
        let preview = segments.preview(own, &rules).await.unwrap();
        assert_eq!((preview.count, preview.sample), (1, vec![contact.clone()]));
    }
    let vips = segment(own, json!({"tags": "vip"}), false);
    insert(&segments, &vips).await;
    assert_eq!(world.members(&vips, 10).await, [contact.id]);
    let name = SegmentName { id: vips.id, name: vips.name.clone() };
    assert_eq!(segments.names(own).await.unwrap(), [name]);
    assert!(segments.names(other).await.unwrap().is_empty());
    assert_eq!(segments.find(other, vips.id).await.unwrap(), None);
    assert_eq!(segments.delete(other, vips.id).await.unwrap(), Deleted::Missing);
    assert!(counts(&segments, other).await.is_empty());
}

#[tokio::test]
async fn members_are_read_in_order_without_deleted_contacts() {
    let world = World::new().await;
    let own = world.organization().await.id;
    // More than two rows of frozen members.
    world
        .sql(&format!(
            "INSERT INTO contacts (id, organization_id, tags, tags_folded, created_at) \
             SELECT uuid_v7_in(now(), '{own}'), '{own}', ARRAY['vip'], ARRAY['vip'], now() \
             FROM generate_series(1, 2500)"
        ))
        .await;
    let segments = world.segments();
    let dynamic = segment(own, json!({"tags": "vip"}), true);
    let frozen = segment(own, json!({"tags": "vip"}), false);
    assert_eq!(insert(&segments, &dynamic).await.contacts, 2_500);
    assert_eq!(insert(&segments, &frozen).await.contacts, 2_500);

    let all = world.members(&dynamic, 999).await;
    assert_eq!(all.len(), 2_500);
    assert!(all.is_sorted_by(|a, b| a < b));
    for page in [1_000, 999, 2_500, 5_000] {
        assert_eq!(world.members(&frozen, page).await, all, "{page} at a time");
    }

    // A whole row of members and one more.
    let contacts: &dyn ContactRepository = &world.store;
    let (gone, left) = all.split_at(1_001);
    world
        .sql(&format!(
            "DELETE FROM contacts WHERE organization_id = '{own}' AND id <= '{}'",
            gone[999]
        ))
        .await;
    assert!(contacts.delete(own, gone[1_000]).await.unwrap());
    let newcomer = world.tagged(own, "vip").await;

    for page in [1, 700, 2_500] {
        let walk: &dyn AudienceRepository = &world.store;
        let audience = Audience::Segment(&frozen);
        let first = walk.members_after(own, audience, None, page).await.unwrap();
        let expected = &left[..left.len().min(page as usize)];
        assert_eq!(first.iter().map(|it| it.id).collect::<Vec<_>>(), expected);
    }
    assert_eq!(world.members(&frozen, 700).await, left);
    assert!(world.members(&dynamic, 700).await.contains(&newcomer.id));
    let mut counts = counts(&segments, own).await;
    counts.sort_unstable();
    assert_eq!(counts, [1_499, 1_500], "the frozen and the dynamic one");

    assert_eq!(segments.delete(own, frozen.id).await.unwrap(), Deleted::Done);
    let rows = format!("SELECT count(*) FROM segment_members WHERE organization_id = '{own}'");
    assert_eq!(world.client().await.query_one(&rows, &[]).await.unwrap().get::<_, i64>(0), 0);
}

#[tokio::test]
async fn counts_over_many_contacts_are_cached_for_a_minute() {
    let world = World::new().await;
    let own = world.organization().await.id;
    world.tagged(own, "vip").await;
    let segments = world.segments();
    let vips = segment(own, json!({"tags": {"startsWith": "vi"}}), true);
    insert(&segments, &vips).await;
    world.tagged(own, "vip").await;
    assert_eq!(counts(&segments, own).await, [2], "few are counted at once");
    world.appear_large(own).await;
    assert_eq!(counts(&segments, own).await, [1], "as it was kept");

    world.age_counts(own, 61).await;
    let kept = segments.find(own, vips.id).await.unwrap().unwrap();
    assert_eq!(kept.contacts, 2);
    world.tagged(own, "vip").await;
    world.appear_large(own).await;
    let listed = listed(&segments, own).await;
    assert_eq!(listed[0].contacts, 2);
    assert!(listed[0].counted_at >= kept.counted_at, "the count was kept as of then");
}

#[tokio::test]
async fn slow_counts_are_made_in_the_background() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    world.tagged(own, "vip").await;
    let segments = world.segments();
    let vips = segment(own, json!({"tags": {"contains": "vip"}}), true);
    let counted = insert(&segments, &vips).await;
    world.tagged(own, "vip").await;
    let background = PgStore::connect_background(&world.url, 1).unwrap();
    assert!(!background.recount_segments().await.unwrap(), "nothing is to be counted");

    // Readers of contacts wait.
    let client = world.client().await;
    client.batch_execute("BEGIN; LOCK TABLE contacts").await.unwrap();
    let rules = vips.rules.clone();
    let error = segments.preview(own, &rules).await.unwrap_err();
    assert!(matches!(error, EvaluationError::TooSlow), "{error:?}");
    world.age_counts(own, 61).await;
    let kept = listed(&segments, own).await;
    assert_eq!((kept[0].contacts, kept[0].segment.clone()), (1, counted.segment));
    client.batch_execute("ROLLBACK").await.unwrap();

    assert!(background.recount_segments().await.unwrap());
    assert!(!background.recount_segments().await.unwrap(), "it is counted once");
    world.appear_large(own).await;
    assert_eq!(counts(&segments, own).await, [2]);
}

#[tokio::test]
async fn a_change_of_rules_discards_the_cached_count() {
    let world = World::new().await;
    let own = world.organization().await.id;
    world.tagged(own, "vip").await;
    let segments = world.segments();
    let mut changed = segment(own, json!({"tags": "vip"}), true);
    insert(&segments, &changed).await;
    world.appear_large(own).await;
    changed.rules = Rules::parse(json!({"tags": "gold"})).unwrap();
    changed.name = "gold".into();

    let updated = segments.update(&changed).await.unwrap().unwrap();

    assert_eq!((updated.contacts, &updated.segment), (0, &changed));
    assert_eq!(counts(&segments, own).await, [0]);
    let unknown = segment(own, json!({"tags": "vip"}), true);
    assert_eq!(segments.update(&unknown).await.unwrap(), None);
}
