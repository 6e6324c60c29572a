//! Carries reports from providers in this process to the use case that takes them in.

use async_trait::async_trait;
use domain::messaging::report::Report;
use futures_util::StreamExt;
use ports::providers::provider::ReportSink;
use tokio::sync::mpsc;
use usecases::messaging::deliveries::Deliveries;

/// Most waiting reports. A report that finds no room is dropped; its provider is asked later.
const WAITING: usize = 16_384;
/// Number of reports taken in at the same time, so that they are written together.
const AT_ONCE: usize = 512;

/// Sink for the reports of providers. It exists before the use case that takes them in, which needs
/// the providers.
#[derive(Debug, Clone)]
pub struct ReportRelay {
    queue: mpsc::Sender<Report>,
}

/// Receiving end of a [`ReportRelay`].
#[derive(Debug)]
pub struct ReportOutlet {
    queue: mpsc::Receiver<Report>,
}

impl ReportRelay {
    /// Returns a relay and its receiving end.
    pub fn new() -> (Self, ReportOutlet) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self { queue: sender }, ReportOutlet { queue: receiver })
    }
}

impl ReportOutlet {
    /// Takes reports in until no provider is left.
    pub async fn run(mut self, deliveries: Deliveries) {
        let reports = futures_util::stream::poll_fn(|context| self.queue.poll_recv(context));
        let deliveries = &deliveries;
        reports.for_each_concurrent(AT_ONCE, |report| ReportSink::report(deliveries, report)).await;
    }
}

#[async_trait]
impl ReportSink for ReportRelay {
    async fn report(&self, report: Report) {
        if self.queue.try_send(report).is_err() {
            metrics::counter!("atumpan_reports_dropped_total").increment(1);
        }
    }
}
