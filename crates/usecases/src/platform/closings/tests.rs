//! Rules of closing organizations.

use std::sync::Mutex;

use async_trait::async_trait;
use domain::{
    identity::organization::{Profile, Settings},
    money::wallet::Wallet,
};
use ports::{
    platform::wallet_corrections::CorrectionOutcome,
    shared::mock::{
        MockAuditLog, MockCampaignRepository, MockClosingRepository, MockIdentityStore,
        MockIdentityTransaction, MockOrganizationRepository, MockWalletCorrectionRepository,
        MockWalletRepository,
    },
};

use super::*;
use crate::shared::fixtures::{NOW, PRICE, clock, member, policies, tenant};

/// Scheduled messages and mails of an organization, as numbers of cancellations and addresses.
#[derive(Default)]
struct Outbox {
    cancellations: Mutex<usize>,
    mailed: Mutex<Vec<String>>,
}

#[async_trait]
impl MessageCancellation for Outbox {
    async fn cancel_scheduled(&self, _: Id<Organization>, _: usize) -> Result<usize, Error> {
        *self.cancellations.lock().unwrap() += 1;
        Ok(0)
    }
}

#[async_trait]
impl Mailer for Outbox {
    async fn send_service_mail(&self, _: &str, _: &str, _: String) -> Result<(), Error> {
        Ok(())
    }

    async fn send_service_notice(
        &self,
        to: &str,
        _: &str,
        _: String,
        _: String,
    ) -> Result<(), Error> {
        self.mailed.lock().unwrap().push(to.to_owned());
        Ok(())
    }
}

/// Mocked dependencies without expectations.
#[derive(Default)]
struct Mocks {
    closings: MockClosingRepository,
    organizations: MockOrganizationRepository,
    identity: MockIdentityStore,
    wallets: MockWalletRepository,
    corrections: MockWalletCorrectionRepository,
    audit_log: MockAuditLog,
    outbox: Arc<Outbox>,
}

impl Mocks {
    /// Dependencies of an organization that was closed at that time, if at all.
    fn of(closed_at: Option<DateTime<Utc>>) -> Self {
        let mut mocks = Self::default();
        let known = organization(closed_at);
        let settings = known.settings.clone();
        mocks.organizations.expect_find().returning(move |_| Ok(Some(known.clone())));
        mocks.organizations.expect_settings().returning(move |_| Ok(Some(settings.clone())));
        mocks.organizations.expect_members().returning(|_| Ok(Vec::new()));
        mocks
    }

    /// Balances of the wallet, one after the other.
    fn with_balances<const N: usize>(mut self, balances: [Money; N]) -> Self {
        let mut balances = balances.into_iter();
        self.wallets.expect_find().times(balances.len()).returning(move |_| {
            Ok(balances.next().map(|balance| Wallet { balance, updated_at: NOW }))
        });
        self
    }

    fn closings(self) -> Closings {
        Closings::new(ClosingsDeps {
            closings: Arc::new(self.closings),
            organizations: Arc::new(self.organizations),
            identity: Arc::new(self.identity),
            wallets: Arc::new(self.wallets),
            corrections: Arc::new(self.corrections),
            campaigns: Arc::new(MockCampaignRepository::new()),
            scheduled: Arc::clone(&self.outbox) as _,
            mailer: self.outbox,
            audit_log: Arc::new(self.audit_log),
            policies: policies(Arc::new(MockOrganizationRepository::new())),
            clock: clock(),
        })
    }
}

fn organization(closed_at: Option<DateTime<Utc>>) -> Organization {
    Organization {
        id: tenant(),
        name: "Kente".into(),
        profile: Profile::default(),
        settings: Settings { closed_at, ..Settings::default() },
        created_at: NOW,
    }
}

fn request() -> RequestId {
    RequestId::new("request-1")
}

fn forfeiting(at: DateTime<Utc>) -> Closing {
    Closing { organization: tenant(), closed_by: Id::new(NOW), forfeits: true, at }
}

#[tokio::test]
async fn nothing_changes_while_the_wallet_holds_money_that_is_not_given_up() {
    let mocks = Mocks::of(None).with_balances([PRICE]);
    let outbox = Arc::clone(&mocks.outbox);

    let refused = mocks.closings().close(&member(Role::Owner), false, request()).await;

    assert_eq!(refused.unwrap_err().code(), "WALLET_NOT_EMPTY");
    assert_eq!(*outbox.cancellations.lock().unwrap(), 0);
}

