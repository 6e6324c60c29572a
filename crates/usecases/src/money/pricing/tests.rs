//! Rules of price changes.

use domain::{
    money::pricing::PriceList,
    shared::{channel::Channel, money::Money},
};
use mockall::Sequence;
use ports::shared::{
    mock::{MockAuditLog, MockOrganizationRepository, MockPricingRepository},
    nobody::Nobody,
};

use super::*;
use crate::shared::fixtures::{NOW, PRICE, administrator, away, clock, price_list, tenant};

fn pricing(repository: MockPricingRepository, audit_log: MockAuditLog) -> Pricing {
    let repository = Arc::new(repository);
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_find().returning(|_| Ok(None));
    let prices = Prices::new(Arc::clone(&repository) as _, clock(), Arc::new(Nobody));
    Pricing::new(repository, Arc::new(organizations), Arc::new(audit_log), prices, clock())
}

fn known() -> Version<PricingRule> {
    let general = price_list().visible_to(tenant())[0].clone();
    let country = Some(Country::GH);
    Version::begin(PricingRule { country, organization: Some(tenant()), ..general }, NOW)
}

fn dearer() -> PricingRuleUpdate {
    PricingRuleUpdate { unit_price: Some(PRICE + PRICE), is_active: None }
}

#[tokio::test]
async fn a_price_change_is_logged_then_made_then_reread() {
    let known = known();
    let id = known.value.id;
    let mut order = Sequence::new();
    let mut audit_log = MockAuditLog::new();
    let record = audit_log.expect_record().once().in_sequence(&mut order);
    record.returning(|entry| {
        assert_eq!(entry.organization, tenant());
        assert_eq!(entry.details["unitPrice"], (PRICE + PRICE).to_string());
        Ok(())
    });
    let mut repository = MockPricingRepository::new();
    repository.expect_find_rule().return_once(|_| Ok(Some(known)));
    let begin = repository.expect_begin_rule().once().in_sequence(&mut order);
    begin.withf(move |_, replaced, _| *replaced == Some(id)).returning(|_, _, _| Ok(true));
    let read = repository.expect_price_list().once().in_sequence(&mut order);
    read.returning(|| Ok(PriceList::default()));

    let pricing = pricing(repository, audit_log);
    let changed = pricing.update_rule(&administrator(), id, dearer(), Faults::default()).await;

    let changed = changed.unwrap();
    assert_eq!((changed.value.unit_price, changed.is_active()), (PRICE + PRICE, true));
    assert_ne!(changed.value.id, id);
}

#[tokio::test]
async fn a_change_after_a_concurrent_one_finds_the_price_ended() {
    let mut audit_log = MockAuditLog::new();
    audit_log.expect_record().returning(|_| Ok(()));
    let mut repository = MockPricingRepository::new();
    repository.expect_find_rule().returning(|_| Ok(Some(known())));
    repository.expect_begin_rule().return_once(|_, _, _| Ok(false));
    repository.expect_end_rule().return_once(|_, _| Ok(false));

    let pricing = pricing(repository, audit_log);
    let end = PricingRuleUpdate { unit_price: None, is_active: Some(false) };
    for update in [dearer(), end] {
        let id = known().value.id;
        let refused = pricing.update_rule(&administrator(), id, update, Faults::default()).await;
        assert_eq!(refused.unwrap_err().code(), "PRICING_ENDED");
    }
}

#[tokio::test]
async fn a_price_needs_an_existing_organization_and_is_unique() {
    let request = |organization| PricingRuleRequest {
        organization,
        channel: Some(Channel::Sms),
        country: None,
        unit_price: Some(Money::ZERO),
    };
    let mut audit_log = MockAuditLog::new();
    audit_log.expect_record().returning(|_| Ok(()));
    let mut repository = MockPricingRepository::new();
    let taken = StoreError::Conflict { constraint: PRICING_RULE_TAKEN.into() };
    repository.expect_begin_rule().return_once(|_, _, _| Err(taken));
    let pricing = pricing(repository, audit_log);
    let create = async |organization| {
        let request = request(organization);
        pricing.create_rule(&administrator(), request, Faults::default()).await.unwrap_err()
    };

    for nobody in [tenant(), PLATFORM] {
        let Error::Invalid(faults) = create(Some(nobody)).await else { panic!("{nobody}") };
        assert!(faults.fields.contains_key("organizationId"));
    }
    assert_eq!(create(None).await.code(), "PRICING_RULE_EXISTS");
}

#[tokio::test]
async fn a_change_that_cannot_be_logged_is_not_made() {
    let mut audit_log = MockAuditLog::new();
    audit_log.expect_record().returning(|_| Err(away()));
    let mut repository = MockPricingRepository::new();
    repository.expect_find_rule().returning(|_| Ok(Some(known())));
    let pricing = pricing(repository, audit_log);
    let id = known().value.id;

    let failed = pricing.update_rule(&administrator(), id, dearer(), Faults::default()).await;
    assert!(matches!(failed, Err(Error::Store(_))), "{failed:?}");
}
