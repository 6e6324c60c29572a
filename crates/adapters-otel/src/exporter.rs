//! Queue of finished spans, and their export in batches.

use std::{
    collections::HashMap,
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use domain::shared::span::Span;
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{
    ExporterBuildError, SpanExporter as OtlpClient, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::{Resource, trace::SpanExporter as _};
use percent_encoding::percent_decode_str;
use ports::shared::traces::SpanExporter;
use thiserror::Error;
use tokio::{
    sync::{
        Mutex, Notify,
        mpsc::{self, Receiver, Sender},
    },
    time::{sleep, timeout},
};

use crate::data::span_data;

/// Maximum number of spans that wait; more are dropped.
const QUEUE: usize = 4_096;
/// Maximum number of spans in one request.
const BATCH: usize = 512;
/// Time for which spans gather.
const GATHERING: Duration = Duration::from_millis(500);
/// Longest time of a request, with its repetitions.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time of the export of what is left at the end.
const LAST_EXPORT: Duration = Duration::from_secs(3);

/// Settings of the export.
#[derive(Clone, PartialEq, Eq)]
pub struct OtlpSettings {
    /// URL of the collector, without the path of traces.
    pub endpoint: String,
    /// Headers of the requests, as `name=value,name=value` with escaped values; they may be secret.
    pub headers: String,
    /// Name of the service.
    pub service: String,
    /// Version of the service.
    pub version: &'static str,
}

impl fmt::Debug for OtlpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtlpSettings").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// Error for an exporter that cannot be created.
#[derive(Debug, Error)]
pub enum OtlpError {
    /// The HTTP client cannot be made on this machine.
    #[error("the HTTP client cannot be made: {0}")]
    Client(#[from] reqwest::Error),
    /// The settings do not fit together.
    #[error("the exporter cannot be made: {0}")]
    Settings(#[from] ExporterBuildError),
}

/// Exporter to a collector. Spans wait in memory, and are dropped if they are too many.
pub struct OtlpExporter {
    queue: Sender<Span>,
    waiting: Mutex<Receiver<Span>>,
    client: OtlpClient,
    scope: InstrumentationScope,
    dropped: AtomicU64,
    closing: Notify,
    ended: Notify,
}

impl OtlpExporter {
    /// Creates an exporter, which exports while it is [run](Self::run).
    pub fn new(settings: &OtlpSettings) -> Result<Self, OtlpError> {
        // Fails only if other code has already installed a provider, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A redirect to another host would take the secret headers there.
        let http = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()?;
        let endpoint = settings.endpoint.trim_end_matches('/');
        let mut client = OtlpClient::builder()
            .with_http()
            .with_http_client(http)
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .with_headers(headers(&settings.headers))
            .with_timeout(TIMEOUT)
            .build()?;
        let resource = Resource::builder()
            .with_service_name(settings.service.clone())
            .with_attribute(KeyValue::new("service.version", settings.version))
            .build();
        client.set_resource(&resource);
        let (queue, waiting) = mpsc::channel(QUEUE);
        Ok(Self {
            queue,
            waiting: Mutex::new(waiting),
            client,
            scope: InstrumentationScope::builder("atumpan").with_version(settings.version).build(),
            dropped: AtomicU64::new(0),
            closing: Notify::new(),
            ended: Notify::new(),
        })
    }

    /// Exports spans until the exporter is [closed](Self::close).
    pub async fn run(&self) {
        let mut waiting = self.waiting.lock().await;
        let (mut is_closing, mut is_failing) = (false, false);
        loop {
            let mut batch = Vec::new();
            if !is_closing {
                tokio::select! {
                    () = self.closing.notified() => is_closing = true,
                    _ = waiting.recv_many(&mut batch, BATCH) => {}
                }
            }
            if !is_closing && batch.len() < BATCH {
                tokio::select! {
                    () = self.closing.notified() => is_closing = true,
                    () = sleep(GATHERING) => {}
                }
            }
            while batch.len() < BATCH
                && let Ok(span) = waiting.try_recv()
            {
                batch.push(span);
            }
            if batch.is_empty() && is_closing {
                break;
            }
            is_failing = self.send(batch, is_failing).await;
        }
        self.ended.notify_one();
    }

    /// Exports what waits, for a short time, and ends the export.
    pub async fn close(&self) {
        self.closing.notify_one();
        if timeout(LAST_EXPORT, self.ended.notified()).await.is_err() {
            tracing::warn!("the last spans were not exported in time");
        }
    }

    /// Exports a batch. Returns true if it failed, which is logged when it begins.
    async fn send(&self, batch: Vec<Span>, was_failing: bool) -> bool {
        let lost = batch.len();
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(dropped, "dropped spans: more were made than can be exported");
        }
        let batch = batch.into_iter().map(|span| span_data(span, &self.scope)).collect();
        match self.client.export(batch).await {
            Ok(()) => {
                if was_failing {
                    tracing::info!("spans are exported again");
                }
                false
            }
            Err(error) => {
                if !was_failing {
                    tracing::warn!(%error, lost, "failed to export spans; they are lost");
                }
                true
            }
        }
    }
}

impl SpanExporter for OtlpExporter {
    fn export(&self, span: Span) {
        if self.queue.try_send(span).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Reads headers. What is not `name=value` is left out.
fn headers(text: &str) -> HashMap<String, String> {
    let header = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        Some((name.trim().to_owned(), value.into_owned()))
    };
    text.split(',').filter_map(header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_the_specification_writes_them() {
        let read = headers("Authorization=Basic%20YTpi==, x-team = notify,,broken");

        assert_eq!(read["Authorization"], "Basic YTpi==");
        assert_eq!(read["x-team"], "notify");
        assert_eq!(read.len(), 2);
    }
}
