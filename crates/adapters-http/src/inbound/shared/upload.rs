//! Files uploaded as a part of a form, passed on while they arrive.

mod parts;

use std::{
    cell::RefCell,
    convert::Infallible,
    future::Ready,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    error::PayloadError,
    http::header::{CONTENT_TYPE, HeaderMap},
    web::Bytes,
};
use async_trait::async_trait;
use domain::{audience::import::MAX_BYTES, shared::fault::Faults};
use futures_util::{Stream, StreamExt};
use serde_json::json;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout, timeout_at},
};
use usecases::audience::imports::{FileRequest, Incoming};

use self::parts::Parts;
use crate::inbound::shared::{
    body::{MAX_READ, refused_encoding, unreadable},
    endpoint::describe::{Describe, Description},
    error::ApiError,
};

/// Name of the part with the file.
const FILE: &str = "file";
/// Maximum size of a form, in bytes: the file and all around it.
pub(crate) const MAX_FORM: usize = MAX_BYTES + (1 << 20);
/// Longest pause of a client.
const PAUSE: Duration = Duration::from_secs(30);
/// Time that a client has for a form: 20 MiB at 300 kbit/s.
pub(crate) const DURATION: Duration = Duration::from_secs(600);
/// Time to wait for the rest of a form that was refused.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum length of a file name, in characters.
const MAX_NAME: usize = 255;
/// Number of pieces of a file that may wait to be stored before the client has to wait.
const AHEAD: usize = 2;

/// Form with a file that has not been read.
pub(crate) struct FormUpload {
    body: SharedBody,
    headers: HeaderMap,
    encoding: Option<String>,
}

/// Form that is read up to its file.
pub(crate) struct OpenForm {
    form: Multipart,
    file: Field,
    ends: Instant,
    sender: mpsc::Sender<Piece>,
}

/// File that arrives from a form.
pub(crate) struct FormFile(mpsc::Receiver<Piece>);

enum Piece {
    Bytes(Bytes),
    End,
    Fault(Faults),
}

/// Body of a request. Clones share it.
#[derive(Clone)]
struct SharedBody(Rc<RefCell<Counted>>);

struct Counted {
    payload: Payload,
    read: usize,
}

impl FromRequest for FormUpload {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let counted = Counted { payload: payload.take(), read: 0 };
        std::future::ready(Ok(Self {
            body: SharedBody(Rc::new(RefCell::new(counted))),
            headers: request.headers().clone(),
            encoding: refused_encoding(request),
        }))
    }
}

impl FormUpload {
    /// Reads up to the file, and returns what is known of it. The file arrives while the form is
    /// [`read`](OpenForm::read) on.
    pub(crate) async fn open(&self) -> Result<(OpenForm, FormFile, FileRequest), ApiError> {
        if let Some(encoding) = &self.encoding {
            return Err(ApiError::UnsupportedEncoding(encoding.clone()));
        }
        let missing = || Faults::field(FILE, "is required");
        let Some(media_type) = self.headers.get(CONTENT_TYPE) else { return Err(missing().into()) };
        let media_type = String::from_utf8_lossy(media_type.as_bytes()).to_ascii_lowercase();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence != "multipart/form-data" {
            return Err(Faults::form("must be a form of the type multipart/form-data").into());
        }
        let ends = Instant::now() + DURATION;
        let mut form = Multipart::new(&self.headers, self.body.clone());
        let mut parts = Parts::default();
        while let Some(part) = within(ends, form.next()).await? {
            let part = part.map_err(|error| refused(&error))?;
            let Some(file) = parts.read(part, ends).await? else { continue };
            if let Some(faults) = unexpected(&file) {
                return Err(faults.into());
            }
            let request = parts.request(file_name(&file));
            let (sender, receiver) = mpsc::channel(AHEAD);
            return Ok((OpenForm { form, file, ends, sender }, FormFile(receiver), request));
        }
        Err(missing().into())
    }

    /// Reads on for a while after the form was refused: a client that still sends when the answer
    /// comes would not see it.
    pub(crate) async fn drain(self) {
        self.skip(MAX_READ, TIMEOUT).await;
    }

    /// Reads the rest of a form of which no more is needed, for the same reason.
    pub(crate) async fn pass_over(self) {
        self.skip(MAX_FORM, DURATION).await;
    }

