//! Suppression lists that are long or change concurrently.

use domain::{
    audience::suppression::{Suppression, SuppressionFilter, SuppressionRequest},
    identity::organization::Organization,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::audience::suppressions::SuppressionRepository;
use uuid::Uuid;

use crate::{World, now};

impl World {
    fn suppressions(&self) -> &dyn SuppressionRepository {
        &self.store
    }

    /// A page of the entries in which `text` is found.
    async fn find_suppressed(
        &self,
        organization: Id<Organization>,
        text: Option<&str>,
        page: Page,
    ) -> Paged<Suppression> {
        let filter = SuppressionFilter { search: text.map(str::to_owned) };
        self.suppressions().page(organization, &filter, page).await.unwrap()
    }

    /// Adds entries numbered `from` to `to`, each created after the one before.
    async fn suppress(&self, organization: Id<Organization>, from: u32, to: u32, host: &str) {
        let statement = format!(
            "INSERT INTO suppressions (id, organization_id, email, created_at, source) \
             SELECT (lpad(to_hex(1900000000000 + number), 12, '0') || '700080000000000' \
                    || lpad('', 2, '0') || right('{organization}', 3))::uuid, \
                '{organization}', 'P' || number || '@{host}', now(), 'MANUAL' \
             FROM generate_series({from}, {to}) AS number"
        );
        self.sql(&statement).await;
    }

    async fn suppression_ids(&self, query: &str) -> Vec<Uuid> {
        let rows = self.client().await.query(query, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }
}

fn page(number: usize, limit: i64) -> Page {
    Page::new(i64::try_from(number).ok(), Some(limit)).unwrap()
}

fn entry(organization: Id<Organization>, phone: &str) -> Suppression {
    let phone = Some(phone.to_owned());
    let request = SuppressionRequest { phone, ..SuppressionRequest::default() };
    request.entry(organization, now()).unwrap()
}

#[tokio::test]
async fn a_search_counts_at_most_a_thousand_entries_exactly() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    world.suppress(organization, 1, 1_000, "Example.com").await;

    let exact = world.find_suppressed(organization, Some("EXAMPLE"), page(10, 100)).await;
    world.suppress(organization, 1_001, 1_001, "example.com").await;
    let bounded = world.find_suppressed(organization, Some("example"), page(10, 100)).await;
    let beyond = world.find_suppressed(organization, Some("example"), page(11, 100)).await;

    assert_eq!((exact.items.len(), exact.total, exact.is_lower_bound), (100, 1_000, false));
    assert_eq!((bounded.items.len(), bounded.total, bounded.is_lower_bound), (100, 1_000, true));
    assert_eq!((beyond.items.len(), beyond.total, beyond.is_lower_bound), (0, 1_000, true));
}

#[tokio::test]
async fn a_search_finds_rare_texts_in_entries_of_any_age() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    world.suppress(organization, 1, 3, "zwennes.com").await;
    world.suppress(organization, 4, 100_003, "example.com").await;

    let few = world.find_suppressed(organization, Some("WENNE"), page(1, 100)).await;
    let many = world.find_suppressed(organization, Some("example"), page(1, 2)).await;
    let short = world.find_suppressed(organization, Some("zw"), page(1, 100)).await;

    assert_eq!((few.items.len(), few.total, few.is_lower_bound), (3, 3, false));
    assert!(few.items.is_sorted_by(|newer, older| newer.id > older.id));
    assert_eq!((many.total, many.is_lower_bound), (1_000, true));
    let newest = format!(
        "SELECT id FROM suppressions WHERE organization_id = '{organization}' ORDER BY id DESC LIMIT 2"
    );
    let found: Vec<_> = many.items.iter().map(|entry| entry.id.uuid()).collect();
    assert_eq!(found, world.suppression_ids(&newest).await);
    // Texts of two letters are searched among the newest entries only.
    assert_eq!((short.items.len(), short.total, short.is_lower_bound), (0, 0, true));
}

#[tokio::test]
async fn pages_match_the_full_list_of_entries() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    for from in (1..=16_000).step_by(4_000) {
        world.suppress(organization, from, from + 3_999, "example.com").await;
    }
    let own = format!("FROM suppressions WHERE organization_id = '{organization}'");
    // A whole block and parts of others.
    world.sql(&format!("DELETE {own} AND substr(id::text, 13, 1) IN ('8', '9', 'a')")).await;
    world.sql(&format!("DELETE {own} AND id IN (SELECT id {own} ORDER BY id LIMIT 6001)")).await;
    let all = world.suppression_ids(&format!("SELECT id {own} ORDER BY id DESC")).await;
    assert!(all.len() > 5_000, "{}", all.len());

    for number in [1, 2, 30, 49, 50, 51, 52, all.len().div_ceil(100), all.len()] {
        let part = page(number, 100);
        let found = world.find_suppressed(organization, None, part).await;
        let found_ids: Vec<_> = found.items.iter().map(|entry| entry.id.uuid()).collect();
        assert_eq!(found_ids, part.cut(all.clone()), "page {number}");
        assert_eq!((found.total, found.is_lower_bound), (all.len() as u64, false));
    }
}

#[tokio::test]
async fn an_entry_is_found_by_its_own_organization_only() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let entry = world.suppressions().insert(&entry(own, "0241234567")).await.unwrap();
    let found = async |organization| {
        let found = world.suppressions().find(organization, entry.id).await.unwrap();
        found.map(|found| (found.id, found.phone))
    };

    assert_eq!(found(own).await, Some((entry.id, entry.phone.clone())));
    assert_eq!(found(other).await, None);
    world.suppressions().delete(own, entry.id).await.unwrap();
    assert_eq!(found(own).await, None);
}

#[tokio::test]
async fn every_insert_reported_as_new_creates_an_entry() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let insert = async {
        let mut made = 0;
        for _ in 0..200 {
            let entry = entry(organization, "0241234567");
            let kept = world.suppressions().insert(&entry).await.unwrap();
            made += u64::from(kept.id == entry.id);
        }
        made
    };
    let delete = async {
        let mut deleted = 0;
        for _ in 0..200 {
            for entry in world.find_suppressed(organization, None, page(1, 10)).await.items {
                let is_deleted = world.suppressions().delete(organization, entry.id).await.unwrap();
                deleted += u64::from(is_deleted);
            }
        }
        deleted
    };

    let (made, deleted) = futures_util::future::join(insert, delete).await;

    let left = world.find_suppressed(organization, None, page(1, 10)).await;
    assert_eq!(made, deleted + left.items.len() as u64);
    assert_eq!(left.total, left.items.len() as u64);
}
