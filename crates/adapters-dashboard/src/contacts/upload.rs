//! Uploads of files to import, stored while they arrive.

use std::time::Duration;

use actix_multipart::{Field, Multipart};
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Bytes, Payload};
use actix_web::{FromRequest, HttpRequest};
use async_trait::async_trait;
use domain::audience::import::{Import, ImportKind};
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use futures_util::{StreamExt, future::join};
use tokio::sync::mpsc;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};
use usecases::{Error, audience::imports::Incoming};

use crate::frame::posted::{TOKEN, check};
use crate::frame::{Failure, Posted, Visit};

/// Name of the hidden field with a held file that this one replaces. It comes before the file.
const INSTEAD: &str = "instead";
const FILE: &str = "file";
/// Maximum size of another field, in bytes.
const MAX_FIELD: usize = 1_024;
/// Longest pause of a browser.
const PAUSE: Duration = Duration::from_secs(30);
/// Time that a browser has for a form: 20 MiB at 300 kbit/s.
const DURATION: Duration = Duration::from_secs(600);
/// Time to wait for the rest of a form that was refused.
const DRAINING: Duration = Duration::from_secs(10);
/// Maximum length of a file name, in characters.
const MAX_NAME: usize = 255;
/// Number of pieces of a file that may wait to be stored before the browser has to wait.
const AHEAD: usize = 2;

/// Reads a form with a file, and holds the file, under the identifier that is returned. The inner error
/// is a refusal of the file. Fails if the form did not come from a page of this service.
pub(crate) async fn hold(
    request: &HttpRequest,
    visit: &Visit,
    kind: ImportKind,
    body: Payload,
) -> Result<Result<Id<Import>, Error>, Failure> {
    let mut payload = body.into_inner();
    let media_type =
        request.headers().get(CONTENT_TYPE).map(|it| it.as_bytes().to_ascii_lowercase());
    if !media_type.is_some_and(|it| it.starts_with(b"multipart/form-data")) {
        // The page on a session that is over sends the form again, without its file.
        Posted::from_request(request, &mut payload).await?;
        return Ok(Err(missing()));
    }
    let mut form = Multipart::new(request.headers(), payload);
    let held = read(request, visit, kind, &mut form).await;
    // A form that cannot be read must not be read on.
    if matches!(held, Ok(Err(_)) | Err(Failure::StaleForm(_))) {
        // A browser that still sends when the answer comes would not see it. One that sends after that
        // does not wait for an answer.
        let _ = timeout(DRAINING, drain(&mut form)).await;
    }
    held
}

async fn read(
    request: &HttpRequest,
    visit: &Visit,
    kind: ImportKind,
    form: &mut Multipart,
) -> Result<Result<Id<Import>, Error>, Failure> {
    let ends = Instant::now() + DURATION;
    let (mut token, mut instead, mut file) = (String::new(), String::new(), None);
    while file.is_none()
        && let Some(part) = within(ends, form.next()).await.map_err(|_| Failure::TooLarge)?
    {
        let mut part = part.map_err(|_| Failure::TooLarge)?;
        match part.name().map(str::to_owned).as_deref() {
            Some(FILE) => file = Some(part),
            Some(TOKEN) => token = text(&mut part, ends).await?,
            Some(INSTEAD) => instead = text(&mut part, ends).await?,
            _ => {}
        }
    }
    check(request, &token, &Posted::default())?;
    let Some(file) = file else { return Ok(Err(missing())) };
    let imports = &visit.api().imports;
    if let Ok(former) = instead.parse::<Id<Import>>()
        && let Err(error) = imports.release(&visit.caller, kind, former).await
    {
        return Ok(Err(error));
    }
    let name = file_name(&file);
    let is_chosen = name.is_some();
    let (sender, receiver) = mpsc::channel(AHEAD);
    let holding = imports.hold(&visit.caller, kind, name, Arriving(receiver));
    let (held, ()) = join(holding, pass_on(file, sender, ends)).await;
    Ok(match held {
        // Browsers send an empty file without a name if none was chosen.
        Err(Error::Invalid(_)) if !is_chosen => Err(missing()),
        held => held,
    })
}

fn missing() -> Error {
    Faults::field(FILE, "is required: choose one").into()
}

async fn text(part: &mut Field, ends: Instant) -> Result<String, Failure> {
    let bytes = within(ends, part.bytes(MAX_FIELD)).await.map_err(|_| Failure::TooLarge)?;
    let bytes = bytes.map_err(|_| Failure::TooLarge)?.map_err(|_| Failure::TooLarge)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the browser's name of the file, without its folders.
fn file_name(file: &Field) -> Option<String> {
    let name = file.content_disposition()?.get_filename()?;
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Piece of a file, or its end.
enum Piece {
    Bytes(Bytes),
    End,
    Broken,
}

/// Passes the file on as it arrives, until it ends or its receiver is gone.
async fn pass_on(mut file: Field, sender: mpsc::Sender<Piece>, ends: Instant) {
    let last = loop {
        match within(ends, file.next()).await {
            Ok(Some(Ok(bytes))) => {
                if sender.send(Piece::Bytes(bytes)).await.is_err() {
                    return;
                }
            }
            Ok(None) => break Piece::End,
            Ok(Some(Err(_))) | Err(_) => break Piece::Broken,
        }
    };
    // The receiver may be gone.
    let _ = sender.send(last).await;
}

async fn drain(form: &mut Multipart) {
    while let Some(Ok(mut part)) = form.next().await {
        while let Some(Ok(_)) = part.next().await {}
    }
}

async fn within<T>(ends: Instant, reading: impl Future<Output = T>) -> Result<T, Elapsed> {
    timeout_at(ends.min(Instant::now() + PAUSE), reading).await
}

/// File that arrives from a form.
struct Arriving(mpsc::Receiver<Piece>);

#[async_trait]
impl Incoming for Arriving {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Faults> {
        match self.0.recv().await {
            Some(Piece::Bytes(bytes)) => Ok(Some(bytes.into())),
            Some(Piece::End) => Ok(None),
            Some(Piece::Broken) | None => {
                Err(Faults::field(FILE, "did not arrive whole: try again"))
            }
        }
    }
}
