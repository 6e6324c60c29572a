//! Files that come in as a part of a form, handed on while they come.

use std::{
    cell::RefCell,
    collections::BTreeMap,
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
use domain::{
    audience::import::{MAX_BYTES, Mapping},
    shared::fault::Faults,
};
use futures_util::{Stream, StreamExt};
use serde_json::json;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout, timeout_at},
};
use usecases::audience::imports::{FileRequest, Incoming};

use crate::inbound::shared::{
    body::{MAX_READ, refused_encoding, unreadable},
    endpoint::{
        describe::{Describe, Description},
        schemas::MARK,
    },
    error::ApiError,
};

/// The name of the part that is the file.
const FILE: &str = "file";
/// The name of the part before it that says what its columns are.
const MAPPING: &str = "mapping";
/// The most bytes of that part.
const MAX_MAPPING: usize = 256 * 1_024;
/// The most bytes of a form: those of the file and of what surrounds it.
const MAX_FORM: usize = MAX_BYTES + (1 << 20);
/// How long a client may pause, and how long it may take in all: 20 MiB at 300 kbit/s.
const PAUSE: Duration = Duration::from_secs(30);
const DURATION: Duration = Duration::from_secs(600);
/// How long is waited for the rest of a form that was refused.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest name of a file, in characters.
const MAX_NAME: usize = 255;
/// How many pieces of a file may wait to be kept before the client has to wait.
const AHEAD: usize = 2;

/// A form with a file that has not been read.
pub(crate) struct FormUpload {
    body: SharedBody,
    headers: HeaderMap,
    encoding: Option<String>,
}

/// A form that is read up to its file.
pub(crate) struct OpenForm {
    form: Multipart,
    file: Field,
    ends: Instant,
    sender: mpsc::Sender<Piece>,
}

/// A file on its way from a form.
pub(crate) struct FormFile(mpsc::Receiver<Piece>);

enum Piece {
    Bytes(Bytes),
    End,
    Fault(Faults),
}

/// The body of a request. Clones share it.
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
    /// Reads up to the file, which comes while the form is [`read`](OpenForm::read) on, and tells what
    /// is known of it.
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
        let mut mapping = None;
        while let Some(part) = within(ends, form.next()).await? {
            let part = part.map_err(|error| refused(&error))?;
            if part.name() == Some(MAPPING) && mapping.is_none() {
                mapping = Some(read_mapping(part, ends).await?);
                continue;
            }
            if let Some(faults) = unexpected(&part) {
                return Err(faults.into());
            }
            let (name, mapping) = (file_name(&part), mapping.unwrap_or_default());
            let (sender, receiver) = mpsc::channel(AHEAD);
            let form = OpenForm { form, file: part, ends, sender };
            return Ok((form, FormFile(receiver), FileRequest { name, mapping }));
        }
        Err(missing().into())
    }

    /// Reads on for a while after the form was refused: a client that still sends when the answer comes
    /// would not see it.
    pub(crate) async fn drain(self) {
        let body = &self.body;
        let reading = async {
            let mut read = 0;
            while let Some(Ok(bytes)) = std::future::poll_fn(|cx| body.poll(cx)).await {
                read += bytes.len();
                if read > MAX_READ {
                    break;
                }
            }
        };
        // Who still sends then does not wait for an answer.
        let _ = timeout(TIMEOUT, reading).await;
    }
}

impl OpenForm {
    /// Hands the file on as it comes, until it has come or nobody wants the rest.
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
        // Nobody wants it either.
        let _ = sender.send(last).await;
    }

    /// What stands after the file.
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
            // Whoever read the form was cancelled.
            None => Err(Faults::form("the body ended too early")),
        }
    }
}

async fn within<T>(ends: Instant, reading: impl Future<Output = T>) -> Result<T, Faults> {
    let ends = ends.min(Instant::now() + PAUSE);
    let late = |_| Faults::form("the body did not arrive in time");
    timeout_at(ends, reading).await.map_err(late)
}

/// The mapping that a form gives for the columns of its file: an object of headers and fields, or nulls.
async fn read_mapping(mut part: Field, ends: Instant) -> Result<Mapping, ApiError> {
    let mut text = Vec::new();
    while let Some(bytes) = within(ends, part.next()).await? {
        text.extend_from_slice(&bytes.map_err(|error| refused(&error))?);
        if text.len() > MAX_MAPPING {
            return Err(Faults::field(MAPPING, "must have at most 256 KiB").into());
        }
    }
    let said: BTreeMap<String, Option<String>> = serde_json::from_slice(&text).map_err(|_| {
        Faults::field(MAPPING, "must be a JSON object of headers and fields, or nulls")
    })?;
    Ok(Mapping(said))
}

/// A part that is not the file.
fn unexpected(part: &Field) -> Option<Faults> {
    match part.name() {
        Some(FILE) => None,
        Some(MAPPING) => Some(Faults::field(MAPPING, "must be there once, before the file")),
        name => Some(Faults::field(name.unwrap_or_default(), "is not a known field")),
    }
}

/// What the client calls the file, without the folders in which it was.
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
            "description": "A file in CSV of at most 20 MiB and 100,000 rows.",
        });
        let mapping = json!({
            "type": "string", "contentMediaType": "application/json", "maxLength": MAX_MAPPING,
            "description": "Before the file: what its columns are. A JSON object of headers and fields; \
                            null leaves a column out.",
            "example": "{\"WhatsApp\": \"phone\", \"Notes\": null}",
            MARK: true,
        });
        description.body = Some(json!({
            "required": true,
            "content": { "multipart/form-data": { "schema": {
                "type": "object", "required": [FILE], "properties": { MAPPING: mapping, FILE: file },
                "additionalProperties": false,
            } } },
        }));
    }
}
