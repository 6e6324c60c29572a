//! Names whose addresses change from one moment to the next.

use std::net::Ipv4Addr;

use reqwest::dns::Resolve;

use super::{name_server::NameServer, *};

const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 215, 14);
const LOCAL: Ipv4Addr = Ipv4Addr::LOCALHOST;
const METADATA: Ipv4Addr = Ipv4Addr::new(169, 254, 169, 254);

#[tokio::test]
async fn checks_a_public_name_again_when_it_is_dialled() {
    let receiver = Receiver::answering(OK).await;
    let names = Arc::new(NameServer::answering(&[&[PUBLIC], &[LOCAL]]).await);
    let webhooks = with_names(false, Arc::clone(&names) as _);
    let url = format!("https://rebinding.example.com:{}/", receiver.port());

    assert_eq!(webhooks.check(tenant(), &url).await.as_deref(), Ok(&*url));
    let outcome = webhooks.call(&call(&*url)).await.outcome;

    assert_eq!(outcome, failed(CallFailure::AddressRefused));
    assert_eq!((receiver.connections(), names.asked()), (0, 2));
}

#[tokio::test]
async fn dials_only_the_allowed_addresses_of_a_name() {
    let receiver = Receiver::answering(OK).await;
    let names = Arc::new(NameServer::answering(&[&[METADATA, LOCAL]]).await);
    let webhooks = with_names(true, Arc::clone(&names) as _);
    let url = format!("http://mixed.example.com:{}/", receiver.port());

    assert_eq!(webhooks.call(&call(url)).await.outcome, answered(200));
    // The checked address is the dialled one: there was no second query.
    assert_eq!((receiver.connections(), names.asked()), (1, 1));

    let names = NameServer::answering(&[&[LOCAL, PUBLIC, METADATA]]).await;
    let callable = CallableNames::new(Arc::new(names), false);
    let name = "mixed.example.com".parse().unwrap();
    let dialled = called_for(tenant(), async { callable.resolve(name).await }).await;
    let dialled: Vec<_> = dialled.ok().unwrap().map(|address| address.ip()).collect();
    assert_eq!(dialled, [IpAddr::V4(PUBLIC)]);
}

#[tokio::test]
async fn accepts_a_name_with_at_least_one_public_address() {
    for (addresses, taken) in [
        (&[LOCAL, PUBLIC][..], Ok(())),
        (&[], Ok(())),
        (&[LOCAL, METADATA], Err(UrlRefused::Address)),
    ] {
        let names = NameServer::answering(&[addresses]).await;
        let checked =
            with_names(false, Arc::new(names)).check(tenant(), "https://a.example.com/").await;
        assert_eq!(checked.map(drop), taken, "{addresses:?}");
    }
}

#[tokio::test]
async fn accepts_an_unresolved_name_and_reports_it_at_the_call() {
    let names = Arc::new(NameServer::answering(&[&[]]).await);
    let webhooks = with_names(false, names);
    let url = "https://nowhere.example.com/";

    assert_eq!(webhooks.check(tenant(), url).await.as_deref(), Ok(url));
    let outcome = webhooks.call(&call(url)).await.outcome;

    assert_eq!(outcome, failed(CallFailure::NotResolved));
}

/// Resolver that has places for the names of one organization only.
struct PlacesOfOne(NoPlace);

#[async_trait]
impl Names for PlacesOfOne {
    async fn addresses(
        &self,
        organization: Id<Organization>,
        _name: &str,
    ) -> Result<Vec<IpAddr>, NoPlace> {
        if organization == tenant() { Ok(vec![IpAddr::V4(LOCAL)]) } else { Err(self.0) }
    }
}

#[tokio::test]
async fn the_names_of_an_organization_take_its_own_places_when_it_is_called() {
    let receiver = Receiver::answering(OK).await;
    let webhooks = with_names(true, Arc::new(PlacesOfOne(NoPlace::OfOrganization)));
    let url = format!("http://hooks.example.com:{}/", receiver.port());
    let other = "018bcfe5-6800-7000-8000-0000000000b2".parse().unwrap();

    let called = webhooks.call(&WebhookCall { organization: other, ..call(&*url) }).await;
    assert_eq!(called.outcome, failed(CallFailure::NotResolved));
    assert_eq!(webhooks.call(&call(&*url)).await.outcome, answered(200));
}

#[tokio::test]
async fn refuses_a_check_only_if_the_organization_itself_is_busy() {
    let other = "018bcfe5-6800-7000-8000-0000000000b2".parse().unwrap();
    for (refusal, expected) in
        [(NoPlace::OfOrganization, Err(UrlRefused::Busy)), (NoPlace::OfAll, Ok(()))]
    {
        let webhooks = with_names(true, Arc::new(PlacesOfOne(refusal)));
        let checked = webhooks.check(other, "https://hooks.example.com/").await;
        assert_eq!(checked.map(drop), expected);
    }
}
