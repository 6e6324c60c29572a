//! Delivery and billing of messages.

use std::path::PathBuf;

use domain::{content::sender_name::SenderRule, shared::money::Money};
use usecases::money::invoices::InvoiceCredit;

use super::{ConfigError, Environment, Source, faults::Faults, invalid, switch};

const DEFAULT_WORKERS: usize = 256;
const MAX_WORKERS: usize = 4_096;
const CREDIT_LIMIT: &str = "ATUMPAN_INVOICE_CREDIT_LIMIT_GHS";

/// Delivery and billing of messages.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// `ATUMPAN_PROVIDERS`: path of the providers file.
    pub providers: Option<PathBuf>,
    /// `ATUMPAN_SENDER_NAMES`, `open` or `approved`, by default `open` in development and
    /// `approved` in production: `open` permits any sender of a message.
    pub senders: SenderRule,
    /// `ATUMPAN_WORKERS`, by default 256: most messages that this instance hands over at the same
    /// time; 0 serves requests only.
    pub workers: usize,
    /// `ATUMPAN_TRIAL_CREDIT_GHS`, by default 10 in development and 0 in production.
    pub trial_credit: Money,
    /// `ATUMPAN_INVOICE_CREDIT`, `when-paid` or `at-once`, by default `when-paid`: time at which
    /// the money of an invoice is credited to the wallet; at once as long as an organization owes
    /// no more than its own limit, or `ATUMPAN_INVOICE_CREDIT_LIMIT_GHS` if it has none.
    pub invoice_credit: InvoiceCredit,
    /// `ATUMPAN_VELOCITY_LIMITS`, `on` or `off`, by default `off` in development and `on` in
    /// production: true if the messages of an organization to the same numbers are limited per
    /// hour.
    pub velocity_limits: bool,
}

impl Delivery {
    pub(super) fn read(source: &Source, environment: Environment, faults: &mut Faults) -> Self {
        Self {
            providers: source.get("ATUMPAN_PROVIDERS").map(PathBuf::from),
            senders: faults.take(senders(source, environment), SenderRule::Approved),
            workers: faults.take(workers(source), DEFAULT_WORKERS),
            trial_credit: faults.take(trial_credit(source, environment), Money::ZERO),
            invoice_credit: faults.take(invoice_credit(source), InvoiceCredit::WhenPaid),
            velocity_limits: faults.take(velocity_limits(source, environment), true),
        }
    }
}

fn senders(source: &Source, environment: Environment) -> Result<SenderRule, ConfigError> {
    match (source.get("ATUMPAN_SENDER_NAMES"), environment) {
        (Some(name), _) => name
            .parse::<SenderRule>()
            .map_err(|error| invalid("ATUMPAN_SENDER_NAMES", error.to_string())),
        (None, Environment::Development) => Ok(SenderRule::Open),
        (None, Environment::Production) => Ok(SenderRule::Approved),
    }
}

fn workers(source: &Source) -> Result<usize, ConfigError> {
    let Some(workers) = source.get("ATUMPAN_WORKERS") else { return Ok(DEFAULT_WORKERS) };
    let workers = workers.parse().ok().filter(|workers| *workers <= MAX_WORKERS);
    workers.ok_or_else(|| invalid("ATUMPAN_WORKERS", "must be from 0 to 4096"))
}

fn trial_credit(source: &Source, environment: Environment) -> Result<Money, ConfigError> {
    match (source.get("ATUMPAN_TRIAL_CREDIT_GHS"), environment) {
        (Some(amount), _) => {
            amount.parse().ok().filter(|credit| *credit >= Money::ZERO).ok_or_else(|| {
                invalid("ATUMPAN_TRIAL_CREDIT_GHS", "must be an amount such as 2.50")
            })
        }
        (None, Environment::Development) => Ok(Money::from_cedis(10)),
        (None, Environment::Production) => Ok(Money::ZERO),
    }
}

fn invoice_credit(source: &Source) -> Result<InvoiceCredit, ConfigError> {
    match source.get("ATUMPAN_INVOICE_CREDIT").as_deref() {
        None | Some("when-paid") => Ok(InvoiceCredit::WhenPaid),
        Some("at-once") => Ok(InvoiceCredit::AtOnce(credit_limit(source)?)),
        Some(_) => Err(invalid("ATUMPAN_INVOICE_CREDIT", "must be when-paid or at-once")),
    }
}

/// Reads the limit of credit on unpaid invoices. `at-once` requires one.
fn credit_limit(source: &Source) -> Result<Money, ConfigError> {
    let limit = source
        .get(CREDIT_LIMIT)
        .ok_or_else(|| invalid(CREDIT_LIMIT, "must be set with ATUMPAN_INVOICE_CREDIT=at-once"))?;
    let limit = limit.parse().ok().filter(|limit| *limit >= Money::ZERO);
    limit.ok_or_else(|| invalid(CREDIT_LIMIT, "must be an amount such as 500.00"))
}

fn velocity_limits(source: &Source, environment: Environment) -> Result<bool, ConfigError> {
    match source.get("ATUMPAN_VELOCITY_LIMITS") {
        None => Ok(environment == Environment::Production),
        Some(_) => switch(source, "ATUMPAN_VELOCITY_LIMITS"),
    }
}