    async fn skip(self, most: usize, time: Duration) {
        let body = &self.body;
        let reading = async {
            let mut read = 0;
            while let Some(Ok(bytes)) = std::future::poll_fn(|cx| body.poll(cx)).await {
                read += bytes.len();
                if read > most {
                    break;
                }
            }
        };
        // A client that still sends after that does not wait for an answer.
        let _ = timeout(time, reading).await;
    }
}

impl OpenForm {
    /// Passes the file on as it arrives, until it ends or its receiver is gone.
    pub(crate) async fn read(mut self) {
        let sender = self.sender.clone();
        let last = loop {
            match within(self.ends, self.file.next()).await {
                Ok(Some(Ok(bytes))) => {
                    if sender.send(Piece::Bytes(bytes)).await.is_err() {
                        return;
                    }
                }
                Ok(Some(Err(error))) => break Piece::Fault(faults(&error)),
                Ok(None) => break self.end().await,
                Err(late) => break Piece::Fault(late),
            }
        };
        // The receiver may be gone.
        let _ = sender.send(last).await;
    }

    /// Returns the end of the file, or the fault of a part after it.
    async fn end(mut self) -> Piece {
        drop(self.file);
        match within(self.ends, self.form.next()).await {
            Ok(None) => Piece::End,
            Ok(Some(Ok(part))) => Piece::Fault(
                unexpected(&part).unwrap_or_else(|| Faults::field(FILE, "must be there once")),
            ),
            Ok(Some(Err(error))) => Piece::Fault(faults(&error)),
            Err(late) => Piece::Fault(late),
        }
    }
}

#[async_trait]
impl Incoming for FormFile {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Faults> {
        match self.0.recv().await {
            Some(Piece::Bytes(bytes)) => Ok(Some(bytes.into())),
            Some(Piece::End) => Ok(None),
            Some(Piece::Fault(faults)) => Err(faults),
            // The task that read the form was cancelled.
            None => Err(Faults::form("the body ended too early")),
        }
    }
}

async fn within<T>(ends: Instant, reading: impl Future<Output = T>) -> Result<T, Faults> {
    let ends = ends.min(Instant::now() + PAUSE);
    let late = |_| Faults::form("the body did not arrive in time");
    timeout_at(ends, reading).await.map_err(late)
}

/// Returns the fault of a part that is not the file.
fn unexpected(part: &Field) -> Option<Faults> {
    match part.name() {
        Some(FILE) => None,
        Some(name) if parts::is_known(name) => {
            Some(Faults::field(name, "must be there once, before the file"))
        }
        name => Some(Faults::field(name.unwrap_or_default(), "is not a known field")),
    }
}

/// Returns the client's name of the file, without its folders.
fn file_name(file: &Field) -> Option<String> {
    let name = file.content_disposition()?.get_filename()?;
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

fn refused(error: &MultipartError) -> ApiError {
    match error {
        MultipartError::Payload(PayloadError::Overflow) => {
            ApiError::BodyTooLarge { limit: MAX_FORM }
        }
        _ => unreadable(&fault(error)),
    }
}

fn faults(error: &MultipartError) -> Faults {
    Faults::form(format!("the body {}", fault(error)))
}

fn fault(error: &MultipartError) -> String {
    match error {
        MultipartError::Incomplete | MultipartError::Payload(_) => "ended too early".to_owned(),
        error => format!("is no form that can be read: {error}"),
    }
}

impl SharedBody {
    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        let mut counted = self.0.borrow_mut();
        let polled = Pin::new(&mut counted.payload).poll_next(cx);
        if let Poll::Ready(Some(Ok(bytes))) = &polled {
            counted.read += bytes.len();
        }
        polled
    }
}

impl Stream for SharedBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.poll(cx);
        if self.0.borrow().read > MAX_FORM {
            return Poll::Ready(Some(Err(PayloadError::Overflow)));
        }
        polled
    }
}

impl Describe for FormUpload {
    fn describe(description: &mut Description) {
        let file = json!({
            "type": "string", "contentMediaType": "text/csv", "format": "binary",
            "description": "A CSV file of at most 20 MiB and 100,000 rows.",
        });
        let mut properties = parts::properties();
        properties[FILE] = file;
        description.body = Some(json!({
            "required": true,
            "content": { "multipart/form-data": { "schema": {
                "type": "object", "required": [FILE], "properties": properties,
                "additionalProperties": false,
            } } },
        }));
    }
}
