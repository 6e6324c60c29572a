//! Environment of a fault: a database, a provider, instances of the service, and clients.

use std::{
    collections::HashMap,
    net::SocketAddr,
    path::PathBuf,
    time::{Duration, Instant},
};

use reqwest::{Client, StatusCode};
use tempfile::TempDir;

use crate::{
    audit,
    failure::Result,
    load::{ANSWER, Demand, Load},
    postgres::Postgres,
    provider::Provider,
    report::Row,
    service::{Service, Settings},
    system::until,
    tenant::Tenant,
};

const TENANTS: usize = 3;
const PROVIDERS: &str = "providers.toml";
const CREDIT: &str = "1000000";
const JWT_SECRET: &str = "a secret that all instances of a row share";
/// Time after which a row is given up if the service does not accept again.
const GIVEN_UP: Duration = Duration::from_secs(90);
/// Longest time until every accepted message is final: leases of killed instances, pauses of
/// breakers and back-offs have to pass.
const SETTLED: Duration = Duration::from_secs(240);
/// Time in which the statements of a dead process end.
const LAST_STATEMENTS: Duration = Duration::from_millis(300);
/// Longest time until the service reports that its database does not answer.
const TOLD: Duration = Duration::from_secs(15);
const MEMORY: u64 = 300;
const USUAL: Demand = Demand { clients: 16, pause: Duration::from_millis(10), has_codes: true };

/// Plan of a stage.
pub(crate) struct Plan {
    pub(crate) instances: usize,
    pub(crate) demand: Demand,
    pub(crate) variables: Vec<(String, String)>,
    /// Folder of the database; `None` for a folder of its own.
    pub(crate) folder: Option<PathBuf>,
    /// True if a standby confirms the commits of the database.
    pub(crate) standby: bool,
    pub(crate) memory: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            instances: 1,
            demand: USUAL,
            variables: Vec::new(),
            folder: None,
            standby: false,
            memory: MEMORY,
        }
    }
}

impl Plan {
    /// Adds a variable of the service.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }
}

/// Everything that runs while a fault is made.
pub(crate) struct Stage {
    pub(crate) load: Load,
    pub(crate) services: Vec<Service>,
    pub(crate) provider: Provider,
    pub(crate) postgres: Postgres,
    pub(crate) standby: Option<Postgres>,
    http: Client,
    database_url: String,
    /// Number of times that each message was in flight when the process that sent it was killed.
    in_flight: HashMap<String, u32>,
    recovery: Duration,
    memory: u64,
    memory_limit: u64,
    _folder: TempDir,
}

