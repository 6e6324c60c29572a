//! Collector that keeps the spans.

use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest, common::v1::any_value::Value, trace::v1::Span,
};
use prost::Message;
use testkit::{HttpServer, Received, Reply};

/// Running collector.
pub(crate) struct Collector {
    server: HttpServer,
    requests: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
}

impl Collector {
    /// Starts a collector.
    pub(crate) async fn start() -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let answer = move |call: Received| {
            assert_eq!((call.method.as_str(), call.path.as_str()), ("POST", "/v1/traces"));
            assert_eq!(call.headers["content-type"], "application/x-protobuf");
            assert_eq!(call.headers["x-team"], "notify us");
            let request = ExportTraceServiceRequest::decode(&call.bytes[..]).unwrap();
            kept.lock().unwrap().push(request);
            Reply::status(200)
        };
        Self { server: HttpServer::start(answer).await, requests }
    }

    /// Returns its URL.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Returns the spans of a trace.
    pub(crate) fn of(&self, trace: &str) -> Vec<Span> {
        let requests = self.requests.lock().unwrap();
        let scopes = requests
            .iter()
            .flat_map(|request| &request.resource_spans)
            .flat_map(|resource| &resource.scope_spans);
        let spans = scopes.flat_map(|scope| &scope.spans);
        spans.filter(|span| hex(&span.trace_id) == trace).cloned().collect()
    }

    /// Returns the first span of that name in a trace.
    pub(crate) fn named(&self, trace: &str, name: &str) -> Option<Span> {
        self.of(trace).into_iter().find(|span| span.name == name)
    }

    /// Returns the name of the service that exported.
    pub(crate) fn service(&self) -> String {
        let requests = self.requests.lock().unwrap();
        let resource = requests[0].resource_spans[0].resource.as_ref().unwrap();
        let name = resource.attributes.iter().find(|it| it.key == "service.name").unwrap();
        match name.value.as_ref().and_then(|it| it.value.as_ref()) {
            Some(Value::StringValue(name)) => name.clone(),
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the bytes of an identifier as digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
