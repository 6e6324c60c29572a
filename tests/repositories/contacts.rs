//! Contacts.

use domain::{address::Address, id::Id, organization::Organization};
use ports::contacts::DeviceTokens;

use super::World;

async fn contact(world: &World, organization: Id<Organization>, token: &str) {
    let statement = format!(
        "INSERT INTO contacts (id, organization_id, fcm_token, created_at) \
         VALUES (gen_random_uuid(), '{organization}', '{token}', now())"
    );
    world.sql(&statement).await;
}

async fn tokens(world: &World, organization: Id<Organization>) -> Vec<Option<String>> {
    let query = "SELECT fcm_token FROM contacts WHERE organization_id = $1 ORDER BY fcm_token";
    let rows = world.client().await.query(query, &[&organization.uuid()]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_token_is_forgotten_in_its_organization_and_nowhere_else() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    for token in ["gone", "gone", "kept"] {
        contact(&world, own, token).await;
    }
    contact(&world, other, "gone").await;

    let gone = Address::stored("gone".into());
    world.store.forget_device_token(own, &gone).await.unwrap();

    assert_eq!(tokens(&world, own).await, [Some("kept".into()), None, None]);
    assert_eq!(tokens(&world, other).await, [Some("gone".into())]);
}

#[tokio::test]
async fn an_organization_has_a_number_or_an_address_once_and_others_may_have_it_too() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let insert = async |organization, column, value| {
        let statement = format!(
            "INSERT INTO contacts (id, organization_id, {column}, created_at) \
             VALUES (gen_random_uuid(), '{organization}', '{value}', now())"
        );
        world.client().await.batch_execute(&statement).await.is_ok()
    };
    for (column, value) in [("phone", "+233241234567"), ("email", "ama@example.com")] {
        assert!(insert(own, column, value).await);
        assert!(!insert(own, column, value).await, "{column}");
        assert!(insert(other, column, value).await);
    }
    assert!(!insert(own, "phone", "0241234568").await, "not in E.164");
    assert!(!insert(own, "email", "Kofi@example.com").await, "not in lower case");
}
