//! Watch on the delivery of codes: writes counts, judges them once a minute, and notifies owners.

use std::sync::Arc;

use chrono::SecondsFormat;
use domain::{
    identity::{
        organization::{Organization, Role},
        traffic::{CodeShare, Finding, OperatorRange, STOP, TrafficAlert, Windows},
    },
    shared::id::Id,
};
use ports::{
    identity::organizations::OrganizationRepository,
    platform::traffic::TrafficWatchStore,
    shared::{clock::Clock, store::StoreError},
};

use crate::messaging::fraud_guard::TrafficCounter;
use crate::{Error, identity::policies::Policies, shared::mailer::Mailer};

/// Number of suspects judged per minute, lowest shares of delivery first.
const SUSPECTS: usize = 500;
/// Number of alerts mailed per pass.
const PAGE: usize = 100;

/// Watch on the codes of organizations. Any number of instances may run it at once.
#[derive(Clone)]
pub struct TrafficWatch {
    counter: TrafficCounter,
    store: Arc<dyn TrafficWatchStore>,
    organizations: Arc<dyn OrganizationRepository>,
    policies: Policies,
    mailer: Arc<dyn Mailer>,
    public_url: String,
    clock: Arc<dyn Clock>,
}

/// Dependencies of [`TrafficWatch`].
pub struct TrafficWatchDeps {
    /// Counts of this process.
    pub counter: TrafficCounter,
    /// Store of counts and alerts.
    pub store: Arc<dyn TrafficWatchStore>,
    /// Source of the owners of organizations.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Cached stops, evicted when they change.
    pub policies: Policies,
    /// Sender of mails to owners.
    pub mailer: Arc<dyn Mailer>,
    /// URL of the API.
    pub public_url: String,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

impl TrafficWatch {
    /// Creates the watch from its dependencies.
    pub fn new(deps: TrafficWatchDeps) -> Self {
        let TrafficWatchDeps { counter, store, organizations, policies, mailer, public_url, clock } =
            deps;
        Self { counter, store, organizations, policies, mailer, public_url, clock }
    }

    /// Writes the counts to the store. If this fails, the next call writes them.
    pub async fn write(&self) -> Result<(), StoreError> {
        let counts = self.counter.take();
        if counts.is_empty() {
            return Ok(());
        }
        let written = self.store.add(&counts).await;
        if written.is_err() {
            self.counter.put_back(counts);
        }
        written
    }

    /// Judges the codes of all organizations unless that was done within the last minute. A failure is
    /// retried by the next call and does not delay other organizations.
    pub async fn judge(&self) -> Result<(), StoreError> {
        if !self.store.begin_judging().await? {
            return Ok(());
        }
        let windows = Windows::at(self.clock.now());
        for (organization, range) in self.store.suspects(windows, SUSPECTS).await? {
            if let Err(error) = self.judge_one(organization, range, windows).await {
                tracing::warn!(%error, %organization, %range, "failed to judge the share of delivered codes");
            }
        }
        Ok(())
    }

    async fn judge_one(
        &self,
        organization: Id<Organization>,
        range: OperatorRange,
        windows: Windows,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        let last = self.store.last_alert(organization, range).await?;
        if last.as_ref().is_some_and(|last| last.is_stopped(now)) {
            return Ok(());
        }
        let windows = last.as_ref().map_or(windows, |last| last.windows_after(windows));
        let evidence = self.store.evidence(organization, range, windows).await?;
        let Some(finding) = evidence.finding() else { return Ok(()) };
        let is_spared = last.as_ref().is_some_and(|last| last.was_lifted_lately(now));
        let is_stopped = finding == Finding::Stop && !is_spared;
        let alert = TrafficAlert {
            id: Id::new_in(now, organization),
            organization,
            range,
            found_at: now,
            evidence,
            stopped_until: is_stopped.then_some(now + STOP),
            lifted_at: None,
            lifted_by: None,
        };
        self.store.raise(&alert).await?;
        if is_stopped {
            self.policies.forget(organization);
            tracing::warn!(
                %organization, %range, codes = evidence.recent.codes,
                delivered = evidence.recent.delivered, "stopped codes: too few arrive"
            );
        }
        Ok(())
    }

    /// Mails pending alerts to owners, once per range and day, and on each stop. A failure is retried
    /// by the next call and does not delay other alerts.
    pub async fn notify(&self) -> Result<(), StoreError> {
        for alert in self.store.pending(PAGE).await? {
            if let Err(error) = self.notify_and_mark(&alert).await {
                let organization = alert.organization;
                tracing::warn!(%error, %organization, "failed to mail an alert about codes");
            }
        }
        Ok(())
    }

    /// Marks an alert after its mails were accepted. If that fails, the mails are submitted again under
    /// the same idempotency keys, so each is sent once.
    async fn notify_and_mark(&self, alert: &TrafficAlert) -> Result<(), Error> {
        if let Some(organization) = self.organizations.find(alert.organization).await? {
            self.mail(alert, &organization).await?;
        }
        Ok(self.store.mark_notified(alert).await?)
    }

    async fn mail(&self, alert: &TrafficAlert, organization: &Organization) -> Result<(), Error> {
        let members = self.organizations.members(organization.id).await?;
        let kind = if alert.stopped_until.is_some() { "stop" } else { "notice" };
        for member in members.iter().filter(|member| member.is_mailed(&[Role::Owner])) {
            let key = format!("traffic-{kind}-{}-{}", alert.id, member.user);
            let body = body(alert, &self.public_url);
            self.mailer
                .send_service_notice(&member.email, "Few of your codes arrive", body, key)
                .await?;
        }
        Ok(())
    }
}

/// The text names the organization by its identifier, because owners may have several and the name is
/// user-supplied.
fn body(alert: &TrafficAlert, public_url: &str) -> String {
    let TrafficAlert { id, organization, range, evidence, .. } = alert;
    let recent = evidence.recent;
    let usual = evidence.shown_usual().and_then(CodeShare::percent);
    let usual = usual.map(|percent| format!(" Usually it is {percent} %.")).unwrap_or_default();
    let others = match evidence.shown_others().and_then(CodeShare::percent) {
        Some(percent) => {
            format!("Of the codes of all others to these numbers {percent} % arrived.")
        }
        None => "Too few others sent codes to these numbers to compare.".to_owned(),
    };
    let consequence = match alert.stopped_until {
        Some(until) => format!(
            "As others' codes arrive as usual, somebody probably has your application send codes to \
             numbers that earn from them. Codes to these numbers are stopped until {}: they fail at \
             no cost, with TRAFFIC_STOPPED. If they are in order, an owner or administrator lifts \
             this by POST {public_url}/organizations/traffic-alerts/{id}/lift.",
            until.to_rfc3339_opts(SecondsFormat::Secs, true)
        ),
        None => "Nothing is stopped, for the network may be the reason. If it is not, look at who \
                 asks your application for codes: somebody may have it send them to numbers that \
                 earn from them. The setting allowedCountries keeps codes from countries where you \
                 have no business."
            .to_owned(),
    };
    format!(
        "Of the last {} codes of the organization {organization} to numbers that begin with {range}, {} arrived.{usual} \
         {others}\n\n{consequence}\n",
        recent.codes, recent.delivered,
    )
}

#[cfg(test)]
mod tests;
