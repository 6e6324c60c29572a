//! Rules of evaluating recommendations.

use domain::{
    identity::organization::Role,
    messaging::delivery::Status,
    money::wallet::Wallet,
    platform::analytics::Count,
    shared::{channel::Channel, money::Money, page::Paged},
};
use mockall::predicate::eq;
use ports::shared::mock::{
    MockAnalyticsRepository, MockApiKeyRepository, MockClock, MockEventRepository,
    MockRecommendationRepository, MockWalletRepository, MockWebhookEndpointRepository,
};

use super::*;
use crate::shared::fixtures::{NOW, member};

fn service(recommendations: MockRecommendationRepository, facts: Option<Money>) -> Recommendations {
    let mut analytics = MockAnalyticsRepository::new();
    let (mut wallets, mut api_keys) = (MockWalletRepository::new(), MockApiKeyRepository::new());
    let mut events = MockEventRepository::new();
    let mut webhook_endpoints = MockWebhookEndpointRepository::new();
    if let Some(balance) = facts {
        let spent = Count {
            since: NOW.date_naive(),
            channel: Channel::Sms,
            status: Status::Delivered,
            messages: 2_000,
            segments: 2_000,
            cost: Money::from_cedis(70),
        };
        analytics
            .expect_counts()
            .withf(|_, since, _| *since == NOW.date_naive() - Days::new(29))
            .return_once(move |_, _, _| Ok(vec![spent]));
        let wallet = Wallet { balance, updated_at: NOW };
        wallets.expect_find().return_once(move |_| Ok(Some(wallet)));
        api_keys.expect_list().return_once(|_| Ok(Vec::new()));
        events
            .expect_page()
            .returning(|_, _, page| Ok(Paged::counted(Vec::new(), page, 101)))
            .times(2);
        webhook_endpoints.expect_list().return_once(|_| Ok(Vec::new()));
    }
    Recommendations::new(RecommendationsDeps {
        recommendations: Arc::new(recommendations),
        analytics: Arc::new(analytics),
        wallets: Arc::new(wallets),
        api_keys: Arc::new(api_keys),
        events: Arc::new(events),
        webhook_endpoints: Arc::new(webhook_endpoints),
        clock: Arc::new(MockClock::at(NOW)),
    })
}

/// Repository with stored recommendations that are due at that time.
fn kept(due_at: Option<DateTime<Utc>>) -> MockRecommendationRepository {
    let mut kept = MockRecommendationRepository::new();
    let found = KeptRecommendations { due_at, ..KeptRecommendations::default() };
    kept.expect_find().return_once(move |_| Ok(found));
    kept
}

#[tokio::test]
async fn due_recommendations_are_evaluated_and_stored_for_an_hour() {
    for due_at in [None, Some(NOW)] {
        let caller = member(Role::Viewer);
        let mut kept = kept(due_at);
        kept.expect_claim()
            .with(eq(caller.organization), eq(NOW), eq(NOW + TimeDelta::minutes(1)))
            .return_once(|_, _, _| Ok(true));
        kept.expect_newest_messages().return_once(|_, _, _| Ok(Vec::new()));
        kept.expect_keep()
            .withf(|_, made| {
                made.items.len() == 1 && made.due_at == Some(NOW + TimeDelta::hours(1))
            })
            .once()
            .return_once(|_, _| Ok(()));

        let made = service(kept, Some(Money::from_cedis(10))).list(&caller).await.unwrap();

        assert_eq!(made.evaluated_at, Some(NOW));
        assert_eq!(made.items[0].code.as_str(), "WALLET_RUNS_DRY");
    }
}

#[tokio::test]
async fn returns_stored_recommendations_until_due_or_while_leased() {
    let later = Some(NOW + TimeDelta::seconds(1));
    let early = service(kept(later), None).list(&member(Role::Viewer)).await.unwrap();
    assert_eq!(early.due_at, later);

    let mut taken = kept(None);
    taken.expect_claim().return_once(|_, _, _| Ok(false));
    let found = service(taken, None).list(&member(Role::Viewer)).await.unwrap();
    assert_eq!(found, KeptRecommendations::default());
}
