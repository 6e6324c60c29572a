//! Rules of second factors that depend on the order of calls, or on failures of the sealer.

use std::net::Ipv4Addr;

use chrono::TimeDelta;
use domain::identity::{
    session::{Attempts, LoginAttempts},
    user::PlatformRole,
};
use ports::shared::mock::{
    MockPasswordHasher, MockSealer, MockSecondFactorRepository, MockUserRepository,
};

use super::*;
use crate::shared::fixtures::{self, NOW, SECRET, clock, random};

const EMAIL: &str = "ama@example.com";
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

fn user() -> User {
    User { second_factor_at: Some(NOW), ..fixtures::user() }
}

/// Mocked dependencies; a call without an expectation fails the test.
#[derive(Default)]
struct Mocks {
    repository: MockSecondFactorRepository,
    users: MockUserRepository,
    passwords: MockPasswordHasher,
    sealer: MockSealer,
}

impl Mocks {
    fn second_factors(self, are_required: bool) -> SecondFactors {
        SecondFactors::new(SecondFactorsDeps {
            repository: Arc::new(self.repository),
            users: Arc::new(self.users),
            passwords: Arc::new(self.passwords),
            sealer: Arc::new(self.sealer),
            clock: clock(),
            random: random(),
            are_required,
        })
    }

    /// Expects that the attempt is counted as number `count`, and not forgotten.
    fn counting(mut self, count: u32) -> Self {
        let attempts = Attempts { count, since: NOW - TimeDelta::minutes(5) };
        let counting = self.users.expect_count_login().once();
        counting
            .withf(|email, address, _, _| (email, address) == (EMAIL, "192.0.2.1"))
            .return_once(move |_, _, _, _| {
                Ok(LoginAttempts { from_address: attempts, in_all: attempts })
            });
        self
    }
}

fn with_code(code: &str) -> Proof {
    Proof { code: Some(code.to_owned()), recovery_code: None }
}

#[tokio::test]
async fn a_secret_that_cannot_be_opened_is_a_failure_of_the_service() {
    let mut mocks = Mocks::default();
    let stored = StoredFactor { sealed_secret: vec![1], last_step: None };
    mocks.repository.expect_find().return_once(|_| Ok(Some(stored)));
    let open = mocks.sealer.expect_open().once();
    let id = user().id.uuid();
    open.withf(move |sealed, owner| sealed == [1] && owner == id.as_bytes())
        .return_once(|_, _| Err(SealError));

    let failed = mocks.second_factors(false).check(&user(), &with_code("123456")).await;

    assert!(matches!(failed, Err(Error::Internal(_))), "{failed:?}");
}

#[tokio::test]
async fn a_secret_is_sealed_for_its_user_before_it_is_stored() {
    let user = User { second_factor_at: None, ..user() };
    let mut mocks = Mocks::default().counting(1);
    mocks.passwords.expect_verify().once().return_once(|_, _| Ok(true));
    mocks.users.expect_forget_logins().once().return_once(|_, _| Ok(()));
    let id = user.id.uuid();
    let seal = mocks.sealer.expect_seal().once();
    seal.withf(move |secret, owner| secret == &SECRET[..20] && owner == id.as_bytes())
        .return_once(|_, _| Ok(b"sealed".to_vec()));
    let propose = mocks.repository.expect_propose().once();
    propose
        .withf(|_, sealed, now| sealed == b"sealed" && *now == NOW)
        .return_once(|_, _, _| Ok(true));

    let password = Some("correct horse".to_owned());
    let second_factors = mocks.second_factors(false);
    let enrolment = second_factors.propose(&user, password, ADDRESS, Faults::default()).await;

    assert_eq!(enrolment.unwrap().secret, "A4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYH");
}

#[tokio::test]
async fn too_many_attempts_are_refused_before_the_password_is_hashed() {
    let second_factors = Mocks::default().counting(11).second_factors(false);

    let password = Some("correct horse".to_owned());
    let proof = with_code("123456");
    let refused =
        second_factors.remove(&user(), password, &proof, ADDRESS, Faults::default()).await;

    assert_eq!(refused.unwrap_err().code(), "RATE_LIMITED");
}

#[test]
fn only_administrators_without_a_second_factor_are_refused() {
    let admin = User { platform_role: Some(PlatformRole::SuperAdmin), ..user() };
    let without = |user: &User| User { second_factor_at: None, ..user.clone() };
    for (user, are_required, is_refused) in [
        (without(&admin), true, true),
        (without(&admin), false, false),
        (admin, true, false),
        (without(&user()), true, false),
    ] {
        let required = Mocks::default().second_factors(are_required).require(&user);
        assert_eq!(required.is_err(), is_refused, "{user:?} {are_required}");
    }
}
