//! Members and invitations, under concurrency.

use std::{slice, time::Duration};

use domain::{
    identity::{
        invitation::{InvitationRequest, LIFETIME},
        membership::{ChangeKind, MemberChange},
        organization::{Organization, Role},
        session::Attempts,
        user::User,
    },
    shared::id::Id,
};
use ports::identity::{identity_store::IdentityStore, invitations::InvitationRepository};

use crate::{World, minutes, now};

/// Removes a member under the lock of the organization if the rules allow it, as a request does.
async fn leave(world: &World, organization: Id<Organization>, user: Id<User>) -> bool {
    let mut tx = world.store.begin().await.unwrap();
    tx.lock_organization(organization).await.unwrap();
    let members = tx.members(organization).await.unwrap();
    let change = MemberChange { by: user, user, kind: ChangeKind::Remove };
    if change.check(&members).is_err() {
        return false;
    }
    // The other request begins meanwhile.
    tokio::time::sleep(Duration::from_millis(50)).await;
    tx.remove_member(organization, user).await.unwrap();
    tx.commit().await.unwrap();
    true
}

#[tokio::test]
async fn of_two_owners_who_leave_at_once_one_stays() {
    let world = World::new().await;
    let (ama, kofi) = (world.user().await, world.user().await);
    let organization = world.organization().await.id;
    let mut tx = world.begin().await;
    for user in [ama.id, kofi.id] {
        tx.put_member(organization, user, Role::Owner, now()).await.unwrap();
    }
    tx.commit().await.unwrap();

    let (one, two) =
        tokio::join!(leave(&world, organization, ama.id), leave(&world, organization, kofi.id));

    assert_eq!([one, two].into_iter().filter(|has_left| *has_left).count(), 1);
    let members = world.organizations().members(organization).await.unwrap();
    assert_eq!(members.len(), 1);
    assert_eq!(members[0].role, Role::Owner);
    let left = if one { ama.id } else { kofi.id };
    assert_eq!(world.organizations().role(organization, left).await.unwrap(), None);
}

#[tokio::test]
async fn an_open_invitation_is_found_and_taken_once_by_its_token() {
    let world = World::new().await;
    let ama = world.user().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let request =
        InvitationRequest { email: Some("Esi@example.com".into()), role: Role::Developer };
    let invitation = request.check(own, ama.id, now()).unwrap();
    let mut tx = world.begin().await;
    tx.insert_invitation(&invitation, [1; 32]).await.unwrap();
    tx.commit().await.unwrap();
    let invitations: &dyn InvitationRepository = &world.store;
    let (late, expired) = (now() + LIFETIME - minutes(1), now() + LIFETIME);

    for (organization, hash, at) in
        [(own, [2; 32], now()), (other, [1; 32], now()), (own, [1; 32], expired)]
    {
        assert_eq!(invitations.find(organization, hash, at).await.unwrap(), None);
        let taken = world.begin().await.take_invitation(organization, hash, at).await;
        assert_eq!(taken.unwrap(), None);
    }
    let found = invitations.find(own, [1; 32], late).await.unwrap();
    assert_eq!(found.as_ref(), Some(&invitation));
    assert_eq!(invitations.list(own, late).await.unwrap(), slice::from_ref(&invitation));
    assert_eq!(invitations.list(own, expired).await.unwrap(), []);

    let take = async || {
        let mut tx = world.begin().await;
        let taken = tx.take_invitation(own, [1; 32], late).await.unwrap();
        tx.commit().await.unwrap();
        taken
    };
    let (one, two) = tokio::join!(take(), take());
    assert_eq!(one.or(two), Some(invitation));
    assert_eq!(take().await, None);
}

#[tokio::test]
async fn an_expired_invitation_gives_way_to_another_to_the_same_address() {
    let world = World::new().await;
    let (ama, kofi) = (world.user().await, world.user().await);
    let organization = world.organization().await.id;
    let invitation = |email: &str, at| {
        let request = InvitationRequest { email: Some(email.into()), role: Role::Viewer };
        request.check(organization, ama.id, at).unwrap()
    };
    let old = invitation("esi@example.com", now() - LIFETIME);
    let new = invitation("ESI@example.com", now());
    let renewed = new.clone().renewed(kofi.id, now() + minutes(1));
    let mut tx = world.begin().await;
    tx.insert_invitation(&old, [1; 32]).await.unwrap();
    tx.insert_invitation(&new, [2; 32]).await.unwrap();
    assert_eq!(tx.invitations(organization, now()).await.unwrap(), slice::from_ref(&new));

    tx.renew_invitation(&renewed, [3; 32]).await.unwrap();
    assert_eq!(tx.take_invitation(organization, [2; 32], now()).await.unwrap(), None);
    assert_eq!(tx.invitations(organization, now()).await.unwrap(), [renewed]);
    assert!(!tx.delete_invitation(organization, old.id).await.unwrap());
    assert!(tx.delete_invitation(organization, new.id).await.unwrap());
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn mails_count_for_the_organization_and_for_the_address() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let email = format!("Esi-{own}@example.com");
    for (organization, at, from, to) in [
        (own, 0, (1, 0), (1, 0)),
        (other, 10, (1, 10), (2, 0)),
        (own, 60, (2, 0), (3, 0)),
        (own, 61, (1, 61), (1, 61)),
        (other, 62, (2, 10), (2, 61)),
    ] {
        let at = now() + minutes(at);
        let mut tx = world.begin().await;
        let email = if organization == own { email.clone() } else { email.to_lowercase() };
        let counted = tx.count_invitation_mail(organization, &email, at, at - minutes(60)).await;
        tx.commit().await.unwrap();
        let attempts = |(count, since)| Attempts { count, since: now() + minutes(since) };
        assert_eq!(counted.unwrap(), [attempts(from), attempts(to)], "{organization} at {at}");
    }
}
