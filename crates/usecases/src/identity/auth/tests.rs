//! Rules of registration and sign-in.

mod account;
mod impersonation;
mod registration;
mod resets;
mod verification;

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Mutex,
};

use chrono::TimeDelta;
use domain::{
    identity::{
        organization::{Organization, Profile, Role, Settings},
        session::{Attempts, Claims, LOGIN_WINDOW, LoginAttempts},
        user::{Registration, User},
    },
    providers::provider::Provider,
    shared::{channel::Channel, id::Id, money::Money},
};
use ports::{
    identity::auth::TokenError,
    messaging::messages::Submission,
    shared::{
        mock::{
            MockAuditLog, MockDeliveryLogRepository, MockIdentityStore, MockIdentityTransaction,
            MockIntake, MockJobs, MockMessagingProvider, MockOrganizationRepository,
            MockPasswordHasher, MockRevokedSessions, MockSealer, MockSecondFactorRepository,
            MockSessionRepository, MockTemplateRepository, MockTokenIssuer, MockUserRepository,
            MockWalletRepository,
        },
        traces::Tracer,
    },
};

use super::*;
use crate::{
    identity::second_factors::SecondFactorsDeps,
    messaging::messages::Messages,
    messaging::{deliveries::Deliveries, messages::MessagesDeps},
    providers::provider_registry::{ConfiguredProvider, Providers},
    shared::{
        fixtures::{
            NOW, SECRET, clock, delivering, open_intake, policies, price_list, prices, provider,
            random, tenant, user,
        },
        limits::Limits,
    },
};

const CREDIT: Money = Money::from_cedis(10);
const EMAIL: &str = "ama@example.com";
const PASSWORD: &str = "correct horse";
const HASH: &str = "hash of it";
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// Mocked dependencies; a call without an expectation fails the test.
struct AuthMocks {
    users: MockUserRepository,
    organizations: MockOrganizationRepository,
    identity: MockIdentityStore,
    wallets: MockWalletRepository,
    passwords: MockPasswordHasher,
    tokens: MockTokenIssuer,
    revoked_sessions: MockRevokedSessions,
    sessions: MockSessionRepository,
    audit_log: MockAuditLog,
    intake: MockIntake,
}

impl AuthMocks {
    fn new() -> Self {
        let mut tokens = MockTokenIssuer::new();
        tokens.expect_issue().returning(|claims| Ok(format!("token of {}", claims.user)));
        let mut sessions = MockSessionRepository::new();
        sessions.expect_insert().returning(|_| Ok(()));
        Self {
            users: MockUserRepository::new(),
            organizations: MockOrganizationRepository::new(),
            identity: MockIdentityStore::new(),
            wallets: MockWalletRepository::new(),
            passwords: MockPasswordHasher::new(),
            tokens,
            revoked_sessions: MockRevokedSessions::new(),
            sessions,
            audit_log: MockAuditLog::new(),
            intake: MockIntake::new(),
        }
    }

    fn over(users: MockUserRepository) -> Self {
        Self { users, ..Self::new() }
    }

    /// Dependencies whose changes happen in this transaction.
    fn within(transaction: MockIdentityTransaction) -> Self {
        Self { identity: MockIdentityStore::with(transaction), ..Self::new() }
    }

    /// Expects one hash.
    fn hashing(mut self) -> Self {
        let hash = self.passwords.expect_hash().once();
        hash.withf(|password| password == PASSWORD).returning(|_| Ok(HASH.to_owned()));
        self
    }

    /// Expects one verification, against `hash`.
    fn verifying(mut self, hash: Option<&'static str>, matches: bool) -> Self {
        let verify = self.passwords.expect_verify().once();
        verify
            .withf(move |_, against| against.as_deref() == hash)
            .return_once(move |_, _| Ok(matches));
        self
    }

    fn reading(mut self, claims: Result<Claims, TokenError>) -> Self {
        self.tokens.expect_read().once().return_once(|_| claims);
        self
    }

    /// Expects that one organization is provisioned.
    fn provisioning(mut self) -> Self {
        let open = self.wallets.expect_open().once();
        open.withf(|_, credit, now| (*credit, *now) == (CREDIT, NOW)).returning(|_, _, _| Ok(()));
        self.organizations.expect_mark_provisioned().once().returning(|_| Ok(()));
        self
    }

    fn auth(self) -> Auth {
        self.auth_under(RegistrationRule::Open)
    }

    fn auth_under(self, registration: RegistrationRule) -> Auth {
        let organizations = Arc::new(self.organizations);
        let wallets = Arc::new(self.wallets);
        let provisioning = Provisioning::new(organizations.clone(), wallets, clock(), CREDIT);
        Auth::new(AuthDeps {
            users: Arc::new(self.users),
            policies: policies(organizations.clone()),
            organizations,
            identity: Arc::new(self.identity),
            passwords: Arc::new(self.passwords),
            second_factors: second_factors(),
            tokens: Arc::new(self.tokens),
            revoked_sessions: Arc::new(self.revoked_sessions),
            sessions: Arc::new(self.sessions),
            audit_log: Arc::new(self.audit_log),
            provisioning,
            mailer: Arc::new(messages(self.intake)),
            clock: clock(),
            random: random(),
            registration,
        })
    }
}

