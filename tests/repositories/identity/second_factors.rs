//! Second factors under concurrent requests.

use futures_util::future::join_all;
use ports::identity::second_factors::{SecondFactorRepository, StoredFactor};

use crate::{World, minutes, now};

const HASHES: [[u8; 32]; 2] = [[1; 32], [2; 32]];

fn factors(world: &World) -> &dyn SecondFactorRepository {
    &world.store
}

#[tokio::test]
async fn a_code_and_a_recovery_code_are_used_once_by_concurrent_requests() {
    let world = World::new().await;
    let ama = world.user().await.id;
    let factors = factors(&world);
    assert!(factors.propose(ama, b"sealed", now()).await.unwrap());
    let factor = factors.find(ama).await.unwrap().unwrap();
    assert!(factors.confirm(ama, &factor, 7, &HASHES, now()).await.unwrap());

    let steps = join_all((0..6).map(|_| factors.use_step(ama, &factor, 8))).await;
    assert_eq!(steps.into_iter().filter(|used| *used.as_ref().unwrap()).count(), 1);
    assert!(!factors.use_step(ama, &factor, 7).await.unwrap());
    assert_eq!(factors.find(ama).await.unwrap().unwrap().last_step, Some(8));

    let codes = join_all((0..6).map(|_| factors.use_recovery_code(ama, HASHES[0]))).await;
    assert_eq!(codes.into_iter().filter(|used| *used.as_ref().unwrap()).count(), 1);
    assert!(factors.use_recovery_code(ama, HASHES[1]).await.unwrap());
}

#[tokio::test]
async fn a_confirmed_second_factor_is_replaced_only_after_its_removal() {
    let world = World::new().await;
    let (ama, kofi) = (world.user().await.id, world.user().await.id);
    let factors = factors(&world);
    assert!(factors.propose(ama, b"first", now()).await.unwrap());
    let first = factors.find(ama).await.unwrap().unwrap();
    assert!(factors.propose(ama, b"second", now() + minutes(1)).await.unwrap());
    let second = factors.find(ama).await.unwrap().unwrap();
    assert!(second == StoredFactor { sealed_secret: b"second".to_vec(), last_step: None });

    assert!(!factors.confirm(ama, &first, 7, &HASHES, now()).await.unwrap());
    assert!(world.users().find(ama).await.unwrap().unwrap().second_factor_at.is_none());
    assert!(factors.confirm(ama, &second, 7, &HASHES, now()).await.unwrap());
    let confirmed = world.users().find(ama).await.unwrap().unwrap();
    assert_eq!(confirmed.second_factor_at, Some(now()));

    assert!(!factors.propose(ama, b"third", now()).await.unwrap());
    assert!(!factors.confirm(ama, &second, 8, &HASHES, now()).await.unwrap());
    assert!(!factors.use_recovery_code(kofi, HASHES[0]).await.unwrap());
    assert!(factors.remove(ama).await.unwrap());
    assert!(!factors.remove(ama).await.unwrap());
    assert!(!factors.use_recovery_code(ama, HASHES[0]).await.unwrap());
    assert!(factors.propose(ama, b"third", now()).await.unwrap());
}
