//! Answers to the calls to a provider.

use std::{io, net::SocketAddr, sync::Arc};

use serde_json::{Value, json};
use testkit::{HttpServer, Received};
use tokio::sync::mpsc::UnboundedSender;

use super::{
    manner::{Lie, Reply},
    reports::Told,
    taken::Taken,
};

/// Call that ends when this is dropped.
struct OpenCall {
    taken: Arc<Taken>,
    id: String,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.taken.end(&self.id);
    }
}

/// Serves at that address.
pub(super) async fn serve(
    address: SocketAddr,
    taken: Arc<Taken>,
    reports: UnboundedSender<Told>,
) -> io::Result<HttpServer> {
    HttpServer::start_at(address, move |call| answer(&call, &taken, &reports)).await
}

fn answer(call: &Received, taken: &Arc<Taken>, reports: &UnboundedSender<Told>) -> testkit::Reply {
    // Without it, the service checks the provider.
    let Some(id) = call.headers.get("webhook-id") else { return testkit::Reply::status(200) };
    let body = serde_json::from_str::<Value>(&call.body).unwrap_or_default();
    let instance = call.path.trim_matches('/').parse().ok();
    let (reply, statuses) = taken.begin(id, body["to"].as_str().unwrap_or_default(), instance);
    // The reporter is gone when the provider ends.
    let _ = reports.send(Told { id: id.clone(), statuses });
    let open = OpenCall { taken: Arc::clone(taken), id: id.clone() };
    written(reply, id).after(taken.manner().delay()).holding(open)
}

fn written(reply: Reply, id: &str) -> testkit::Reply {
    let accepted = |id: String| testkit::Reply::json(200, &json!({ "id": id }));
    match reply {
        Reply::Taken | Reply::Lie(Lie::ReportsTwice | Lie::ReportsFailureAfterDelivery) => {
            accepted(format!("ref-{id}"))
        }
        Reply::Refused => testkit::Reply::text(400, r#"{"error":{"code":"INVALID_RECIPIENT"}}"#),
        Reply::OutOfOrder => testkit::Reply::status(503),
        Reply::Lie(Lie::Nonsense) => testkit::Reply::text(200, "<html>It works!</html>"),
        Reply::Lie(Lie::Broken) => testkit::Reply::text(500, "oops"),
        Reply::Lie(Lie::OddIdentifier) => accepted(format!("odd\0{id}")),
        Reply::Lie(Lie::CutOff) => testkit::Reply::cut_off(),
        Reply::Lie(Lie::Endless) => testkit::Reply::endless(),
        Reply::Lie(Lie::Silence) => testkit::Reply::silence(),
    }
}
