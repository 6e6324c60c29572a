//! Records that grow with use, written by SQL: those of the organization, and those of the platform.

mod organization;
mod platform;

use std::{error::Error, time::Instant};

use super::Sizes;
use crate::harness::Database;

/// Most refused calls: those of seven days, of which a thousand are kept in each hour.
const MOST_REFUSED_CALLS: u64 = 168_000;

/// Inserts the records while no service uses the database. The owner of the organization becomes an
/// administrator of the platform.
pub(super) async fn insert(
    database: &Database,
    organization: &str,
    sizes: Sizes,
) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let Sizes { messages, .. } = sizes;
    let counts = [
        ("$organization", organization.to_owned()),
        ("$entries", (messages / 10).to_string()),
        ("$invoices", (messages / 10_000).to_string()),
        ("$calls", (messages / 50).min(MOST_REFUSED_CALLS).to_string()),
        ("$deliveries", (messages / 100).to_string()),
        ("$acts", (messages / 100).to_string()),
    ];
    for statements in organization::STATEMENTS.into_iter().chain(platform::STATEMENTS) {
        let replace = |text: String, (name, value): &(&str, String)| text.replace(name, value);
        database.execute(&counts.iter().fold(statements.to_owned(), replace)).await?;
    }
    println!("records, filled in {:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}