#[tokio::test]
async fn refunds_of_scheduled_messages_are_in_the_wallet_before_it_is_closed() {
    let mut mocks = Mocks::of(None).with_balances([Money::ZERO, PRICE]);
    mocks.closings.expect_running_campaigns().returning(|_, _| Ok(Vec::new()));
    let outbox = Arc::clone(&mocks.outbox);

    let refused = mocks.closings().close(&member(Role::Owner), false, request()).await;

    assert_eq!(refused.unwrap_err().code(), "WALLET_NOT_EMPTY");
    assert_eq!(*outbox.cancellations.lock().unwrap(), 1);
}

#[tokio::test]
async fn only_an_owner_closes_or_restores() {
    for role in [Role::Admin, Role::Developer, Role::Viewer] {
        let closings = Mocks::of(Some(NOW)).closings();
        let closed = closings.close(&member(role), true, request()).await;
        assert_eq!(closed.unwrap_err().code(), "FORBIDDEN", "{role}");
        let restored = closings.restore(&member(role), request()).await;
        assert_eq!(restored.unwrap_err().code(), "FORBIDDEN", "{role}");
    }
}

#[tokio::test]
async fn an_organization_is_restored_within_thirty_days() {
    let closed_at = NOW - TimeDelta::days(29);
    let mut mocks = Mocks::of(Some(closed_at));
    mocks.audit_log.expect_record().once().returning(|entry| {
        assert_eq!(entry.action, AuditAction::OrganizationRestored);
        Ok(())
    });
    let mut tx = MockIdentityTransaction::new();
    tx.expect_lock_organization().return_once(move |_| Ok(Some(organization(Some(closed_at)))));
    tx.expect_update_organization().once().returning(|changed| {
        assert_eq!(changed.settings.closed_at, None);
        Ok(())
    });
    tx.expect_commit().once().returning(|| Ok(()));
    mocks.identity = MockIdentityStore::with(tx);
    let delete = mocks.closings.expect_delete().once();
    delete.withf(move |_, at| *at == closed_at).returning(|_, _| Ok(()));

    mocks.closings().restore(&member(Role::Owner), request()).await.unwrap();

    let late = Mocks::of(Some(NOW - TimeDelta::days(30))).closings();
    let refused = late.restore(&member(Role::Owner), request()).await;
    assert_eq!(refused.unwrap_err().code(), "NOT_FOUND");
}

#[tokio::test]
async fn money_that_is_refunded_later_is_forfeited_too() {
    let (held, balance) = (PRICE, PRICE + PRICE);
    let mut mocks = Mocks::of(Some(NOW)).with_balances([balance]);
    let closing = forfeiting(NOW - TimeDelta::days(2));
    mocks.closings.expect_unsettled().once().returning(move |_, _| Ok(vec![closing]));
    mocks.closings.expect_running_campaigns().returning(|_, _| Ok(Vec::new()));
    // A refund is in the journal, and not in the wallet yet.
    let attempts = Arc::new(Mutex::new(Vec::new()));
    let made = Arc::clone(&attempts);
    mocks.corrections.expect_make().times(2).returning(move |correction, _, entry| {
        assert_eq!((correction.reason.as_str(), entry.resource_type), ("forfeited", "WALLET"));
        made.lock().unwrap().push(correction.amount);
        if correction.amount == -balance {
            return Ok(CorrectionOutcome::Insufficient(held));
        }
        let (correction, balance) = (correction.clone(), Money::ZERO);
        Ok(CorrectionOutcome::Made { correction, balance, is_new: true })
    });

    mocks.closings().settle_all().await.unwrap();

    assert_eq!(*attempts.lock().unwrap(), [-balance, -held]);
}

#[tokio::test]
async fn an_organization_that_is_restored_meanwhile_keeps_its_money() {
    let mut mocks = Mocks::default().with_balances([PRICE]);
    let closing = forfeiting(NOW - TimeDelta::days(2));
    mocks.closings.expect_unsettled().once().returning(move |_, _| Ok(vec![closing]));
    mocks.closings.expect_running_campaigns().returning(|_, _| Ok(Vec::new()));
    let mut closed = [Some(NOW), None].into_iter();
    mocks.organizations.expect_settings().times(2).returning(move |_| {
        Ok(closed.next().map(|closed_at| Settings { closed_at, ..Settings::default() }))
    });

    mocks.closings().settle_all().await.unwrap();
}

#[tokio::test]
async fn a_closing_that_was_cut_short_or_has_ended_takes_no_money() {
    let mut mocks = Mocks::of(None);
    let closing = forfeiting(NOW - TimeDelta::minutes(2));
    mocks.closings.expect_unsettled().once().returning(move |_, _| Ok(vec![closing]));
    mocks.closings.expect_delete().once().returning(|_, _| Ok(()));

    mocks.closings().settle_all().await.unwrap();
}