impl Stage {
    /// Starts everything.
    pub(crate) async fn start(plan: Plan) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut postgres = Postgres::start(plan.folder.as_deref().unwrap_or(folder.path())).await?;
        let standby = if plan.standby { Some(postgres.start_standby().await?) } else { None };
        let database_url = match &standby {
            Some(standby) => postgres.url_with(standby),
            None => postgres.url(),
        };
        let http = Client::builder().timeout(ANSWER).no_proxy().build()?;
        let provider = Provider::start(http.clone()).await?;
        let mut variables = common(&database_url);
        variables.extend(plan.variables);
        let mut services = Vec::new();
        for number in 0..plan.instances {
            let home = folder.path().join(format!("instance{number}"));
            let log = folder.path().join(format!("instance{number}.log"));
            let settings = Settings::new(home, log, variables.clone())?;
            std::fs::write(settings.home.join(PROVIDERS), provider.declaration(number))?;
            services.push(Service::start(settings)?);
        }
        let addresses: Vec<SocketAddr> =
            services.iter().map(|service| service.settings().address).collect();
        provider.report_to(&addresses);
        let mut tenants = Vec::new();
        for number in 0..TENANTS {
            let url = format!("http://{}", addresses[0]);
            tenants.push(Tenant::found(&http, &url, number).await?);
        }
        let load = Load::start(http.clone(), tenants, addresses, plan.demand);
        Ok(Self {
            load,
            services,
            provider,
            postgres,
            standby,
            http,
            database_url,
            in_flight: HashMap::new(),
            recovery: Duration::ZERO,
            memory: 0,
            memory_limit: plan.memory,
            _folder: folder,
        })
    }

    /// Kills an instance at once. Its messages in flight may be sent again.
    pub(crate) async fn kill(&mut self, instance: usize) -> Result<()> {
        self.look_at_memory();
        self.services[instance].process.kill();
        tokio::time::sleep(LAST_STATEMENTS).await;
        let client = self.postgres.connect().await?;
        let taken = self.provider.messages();
        for id in audit::unfinished_messages(&client).await? {
            let last = taken.get(&id).and_then(|message| message.handed_over_by);
            if last == Some(instance) {
                *self.in_flight.entry(id).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Starts an instance again, at the same address.
    pub(crate) fn start_again(&mut self, instance: usize) -> Result<()> {
        let settings = self.services[instance].settings().clone();
        self.services[instance] = Service::start(settings)?;
        Ok(())
    }

    /// Waits until a request that began after `since` is accepted.
    pub(crate) async fn recovers(&mut self, since: Instant) -> Result<()> {
        let recovery = self.load.accepted_after(since, GIVEN_UP).await?;
        self.note_recovery(recovery);
        Ok(())
    }

    /// Waits until the provider takes a message for the first time.
    pub(crate) async fn sends_again(&mut self, since: Instant) -> Result<()> {
        let mut at = None;
        until("a message is sent again", GIVEN_UP, async || {
            at = self.provider.took_after(since);
            Ok(at.is_some())
        })
        .await?;
        self.note_recovery(at.map_or(GIVEN_UP, |at| at - since));
        Ok(())
    }

    /// Waits until the service reports its state to load balancers and operators.
    pub(crate) async fn says_that_it_is_ill(&self) -> Result<()> {
        let url = format!("http://{}/health", self.services[0].settings().address);
        until("/health answers 503", TOLD, async || {
            let answer = self.http.get(&url).send().await?;
            Ok(answer.status() == StatusCode::SERVICE_UNAVAILABLE)
        })
        .await
    }

    /// Records a recovery. The longest one counts.
    pub(crate) fn note_recovery(&mut self, recovery: Duration) {
        self.recovery = self.recovery.max(recovery);
    }

    /// Ends the load, waits until every message is final, and audits the results.
    pub(crate) async fn finish(mut self, rounds: usize, limit: Duration) -> Result<Row> {
        let answers = self.load.end().await?;
        let client = self.primary().connect().await?;
        // Messages that are not final by then are reported as lost.
        let settled = until("all messages are final", SETTLED, async || {
            tokio::time::sleep(Duration::from_millis(200)).await;
            Ok(audit::unfinished(&client).await? == 0 && self.provider.open_reports() == 0)
        })
        .await;
        self.look_at_memory();
        let taken = self.provider.messages();
        let mut findings = audit::compare(&client, &answers, &taken, &self.in_flight).await?;
        if let Err(error) = settled {
            findings.problems.push(error.to_string());
        }
        findings.look_at_books(&client, &self.database_url).await?;
        for service in &mut self.services {
            if service.process.has_ended() {
                findings.problems.push("an instance ended by itself".to_owned());
            } else {
                service.process.stop()?;
            }
        }
        let (memory, memory_limit) = (self.memory, self.memory_limit);
        Ok(Row { rounds, findings, recovery: self.recovery, limit, memory, memory_limit })
    }

    fn primary(&self) -> &Postgres {
        self.standby.as_ref().unwrap_or(&self.postgres)
    }

    fn look_at_memory(&mut self) {
        let most = self.services.iter().map(Service::peak_memory).max();
        self.memory = self.memory.max(most.unwrap_or_default());
    }
}

/// Returns the settings of all instances.
fn common(database_url: &str) -> Vec<(String, String)> {
    let variables = [
        ("DATABASE_URL", database_url.to_owned()),
        ("ATUMPAN_PROVIDERS", PROVIDERS.to_owned()),
        ("ATUMPAN_JWT_SECRET", JWT_SECRET.to_owned()),
        ("ATUMPAN_TRIAL_CREDIT_GHS", CREDIT.to_owned()),
        ("ATUMPAN_EMAIL_VERIFICATION", "off".to_owned()),
        ("ATUMPAN_RATE_LIMITS", "off".to_owned()),
        ("ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS", "10000".to_owned()),
        ("RUST_LOG", "warn".to_owned()),
    ];
    variables.map(|(name, value)| (name.to_owned(), value)).into()
}
