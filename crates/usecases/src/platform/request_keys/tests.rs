//! Rules of idempotency keys that depend on the state of the key.

use domain::identity::organization::PLATFORM;
use ports::shared::mock::{MockRequestKeyRepository, MockSealer};

use super::*;
use crate::shared::fixtures::{NOW, clock};

const FIRST: [u8; 32] = [1; 32];
const OTHER: [u8; 32] = [2; 32];
const OWNER: KeyOwner = KeyOwner::Organization { id: PLATFORM, is_sandbox: false };

fn request(key: &str, fingerprint: Option<[u8; 32]>) -> KeyedRequest {
    let key = Some(key.to_owned());
    KeyedRequest { owner: OWNER, key, fingerprint, faults: Faults::default() }
}

/// Returns operations over a key in that state.
fn keys(state: KeyState, sealer: MockSealer) -> RequestKeys {
    let mut repository = MockRequestKeyRepository::new();
    repository.expect_claim().return_once(|_, _, _| Ok(state));
    RequestKeys::new(Arc::new(repository), Arc::new(sealer), clock())
}

/// Returns the code with which a request is refused, whose key is in that state.
async fn refusal(state: KeyState, fingerprint: Option<[u8; 32]>) -> &'static str {
    let keys = keys(state, MockSealer::new());
    keys.begin(request("order-1", fingerprint)).await.unwrap_err().code()
}

#[tokio::test]
async fn a_repetition_waits_for_the_first_and_another_request_is_refused_at_once() {
    let of_first = |fingerprint| KeyState::InProgress { fingerprint };

    assert_eq!(refusal(of_first(Some(FIRST)), Some(FIRST)).await, "IDEMPOTENCY_IN_PROGRESS");
    assert_eq!(refusal(of_first(Some(FIRST)), Some(OTHER)).await, "IDEMPOTENCY_KEY_REUSED");
    // The hash of a file is known when it has arrived.
    assert_eq!(refusal(of_first(None), Some(OTHER)).await, "IDEMPOTENCY_IN_PROGRESS");
    assert_eq!(refusal(of_first(Some(FIRST)), None).await, "IDEMPOTENCY_IN_PROGRESS");
}

#[tokio::test]
async fn a_faulty_key_is_reported_like_a_field() {
    let keys = RequestKeys::new(Arc::new(MockRequestKeyRepository::new()), sealing(), clock());

    for key in [String::new(), "k".repeat(256)] {
        let refused = keys.begin(request(&key, Some(FIRST))).await.unwrap_err();
        let Error::Invalid(faults) = refused else { panic!("{refused}") };
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["idempotencyKey"]);
    }
}

#[tokio::test]
async fn an_answer_is_repeated_for_the_same_request_only() {
    let mut sealer = MockSealer::new();
    sealer.expect_open().returning(|sealed, _| Ok(sealed.to_vec()));
    let answer = KeptAnswer { status: 201, sealed_body: Some(b"{}".to_vec()) };
    let keys = keys(KeyState::Answered { fingerprint: FIRST, answer }, sealer);

    let begun = keys.begin(request("order-1", None)).await.unwrap();

    let Begun::Repeated(repeated) = begun else { panic!("{begun:?}") };
    let again = keys.answer_again(&repeated, FIRST).unwrap();
    assert_eq!(again, FirstAnswer { status: 201, body: b"{}".to_vec() });
    let refused = keys.answer_again(&repeated, OTHER).unwrap_err();
    assert_eq!(refused.code(), "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_not_kept_but_its_request_is_not_repeated() {
    let mut repository = MockRequestKeyRepository::new();
    repository.expect_claim().once().return_once(|_, _, _| Ok(KeyState::Claimed));
    let keeping = repository.expect_keep().once();
    keeping
        .withf(|_, _, fingerprint, kept| *fingerprint == FIRST && kept.sealed_body.is_none())
        .return_once(|_, _, _, _| Ok(()));
    let keys = RequestKeys::new(Arc::new(repository), sealing(), clock());

    let begun = keys.begin(request("order-1", Some(FIRST))).await.unwrap();
    let Begun::First(first) = begun else { panic!("{begun:?}") };
    let answer = FirstAnswer { status: 201, body: vec![b'x'; MAX_KEPT + 1] };
    keys.finish(&first, FIRST, &answer).await;

    let key = RequestKey { owner: OWNER, text: "order-1".into() };
    let answer = KeptAnswer { status: 201, sealed_body: None };
    let repeated = RepeatedRequest { key, fingerprint: FIRST, answer };
    let refused = keys.answer_again(&repeated, FIRST).unwrap_err();
    assert_eq!(refused.code(), "ANSWER_NOT_KEPT");
}

#[tokio::test]
async fn a_request_with_a_body_that_is_read_later_has_more_time() {
    for (fingerprint, lease) in [(Some(FIRST), LEASE), (None, LONG_LEASE)] {
        let mut repository = MockRequestKeyRepository::new();
        repository
            .expect_claim()
            .withf(move |_, claim, _| {
                claim.leased_until == NOW + lease && claim.expires_at == NOW + KEPT_FOR
            })
            .return_once(|_, _, _| Ok(KeyState::Claimed));
        let keys = RequestKeys::new(Arc::new(repository), sealing(), clock());
        assert!(matches!(keys.begin(request("k", fingerprint)).await, Ok(Begun::First(_))));
    }
}

/// Returns a sealer that must not be called.
fn sealing() -> Arc<MockSealer> {
    Arc::new(MockSealer::new())
}
