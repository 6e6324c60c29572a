//! HTTP of the bare program.

use std::{collections::HashMap, error::Error, sync::Arc};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    error::{ErrorBadRequest, ErrorInternalServerError, ErrorUnauthorized},
    http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS},
    web::{self, Bytes, Data},
};
use sha2::{Digest, Sha256};
use tokio::sync::{
    mpsc::{UnboundedSender, unbounded_channel},
    oneshot,
};
use uuid::Uuid;

use super::{
    database,
    intake::{self, Key, Submission},
    message::{Bulk, Draft, Message},
    steps,
};

const API_KEY: &str = "x-api-key";
const IDEMPOTENCY_KEY: &str = "idempotency-key";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// State of the thread that serves requests.
struct State {
    organizations: Arc<HashMap<String, Uuid>>,
    submissions: UnboundedSender<Submission>,
    delivers: bool,
}

/// Serves requests on the database until the process is asked to end. With `delivers` messages are
/// also handed over.
pub(crate) async fn serve(url: &str, delivers: bool) -> Result<(), Box<dyn Error>> {
    let organizations = Arc::new(database::organizations(url).await?);
    let url = url.to_owned();
    // It is called once, on the thread of the one worker, and so are the writers that it starts.
    let application = move || {
        let organizations = Arc::clone(&organizations);
        let submissions = start_writers(&url, delivers);
        App::new()
            .app_data(Data::new(State { organizations, submissions, delivers }))
            .route("/messages/send", web::post().to(send))
            .route("/messages/bulk", web::post().to(send_bulk))
    };
    let server = HttpServer::new(application).workers(1).tcp_nodelay(true).shutdown_timeout(1);
    let server = server.bind(("127.0.0.1", 0))?;
    for address in server.addrs() {
        // The line of the service, for which the bench waits.
        println!("Atumpan serves on http://{address}");
    }
    Ok(server.run().await?)
}

/// Starts the writers on the current thread.
fn start_writers(url: &str, delivers: bool) -> UnboundedSender<Submission> {
    let (submissions, waiting) = unbounded_channel();
    let accepted = delivers.then(|| {
        let (accepted, handed_over) = unbounded_channel();
        tokio::spawn(report(steps::write(url.to_owned(), handed_over)));
        accepted
    });
    tokio::spawn(report(intake::write(url.to_owned(), waiting, accepted)));
    submissions
}

async fn report(writing: impl Future<Output = Result<(), tokio_postgres::Error>>) {
    if let Err(error) = writing.await {
        eprintln!("bench: the bare program failed to write: {error:?}");
    }
}

async fn send(
    state: Data<State>,
    request: HttpRequest,
    body: Bytes,
) -> Result<HttpResponse, actix_web::Error> {
    let draft: Draft = serde_json::from_slice(&body).map_err(ErrorBadRequest)?;
    let message = Message::new(state.organization(&request)?, draft, state.delivers);
    let view = message.view().map_err(ErrorInternalServerError)?;
    // A load repeats its requests, so the identifier makes each key another one.
    let key = header(&request, IDEMPOTENCY_KEY).map(|key| Key {
        text: format!("{key}-{}", message.id),
        fingerprint: Sha256::digest(&body).to_vec(),
    });
    let id = message.id;
    state.write(vec![message], key).await?;
    Ok(accepted(id, &view))
}

async fn send_bulk(
    state: Data<State>,
    request: HttpRequest,
    body: Bytes,
) -> Result<HttpResponse, actix_web::Error> {
    let bulk: Bulk = serde_json::from_slice(&body).map_err(ErrorBadRequest)?;
    let organization = state.organization(&request)?;
    let drafts = bulk.messages.into_iter();
    let messages: Vec<Message> =
        drafts.map(|draft| Message::new(organization, draft, state.delivers)).collect();
    let views: Vec<String> = messages
        .iter()
        .map(Message::view)
        .collect::<Result<_, _>>()
        .map_err(ErrorInternalServerError)?;
    let id = messages.first().map(|message| message.id).unwrap_or_default();
    state.write(messages, None).await?;
    Ok(accepted(id, &format!("[{}]", views.join(","))))
}

fn header<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.headers().get(name)?.to_str().ok()
}

impl State {
    fn organization(&self, request: &HttpRequest) -> Result<Uuid, actix_web::Error> {
        let found = header(request, API_KEY).and_then(|key| self.organizations.get(key));
        found.copied().ok_or_else(|| ErrorUnauthorized("no organization has this key"))
    }

    /// Returns when the messages are durable.
    async fn write(
        &self,
        messages: Vec<Message>,
        key: Option<Key>,
    ) -> Result<(), actix_web::Error> {
        let (written, answer) = oneshot::channel();
        // Without a writer the answer fails.
        let _ = self.submissions.send(Submission { messages, key, written });
        answer.await.map_err(ErrorInternalServerError)
    }
}

/// Returns the answer of the service, with all of its headers.
fn accepted(id: Uuid, data: &str) -> HttpResponse {
    HttpResponse::Accepted()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .insert_header((REQUEST_ID, id.to_string()))
        .insert_header((X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .body(format!("{{\"success\":true,\"data\":{data}}}"))
}
