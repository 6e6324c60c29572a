//! Providers: their file, the channels that they serve, and our accounts at the vendors.

use std::sync::Arc;

use adapters_providers::{Declaration, Deps, HttpClient, build};
use async_trait::async_trait;
use domain::{
    messaging::report::Report,
    providers::provider::{Check as AccountCheck, CheckStatus},
    shared::channel::Channel,
};
use futures_util::future::join_all;
use ports::{
    providers::provider::{MessagingProvider, ReportSink},
    shared::{clock::Clock, nobody::Nobody},
};
use tokio::runtime::Handle;

use super::{
    check::Finding,
    checks::{ACCOUNTS_USABLE, CHANNELS_SERVED, MAIL_POSSIBLE, PROVIDERS_DECLARED, PROVIDERS_REAL},
    is_production, skip, within_limit,
};
use crate::{clock::SystemClock, config::Config, providers_file};

/// Kind of the simulated providers.
const SIMULATED: &str = "simulated";

/// Sink of reports, of which there are none: nothing is sent.
struct NoReports;

#[async_trait]
impl ReportSink for NoReports {
    async fn report(&self, _: Report) {}
}

/// Provider whose vendor was asked about our account.
struct Asked {
    declaration: Declaration,
    answer: AccountCheck,
}

/// Examines the providers, and asks each vendor about our account.
pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    let declared = match declared(config) {
        Ok(declared) => declared,
        Err(error) => {
            let mut findings = vec![PROVIDERS_DECLARED.fail(error)];
            let others = [PROVIDERS_REAL, CHANNELS_SERVED, ACCOUNTS_USABLE, MAIL_POSSIBLE];
            findings.extend(skip(&others, "the providers file cannot be read"));
            return findings;
        }
    };
    let is_production = is_production(config);
    let mut findings = vec![
        match declared.len() {
            0 => PROVIDERS_DECLARED.ok("none is declared"),
            count => PROVIDERS_DECLARED.ok(format!("{count} are declared")),
        },
        real(&declared, is_production),
        channels(&declared, is_production),
    ];
    let asked = ask(config, declared).await;
    findings.extend(accounts(&asked));
    findings.push(mail(&asked, is_production));
    findings
}

/// Reads the declared providers. The error names file, provider and key, and no credential.
fn declared(config: &Config) -> Result<Vec<Declaration>, String> {
    let Some(path) = &config.delivery.providers else { return Ok(Vec::new()) };
    providers_file::read_process(path).map_err(|error| error.to_string())
}

fn is_simulated(declaration: &Declaration) -> bool {
    declaration.kind.as_str() == SIMULATED
}

fn real(declared: &[Declaration], is_production: bool) -> Finding {
    let names: Vec<_> =
        declared.iter().filter(|it| is_simulated(it)).map(|it| it.name.as_str()).collect();
    if names.is_empty() || !is_production {
        return PROVIDERS_REAL.ok("no declared provider is simulated in production");
    }
    if let Some(refused) = declared.iter().find_map(|it| it.check_for_production().err()) {
        return PROVIDERS_REAL.fail(refused.to_string());
    }
    let message = format!("simulated, though messages are paid: {}", names.join(", "));
    PROVIDERS_REAL.warn(message)
}

fn channels(declared: &[Declaration], is_production: bool) -> Finding {
    let is_served = |channel: Channel| declared.iter().any(|it| it.channel == channel);
    let missing: Vec<_> = Channel::ALL.into_iter().filter(|it| !is_served(*it)).collect();
    let missing: Vec<_> = missing.into_iter().map(Channel::as_str).collect();
    match (missing.is_empty(), is_production) {
        (true, _) => CHANNELS_SERVED.ok("all channels have a provider"),
        (false, true) => {
            CHANNELS_SERVED.warn(format!("channels without a provider: {}", missing.join(", ")))
        }
        (false, false) => CHANNELS_SERVED
            .ok(format!("channels that are simulated in development: {}", missing.join(", "))),
    }
}

/// Asks all vendors at the same time.
async fn ask(config: &Config, declared: Vec<Declaration>) -> Vec<Asked> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let http = match HttpClient::new(Arc::clone(&clock)) {
        Ok(http) => http,
        Err(error) => {
            let answer = down(error.to_string());
            let unasked = |declaration| Asked { declaration, answer: answer.clone() };
            return declared.into_iter().map(unasked).collect();
        }
    };
    let deps = Deps {
        http,
        reports: Arc::new(NoReports),
        clock,
        public_url: config.server.public_url(),
        // Nothing is sent, so no vendor is told an address of callbacks.
        callback_key: Vec::new(),
        links: Arc::new(Nobody),
        most_in_flight: 1,
        runtime: Handle::current(),
    };
    let deps = &deps;
    join_all(declared.into_iter().map(|declaration| async move {
        let answer = match build(&declaration, deps) {
            Ok((_, adapter)) => check(&*adapter).await,
            Err(error) => down(error.to_string()),
        };
        Asked { declaration, answer }
    }))
    .await
}

async fn check(adapter: &dyn MessagingProvider) -> AccountCheck {
    let answer = within_limit(adapter.check()).await;
    answer.unwrap_or_else(|| down("the vendor did not answer in time".to_owned()))
}

fn down(message: String) -> AccountCheck {
    AccountCheck { status: CheckStatus::Down, message }
}

fn accounts(asked: &[Asked]) -> Vec<Finding> {
    let real = asked.iter().filter(|it| !is_simulated(&it.declaration));
    let mut findings: Vec<_> = real
        .map(|Asked { declaration, answer }| {
            let message = format!("{}: {}", declaration.name, answer.message);
            match answer.status {
                CheckStatus::Up => ACCOUNTS_USABLE.ok(message),
                CheckStatus::Degraded => ACCOUNTS_USABLE.warn(message),
                CheckStatus::Down => ACCOUNTS_USABLE.fail(message),
            }
        })
        .collect();
    if findings.is_empty() {
        findings.push(ACCOUNTS_USABLE.skipped("no real provider is declared"));
    }
    findings
}

fn mail(asked: &[Asked], is_production: bool) -> Finding {
    let carriers: Vec<_> =
        asked.iter().filter(|it| it.declaration.channel == Channel::Email).collect();
    if carriers.is_empty() {
        return if is_production {
            MAIL_POSSIBLE.fail("no provider carries EMAIL")
        } else {
            MAIL_POSSIBLE.ok("mails are simulated in development")
        };
    }
    let is_usable = |it: &&&Asked| it.answer.status != CheckStatus::Down;
    let usable: Vec<_> = carriers.iter().filter(is_usable).collect();
    if usable.is_empty() {
        return MAIL_POSSIBLE.fail("no provider of EMAIL is usable");
    }
    if is_production && usable.iter().all(|it| is_simulated(&it.declaration)) {
        return MAIL_POSSIBLE.fail("mails are simulated, and reach nobody");
    }
    let names: Vec<_> = usable.iter().map(|it| it.declaration.name.as_str()).collect();
    MAIL_POSSIBLE.ok(format!("mails go through {}", names.join(", ")))
}

#[cfg(test)]
mod tests;