/// Second factors that nobody has.
fn second_factors() -> SecondFactors {
    SecondFactors::new(SecondFactorsDeps {
        repository: Arc::new(MockSecondFactorRepository::new()),
        users: Arc::new(MockUserRepository::new()),
        passwords: Arc::new(MockPasswordHasher::new()),
        sealer: Arc::new(MockSealer::new()),
        clock: clock(),
        random: random(),
        are_required: true,
    })
}

/// Messages with one mail provider.
fn messages(intake: MockIntake) -> Messages {
    let mail = provider("mail", 1, TimeDelta::minutes(10));
    let carrier = ConfiguredProvider {
        provider: Provider { channel: Channel::Email, ..mail },
        adapter: Arc::new(MockMessagingProvider::new()),
    };
    let sandbox = Arc::new(MockMessagingProvider::new());
    let providers = Arc::new(Providers::new(vec![carrier], sandbox, None));
    let jobs = Arc::new(MockJobs::new());
    let deliveries = Deliveries::new(delivering(jobs, Arc::clone(&providers), clock()));
    Messages::new(MessagesDeps {
        templates: Arc::new(MockTemplateRepository::new()),
        delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
        intake: Arc::new(intake),
        prices: prices(price_list()),
        providers,
        deliveries,
        clock: clock(),
        limits: Limits::off(),
        fraud_guard: None,
        tracer: Tracer::default(),
    })
}

fn registration() -> Registration {
    Registration {
        email: Some(EMAIL.into()),
        password: Some(PASSWORD.into()),
        first_name: Some("Ama".into()),
        last_name: Some("Mensah".into()),
        organization_name: Some("Kente Ltd".into()),
    }
}

fn credentials() -> Credentials {
    let (email, password) = (Some(EMAIL.into()), Some(PASSWORD.into()));
    Credentials { email, password, ..Credentials::default() }
}

/// Users that count the sign-in as number `attempts` and find `user` by the address.
fn signing_in(attempts: u32, user: Option<User>) -> MockUserRepository {
    let mut users = MockUserRepository::new();
    let count = users.expect_count_login().once();
    let attempts = Attempts { count: attempts, since: NOW - TimeDelta::minutes(5) };
    count
        .withf(|email, address, now, since| {
            (email, address, *now, *since) == (EMAIL, "192.0.2.1", NOW, NOW - LOGIN_WINDOW)
        })
        .return_once(move |_, _, _, _| {
            Ok(LoginAttempts { from_address: attempts, in_all: attempts })
        });
    users.expect_find_by_email().return_once(|_| Ok(user));
    users
}

#[tokio::test]
async fn rejects_registrations_when_registration_is_closed() {
    for (rule, reason) in [
        (RegistrationRule::Closed, REGISTRATION_CLOSED),
        (RegistrationRule::Invited, INVITATION_REQUIRED),
    ] {
        let auth = AuthMocks::new().auth_under(rule);

        let refused = auth.register(Registration::default(), ADDRESS, Faults::default()).await;

        assert_eq!(refused.unwrap_err().reason(), Some(&reason));
    }
}

#[tokio::test]
async fn a_faulty_registration_costs_no_hashing() {
    let registration = Registration { password: Some("short".into()), ..registration() };
    let found = Faults::field("firstName", "must be a string");

    let error = AuthMocks::new().auth().register(registration, ADDRESS, found).await.unwrap_err();

    let Error::Invalid(faults) = error else { panic!("{error}") };
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["firstName", "password"]);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_look_and_cost_the_same() {
    for (user, hash) in [(Some(user()), Some(HASH)), (None, None)] {
        let auth = AuthMocks::over(signing_in(1, user)).verifying(hash, false).auth();

        let error = auth.login(credentials(), ADDRESS, Faults::default()).await.unwrap_err();

        assert_eq!(error.code(), "INVALID_CREDENTIALS", "{error}");
    }
}

/// Authenticates a token whose session is stored with that version, if at all.
async fn authenticated(
    claims: Claims,
    user: Option<User>,
    version: Option<i32>,
) -> Result<User, Error> {
    let mut users = MockUserRepository::new();
    users.expect_find_signed_in().return_once(move |_| Ok(user.map(|user| (user, version))));
    let auth = AuthMocks::over(users).reading(Ok(claims)).auth();
    auth.authenticate("token").await.map(|session| session.user)
}

#[tokio::test]
async fn a_session_holds_until_it_ends_or_the_password_changes() {
    let claims = Claims::begin(&user(), NOW);
    assert_eq!(authenticated(claims.clone(), Some(user()), None).await.unwrap(), user());

    let expired = Claims { expires_at: NOW, ..claims.clone() };
    let renewed = User { session_version: 2, ..user() };
    for (claims, user, version) in [
        (expired, Some(user()), Some(1)),
        (claims.clone(), Some(renewed.clone()), None),
        (claims.clone(), Some(renewed.clone()), Some(1)),
        (claims.clone(), None, None),
    ] {
        let error = authenticated(claims, user, version).await.unwrap_err();
        assert_eq!(error.reason(), Some(&SESSION_ENDED), "{error}");
    }
    // The session in which the password was changed.
    assert_eq!(authenticated(claims, Some(renewed.clone()), Some(2)).await.unwrap(), renewed);
}
