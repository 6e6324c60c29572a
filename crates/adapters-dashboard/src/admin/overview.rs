//! `/app/admin`: what waits for an administrator, and how the service does.

use std::collections::HashMap;

use askama::Template;
use chrono::TimeDelta;
use domain::platform::activity::{Activity, ENDPOINTS_SHOWN, FailingEndpoint};
use domain::platform::message_figures::MessageCounts;
use domain::platform::tenant::TenantFilter;
use domain::shared::page::Page;
use ports::platform::background_tasks::BackgroundTaskState;
use ports::providers::provider::ProviderRecord;
use usecases::{Error, platform::health::HealthReport};

use crate::formats::{Formats, Moment};
use crate::frame::{Administration, Frame, Place, Shown, capitalized};
use crate::words::{InWords, Words, failing_tasks, service_part};

#[derive(Template)]
#[template(path = "admin/overview.html")]
struct OverviewPage {
    frame: Frame,
    f: Formats,
    approvals: u64,
    exceptions: u64,
    suspended: u64,
    /// Name, state and sentence of each part of the service.
    parts: Vec<(&'static str, Words, String)>,
    waiting: u64,
    oldest: TimeDelta,
    in_flight: u64,
    providers: Vec<ProviderRow>,
    endpoints: Vec<EndpointRow>,
    /// Number of failing endpoints in words.
    behind: String,
    activity: Activity,
    tasks: Vec<TaskRow>,
    /// Number of failing tasks, as a sentence.
    failing: String,
    has_failing: bool,
}

/// Messages of a provider in the last hours.
struct ProviderRow {
    name: String,
    /// `None` if it is no provider, or none that is known.
    state: Option<Words>,
    counts: MessageCounts,
}

/// Webhook endpoint at which every call fails.
struct EndpointRow {
    organization: String,
    href: String,
    url: String,
    since: Moment,
}

/// Background task of this instance.
struct TaskRow {
    name: &'static str,
    state: Words,
    succeeded: Option<Moment>,
    /// Last error, while it fails.
    error: Option<String>,
}

pub(super) async fn show(of: Administration) -> Shown {
    let (api, admin, f) = (of.api(), &of.administrator, of.formats());
    let one = Page::of_one();
    let suspended = TenantFilter { is_suspended: Some(true), ..TenantFilter::default() };
    let activity = api.tenants.activity(admin).await?;
    let health = api.health.check().await;
    let failing = health.failing_tasks.len();
    let endpoints = endpoints(&of, &activity).await?;
    let page = OverviewPage {
        frame: of.frame(Place::Platform),
        approvals: api.approvals.pending(admin, one).await?.total,
        exceptions: api.payment_exceptions.page(admin, Some(false), one).await?.total,
        suspended: api.tenants.page(admin, suspended, one).await?.total,
        waiting: health.backlog.waiting,
        oldest: health.backlog.oldest,
        in_flight: health.backlog.active,
        parts: parts(health),
        providers: providers(&activity, api.provider_health.list().await?),
        behind: behind(activity.failing_endpoints.len(), &f),
        endpoints,
        activity,
        tasks: tasks(api.health.background_tasks(admin), &f),
        failing: failing_tasks(failing),
        has_failing: failing > 0,
        f,
    };
    of.show(&page)
}

fn parts(health: HealthReport) -> Vec<(&'static str, Words, String)> {
    let part = |name, state: Result<String, String>| {
        let words = service_part(state.is_ok());
        (name, words, capitalized(&state.unwrap_or_else(|problem| problem)))
    };
    vec![
        part("Database", health.database),
        part("Redis", health.shared),
        part("Delivery", health.workers),
    ]
}

/// Returns the providers that are in use, and those that had messages in the last hours.
fn providers(activity: &Activity, records: Vec<ProviderRecord>) -> Vec<ProviderRow> {
    let mut counted: HashMap<_, _> = activity.providers.iter().cloned().collect();
    let nobody = counted.remove(&None);
    let mut rows = Vec::new();
    for record in records {
        let name = record.provider.name;
        let counts = counted.remove(&Some(name.clone()));
        if record.is_active || counts.is_some() {
            let state = record.is_active.then(|| record.state.words());
            rows.push(ProviderRow { name, state, counts: counts.unwrap_or_default() });
        }
    }
    let none = "With no provider".to_owned();
    rows.extend(nobody.map(|counts| ProviderRow { name: none, state: None, counts }));
    rows
}

/// Returns the background tasks, with those that fail at the top.
fn tasks(mut states: Vec<BackgroundTaskState>, f: &Formats) -> Vec<TaskRow> {
    states.sort_by_key(|state| !state.is_failing());
    let row = |state: BackgroundTaskState| TaskRow {
        name: state.name,
        state: state.words(),
        succeeded: state.last_succeeded_at.map(|at| f.time(at)),
        error: state.last_error.clone().filter(|_| state.is_failing()),
    };
    states.into_iter().map(row).collect()
}

async fn endpoints(of: &Administration, activity: &Activity) -> Result<Vec<EndpointRow>, Error> {
    let shown = activity.failing_endpoints.iter().take(ENDPOINTS_SHOWN);
    let ids = shown.clone().map(|endpoint| endpoint.organization).collect();
    let names = of.api().tenants.names(&of.administrator, ids).await?;
    let f = of.formats();
    let row = |endpoint: &FailingEndpoint| EndpointRow {
        organization: names.get(&endpoint.organization).cloned().unwrap_or_default(),
        href: super::tenants::address(endpoint.organization, ""),
        url: endpoint.url.clone(),
        since: f.time(endpoint.since),
    };
    Ok(shown.map(row).collect())
}

fn behind(found: usize, f: &Formats) -> String {
    if found > ENDPOINTS_SHOWN {
        format!("more than {}", f.count(ENDPOINTS_SHOWN))
    } else {
        f.count(found)
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        providers::{breaker::Breaker, provider_state::ProviderState},
        shared::{country::Country, id::Id},
    };
    use ports::providers::provider::DeclaredProvider;

    use super::*;

    fn record(name: &str, is_active: bool) -> ProviderRecord {
        ProviderRecord {
            id: Id::new(DateTime::UNIX_EPOCH),
            provider: DeclaredProvider {
                name: name.to_owned(),
                kind: String::new(),
                channel: String::new(),
                routes: Vec::new(),
            },
            is_active,
            state: ProviderState { breaker: Breaker::Closed { recent: 0 }, demotion: 0 },
            last_check: None,
        }
    }

    #[test]
    fn tasks_that_fail_are_shown_first_with_their_errors() {
        let state = |name, failing_since| BackgroundTaskState {
            name,
            failing_since,
            last_error: Some("no such table".to_owned()),
            ..BackgroundTaskState::default()
        };
        let f = Formats::new("UTC", Country::GH, DateTime::UNIX_EPOCH);
        let states = vec![state("erasure", None), state("imports", Some(DateTime::UNIX_EPOCH))];
        let rows = tasks(states, &f);
        let shown: Vec<_> = rows.iter().map(|it| (it.name, it.error.as_deref())).collect();
        assert_eq!(shown, [("imports", Some("no such table")), ("erasure", None)]);
    }

    #[test]
    fn a_provider_is_shown_while_it_is_in_use_or_has_messages() {
        let counts = |sent| MessageCounts { sent, ..MessageCounts::default() };
        let activity = Activity {
            providers: vec![(None, counts(3)), (Some("old".to_owned()), counts(5))],
            ..Activity::default()
        };
        let records = vec![record("gone", false), record("new", true), record("old", false)];
        let rows = providers(&activity, records);
        let shown: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.counts.sent)).collect();
        assert_eq!(shown, [("new", 0), ("old", 5), ("With no provider", 3)]);
        assert!(rows.iter().all(|row| row.state.is_some() == (row.name == "new")));
    }
}
