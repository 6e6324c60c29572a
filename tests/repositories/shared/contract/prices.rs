//! Prices and plans.

use chrono::TimeDelta;
use domain::{
    money::pricing::{Plan, PricingFilter, PricingRule},
    shared::{channel::Channel, country::Country, id::Id, money::Money, page::Page},
};
use ports::{
    money::pricing::{PLAN_TAKEN, PRICING_RULE_TAKEN},
    shared::store::StoreError,
};

use super::{Subject, subjects};
use crate::now;

fn page() -> Page {
    Page::of_short_list(None, None).unwrap()
}

#[track_caller]
fn assert_taken<T: std::fmt::Debug>(result: Result<T, StoreError>, expected: &str) {
    let Err(StoreError::Conflict { constraint }) = result else { panic!("{result:?}") };
    assert_eq!(constraint, expected);
}

fn rule(subject: &Subject, country: Option<Country>, micros: i64) -> PricingRule {
    PricingRule {
        id: Id::new(now()),
        organization: Some(subject.organization),
        channel: Channel::Sms,
        country,
        unit_price: Money::from_micros(micros),
    }
}

#[tokio::test]
async fn the_most_specific_price_wins() {
    for subject in subjects(Money::ZERO).await {
        println!("on {}", subject.name);
        let other = subject.another_organization(Money::ZERO).await;
        let togo = Country::parse_destination("TG").unwrap();
        let general = |country, micros| PricingRule {
            organization: None,
            channel: Channel::Voice,
            ..rule(&subject, country, micros)
        };
        let agreed = |country, micros| PricingRule {
            organization: Some(subject.organization),
            ..general(country, micros)
        };
        let price = async |organization, country| {
            let list = subject.prices.price_list().await.unwrap();
            list.unit_price(organization, Channel::Voice, country).map(Money::micros)
        };
        // General prices may exist already.
        for known in subject.prices.price_list().await.unwrap().visible_to(other) {
            if known.channel == Channel::Voice {
                assert!(subject.prices.end_rule(known.id, now()).await.unwrap());
            }
        }
        for (rule, own_ghana, own_togo, other_ghana, other_togo) in [
            (general(None, 10), Some(10), Some(10), Some(10), Some(10)),
            (general(Some(Country::GH), 20), Some(20), Some(10), Some(20), Some(10)),
            (agreed(None, 30), Some(30), Some(30), Some(20), Some(10)),
            (agreed(Some(togo), 40), Some(30), Some(40), Some(20), Some(10)),
        ] {
            assert!(subject.prices.begin_rule(&rule, None, now()).await.unwrap());
            let own = subject.organization;
            assert_eq!(price(own, Country::GH).await, own_ghana);
            assert_eq!(price(own, togo).await, own_togo);
            assert_eq!(price(other, Country::GH).await, other_ghana);
            assert_eq!(price(other, togo).await, other_togo);
        }
    }
}

#[tokio::test]
async fn a_new_price_replaces_another_and_keeps_its_history() {
    for subject in subjects(Money::ZERO).await {
        println!("on {}", subject.name);
        let (organization, pricing) = (subject.organization, &subject.prices);
        let rule = |micros| rule(&subject, Some(Country::GH), micros);
        let (first, second) = (rule(10), rule(20));
        let later = now() + TimeDelta::hours(1);
        let before = pricing.price_list().await.unwrap().version();

        assert!(pricing.begin_rule(&first, None, now()).await.unwrap());
        assert_taken(pricing.begin_rule(&rule(30), None, now()).await, PRICING_RULE_TAKEN);
        assert!(pricing.begin_rule(&second, Some(first.id), later).await.unwrap());
        // A late change has no effect.
        assert!(!pricing.begin_rule(&rule(30), Some(first.id), later).await.unwrap());
        assert!(!pricing.end_rule(first.id, later).await.unwrap());

        let list = pricing.price_list().await.unwrap();
        let price = list.unit_price(organization, Channel::Sms, Country::GH);
        assert_eq!(price, Some(second.unit_price));
        assert!(list.version() > before, "a version grows");
        let own = PricingFilter { organization: Some(organization), ..PricingFilter::default() };
        let listed = pricing.rules_page(&own, page()).await.unwrap();
        let shown: Vec<_> = listed.items.iter().map(|it| (it.value.id, it.ended_at)).collect();
        assert_eq!(shown, [(second.id, None), (first.id, Some(later))]);
        let ended = PricingFilter { is_active: Some(false), ..own };
        assert_eq!(pricing.rules_page(&ended, page()).await.unwrap().total, 1);
        let email = PricingFilter { channel: Some(Channel::Email), ..own };
        assert_eq!(pricing.rules_page(&email, page()).await.unwrap().total, 0);

        assert!(pricing.end_rule(second.id, later).await.unwrap());
        let found = pricing.find_rule(second.id).await.unwrap().unwrap();
        assert_eq!((found.value, found.ended_at), (second, Some(later)));
        assert!(pricing.price_list().await.unwrap().version() > list.version());
    }
}

#[tokio::test]
async fn only_one_plan_of_a_name_is_active() {
    for subject in subjects(Money::ZERO).await {
        println!("on {}", subject.name);
        let plan = |cedis| Plan {
            id: Id::new(now()),
            name: "Harmattan".into(),
            monthly_fee: Money::from_cedis(cedis),
            included_messages: 5,
            features: vec!["Campaigns".into()],
        };
        let (first, second) = (plan(1), plan(2));
        let pricing = &subject.prices;

        assert!(pricing.begin_plan(&first, None, now()).await.unwrap());
        assert_taken(pricing.begin_plan(&second, None, now()).await, PLAN_TAKEN);
        assert!(pricing.begin_plan(&second, Some(first.id), now()).await.unwrap());
        assert!(!pricing.begin_plan(&plan(3), Some(first.id), now()).await.unwrap());

        assert!(pricing.plans().await.unwrap().contains(&second));
        let ended = pricing.plans_page(Some(false), page()).await.unwrap();
        assert_eq!((ended.total, ended.items[0].value.id), (1, first.id));
        assert!(pricing.end_plan(second.id, now()).await.unwrap());
        assert!(!pricing.plans().await.unwrap().iter().any(|plan| plan.name == "Harmattan"));
        let found = pricing.find_plan(second.id).await.unwrap().unwrap();
        assert_eq!((found.value, found.ended_at), (second, Some(now())));
    }
}
