//! Provider of the kind `http` on this machine, which counts how often it took each message and
//! misbehaves on demand.

mod manner;
mod reports;
mod server;
mod taken;

use std::{net::SocketAddr, sync::Arc, time::Instant};

use testkit::HttpServer;

pub(crate) use manner::Manner;
pub(crate) use taken::Message;

use crate::failure::Result;

use self::{reports::Reporter, taken::Taken};

/// Name in its declaration.
const NAME: &str = "sms";
/// Timeout of calls: much longer than any answer takes that comes at all.
const TIMEOUT_MILLIS: u32 = 5_000;
/// Time without a report after which a message in doubt is sent again.
const RECONCILED_AFTER_SECONDS: u32 = 15;

/// Running provider. It ends when it is dropped.
pub(crate) struct Provider {
    address: SocketAddr,
    taken: Arc<Taken>,
    server: Option<HttpServer>,
    reporter: Reporter,
}

impl Provider {
    /// Starts a provider that takes messages and reports on most of them.
    pub(crate) async fn start(http: reqwest::Client) -> Result<Self> {
        let taken = Arc::new(Taken::default());
        let reporter = Reporter::start(http, Arc::clone(&taken));
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = server::serve(any, Arc::clone(&taken), reporter.queue()).await?;
        Ok(Self { address: server.address, taken, server: Some(server), reporter })
    }

    /// Returns its declaration for the instance; its address identifies the caller.
    pub(crate) fn declaration(&self, instance: usize) -> String {
        format!(
            "[[provider]]\nname = \"{NAME}\"\nkind = \"http\"\nchannel = \"SMS\"\n\
             base_url = \"http://{}/{instance}\"\ntimeout_ms = {TIMEOUT_MILLIS}\n\
             reconcile_after_s = {RECONCILED_AFTER_SECONDS}\n\
             credentials.secret = \"{}\"\nroute = [{{ country = \"*\" }}]\n",
            self.address,
            reports::secret()
        )
    }

    /// Sets the targets of reports, which are used in turn.
    pub(crate) fn report_to(&self, services: &[SocketAddr]) {
        let url = |address| format!("http://{address}/callbacks/providers/{NAME}");
        self.reporter.report_to(services.iter().map(url).collect());
    }

    /// Changes the behaviour.
    pub(crate) fn now(&self, manner: Manner) {
        self.taken.set_manner(manner);
    }

    /// Breaks all connections, and refuses new ones.
    pub(crate) fn die(&mut self) {
        self.taken.excuse_open_calls();
        self.server = None;
    }

    /// Listens at the same address again.
    pub(crate) async fn come_back(&mut self) -> Result<()> {
        let (taken, reports) = (Arc::clone(&self.taken), self.reporter.queue());
        self.server = Some(server::serve(self.address, taken, reports).await?);
        Ok(())
    }

    /// Returns the first time after `since` at which it took a message for the first time.
    pub(crate) fn took_after(&self, since: Instant) -> Option<Instant> {
        self.taken.first_after(since)
    }

    /// Returns the number of reports that are not acknowledged yet.
    pub(crate) fn open_reports(&self) -> usize {
        self.taken.open_reports()
    }

    /// Returns its record of each message, by our name for it.
    pub(crate) fn messages(&self) -> std::collections::HashMap<String, Message> {
        self.taken.messages()
    }
}
