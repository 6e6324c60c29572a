//! Pages of the dashboard, for one organization with ten million messages and a million contacts, whose
//! owner is an administrator of the platform with ten thousand organizations.
//!
//! Times are those of a client on the same machine, from the first byte of a request to the last byte
//! of the answer, so they include the client's own work and the loopback device. Each call of a page
//! alternates with one of the sign-in page, which shows no data: the ratio of the two depends little on
//! the machine.

mod filling;
mod items;
mod pages;
mod records;
mod statement_log;
mod views;

use std::error::Error;

use serde_json::json;

use self::{
    filling::fill,
    items::Items,
    pages::pages,
    views::{Views, first_view},
};
use crate::{
    harness::{Database, Harness, Service, WORKERS},
    http::Connection,
    receiver::Receiver,
    tenant::{Tenant, call},
};

/// Page without data.
const SIGN_IN: &str = "/app/sign-in";

/// Size of the organization whose pages are measured.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) messages: u64,
    pub(crate) contacts: u64,
}

impl Sizes {
    /// Returns the number of other organizations.
    fn organizations(self) -> u64 {
        (self.messages / 1_000).min(10_000)
    }
}

/// Measures all pages, and prints them.
pub(crate) async fn measure(harness: &Harness, sizes: Sizes) -> Result<(), Box<dyn Error>> {
    let database = harness.database("dashboard").await?;
    Tenant::load(&database, sizes.organizations()).await?;
    let tenant = found(&database).await?;
    records::insert(&database, &tenant.organization, sizes).await?;
    let campaign = fill(&database, &tenant.organization, sizes).await?;

    let service = Service::start(&database, WORKERS)?;
    let items = Items::make(&service, &database, &tenant, campaign, sizes).await?;
    // Filled data is written now, and not while pages are measured.
    database.execute("CHECKPOINT").await?;
    let pages = pages(&database, &items).await?;
    let mut views = Views::measure(service.address(), &tenant, &pages).await;
    // The service closes connections that nobody uses for a while.
    let mut connection = Connection::open(service.address()).await?;
    views.count_statements(&mut connection, &tenant, &database).await?;
    views.print();
    first_view(&mut connection, &tenant, &views).await?;
    service.stop()?;
    harness.drop("dashboard").await?;
    views.without_failures()
}

/// Registers the organization, with a webhook that takes every event.
async fn found(database: &Database) -> Result<Tenant, Box<dyn Error>> {
    let service = Service::start(database, WORKERS)?;
    let tenant = Tenant::found(service.address(), 0).await?;
    let mut connection = Connection::open(service.address()).await?;
    let endpoint = json!({ "url": Receiver::start()?.url() });
    call(&mut connection, &tenant.post("/webhook-endpoints", &endpoint)).await?;
    service.stop()?;
    Ok(tenant)
}
