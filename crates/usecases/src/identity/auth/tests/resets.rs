//! Password resets.

use domain::identity::session::{RESET_LIFETIME, RESET_MAIL_WINDOW};

use super::*;
use crate::shared::digest;

const PAGE: &str = "https://notify.example.com/auth/reset-password";

/// Requests reset mail number `mails` for `user`. Returns the mail sent, if any, and the stored hash of
/// its token.
async fn reset(user: Option<User>, mails: u32) -> (Vec<Submission>, Option<[u8; 32]>) {
    let kept = Arc::new(Mutex::new(None));
    let mut users = MockUserRepository::new();
    users.expect_find_by_email().once().return_once(|_| Ok(user));
    users.expect_count_reset_mail().returning(move |_, now, since| {
        assert_eq!((now, since), (NOW, NOW - RESET_MAIL_WINDOW));
        Ok(mails)
    });
    let hash = Arc::clone(&kept);
    users.expect_insert_reset_token().returning(move |_, token, expires_at| {
        assert_eq!(expires_at, NOW + RESET_LIFETIME);
        *hash.lock().unwrap() = Some(token);
        Ok(())
    });
    let (intake, submissions) = open_intake();

    AuthMocks { intake, ..AuthMocks::over(users) }.auth().mail_reset(EMAIL, PAGE).await.unwrap();

    let submissions = submissions.lock().unwrap().clone();
    let kept = *kept.lock().unwrap();
    (submissions, kept)
}

#[tokio::test]
async fn a_reset_link_is_mailed_and_only_the_hash_of_its_token_is_kept() {
    let (submissions, kept) = reset(Some(user()), 3).await;

    let message = &submissions[0].messages[0];
    let token = hex(&SECRET);
    assert_eq!((submissions.len(), message.draft.recipient.as_str()), (1, EMAIL));
    let link = format!("\n{PAGE}?token={token}\n");
    assert!(message.draft.body.contains(&link) && message.is_confidential);
    assert!(!message.draft.body.contains(&user().first_name), "a stranger may have chosen it");
    assert_eq!(kept, Some(digest::of_secret(token.as_bytes())));
}

#[tokio::test]
async fn an_unregistered_address_gets_no_reset_mail() {
    let (submissions, kept) = reset(None, 1).await;
    assert!(submissions.is_empty() && kept.is_none());
}

#[tokio::test]
async fn the_fourth_mail_within_an_hour_is_not_sent() {
    let (submissions, kept) = reset(Some(user()), 4).await;
    assert!(submissions.is_empty() && kept.is_none());
}

async fn set_password(tx: MockIdentityTransaction) -> Result<(), Error> {
    let (token, password) = (Some("token".to_owned()), Some(PASSWORD.to_owned()));
    let auth = AuthMocks::within(tx).hashing().auth();
    auth.reset_password(token, password, Faults::default()).await
}

#[tokio::test]
async fn a_reset_token_sets_one_password() {
    let mut tx = MockIdentityTransaction::new();
    let take = tx.expect_take_reset_token().once();
    take.withf(|hash, now| *hash == digest::of_secret(b"token") && *now == NOW)
        .returning(|_, _| Ok(Some(user().id)));
    tx.expect_lock_user().once().returning(|_| Ok(Some(user())));
    let set = tx.expect_set_password().once();
    set.withf(|id, hash| (*id, hash) == (user().id, HASH)).returning(|_, _| Ok(()));
    // Possession of the token proves access to the mailbox.
    tx.expect_verify_email().once().returning(|_, _| Ok(()));
    let forget = tx.expect_forget_all_logins().once();
    forget.withf(|id| *id == user().id).returning(|_| Ok(()));
    tx.expect_commit().once().returning(|| Ok(()));

    set_password(tx).await.unwrap();
}

#[tokio::test]
async fn a_password_with_the_address_consumes_no_token() {
    let mut tx = MockIdentityTransaction::new();
    tx.expect_take_reset_token().once().returning(|_, _| Ok(Some(user().id)));
    // The password is the local part of the address.
    let owner = User { email: "correct horse@example.com".into(), ..user() };
    tx.expect_lock_user().once().return_once(|_| Ok(Some(owner)));

    let Err(Error::Invalid(faults)) = set_password(tx).await else { panic!("it was set") };

    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["password"]);
}
