//! Sending of the messages of a form, once.

use domain::messaging::message::Message;
use usecases::messaging::messages::{Place, SendBulk, SendMessage};
use usecases::{Error, Reason};

use super::composition::{CHOSEN, Composition, Entries, FIND, LABELS, RECIPIENTS, Way};
use super::page::{Progress, SendPage};
use super::preview::{Preview, Refused};
use super::recipients::Recipient;
use crate::frame::{Form, Posted, Query, Shown, Visit, once};
use crate::words::message_noun;

const LOG: &str = "/app/messages";
const OTHER_PRICE: &str = "Nothing was sent yet: the price is another one than on the button that you \
                           pressed. Look at it, and press the button again.";
const OTHER_TEXT: &str = "You sent this page before, with something else in it. Nothing was sent now. If \
                          you want to send this, too, press the button again.";
const NOTHING_TWICE: &str = "This was accepted before. Nothing was sent twice.";
/// Reason why the form is shown again. Nobody reads it: the page says more.
const SHOWN_AGAIN: Reason = Reason::new("SHOWN_AGAIN", "the form is shown again");

/// Result of sending a form.
enum Attempt {
    /// All messages were accepted.
    Accepted {
        /// Address of the page about them.
        address: String,
        /// Sentence for that page.
        notice: String,
    },
    /// The form is shown again.
    Again(Box<SendPage>),
}

pub(super) async fn send(visit: Visit, posted: Posted) -> Shown {
    let (mut notice, mut again) = (None, None);
    let sent = Box::pin(once(&visit, &posted, async {
        match attempt(&visit, &posted).await? {
            Attempt::Accepted { address, notice: text } => {
                notice = Some(text);
                Ok(address)
            }
            Attempt::Again(page) => {
                again = Some(page);
                Err(Error::Conflict(SHOWN_AGAIN))
            }
        }
    }));
    let outcome = sent.await;
    let refusal = match outcome {
        Ok(address) => {
            let notice = notice.unwrap_or_else(|| NOTHING_TWICE.to_owned());
            return Ok(visit.done(&address, notice));
        }
        Err(refusal) => refusal,
    };
    if let Some(page) = again {
        return visit.answer(&*page, true);
    }
    let form = posted.form(LABELS);
    let form = match refusal {
        Error::Contradiction(_) => form.with_fault("", OTHER_TEXT),
        other => form.refused(other)?,
    };
    let entries = Entries(posted.fields());
    let composition = Composition::of(&visit, entries).await?;
    let preview = Preview::of(&visit, &composition).await?;
    let page = SendPage::of(&visit, entries, form, &composition, preview).await?;
    visit.answer(&page, true)
}

/// Sends the messages if nothing is wrong, for the price that the sender saw.
async fn attempt(visit: &Visit, posted: &Posted) -> Result<Attempt, Error> {
    let entries = Entries(posted.fields());
    let composition = Composition::of(visit, entries).await?;
    let preview = Preview::of(visit, &composition).await?;
    let mut form = posted.form(LABELS);
    for (field, sentence) in &preview.faults {
        form = form.with_fault(field, sentence);
    }
    if let Some(shortfall) = &preview.shortfall {
        form = form.with_fault("", shortfall);
    } else if preview.is_ready() && posted.raw("offer") != preview.offer {
        form = form.with_fault("", OTHER_PRICE);
    }
    if form.has_faults() || !preview.is_ready() {
        let page = SendPage::of(visit, entries, form, &composition, preview).await?;
        return Ok(Attempt::Again(Box::new(page)));
    }
    // The use case counts the others, by their texts.
    visit.edge().count_messages(&visit.caller, 1).await?;
    let key = posted.once().map(|key| format!("form-{key}"));
    if composition.way == Way::Several {
        send_to_several(visit, posted, &composition, key).await
    } else {
        send_to_one(visit, &composition, key).await
    }
}

async fn send_to_one(
    visit: &Visit,
    composition: &Composition,
    key: Option<String>,
) -> Result<Attempt, Error> {
    let message = composition.requests().pop().unwrap_or_default();
    let command =
        SendMessage { message, idempotency_key: key, is_async: true, ..SendMessage::default() };
    let sent = visit.api().messages.send(&visit.caller, command).await?.accepted;
    let notice = match composition.at {
        Some(at) => format!("The message goes {}.", visit.formats().time(at).text),
        None => "The message was accepted.".to_owned(),
    };
    Ok(Attempt::Accepted { address: format!("{LOG}/{}", sent.id), notice })
}

/// Sends to all for whom a message can be made. The others stay in the form.
async fn send_to_several(
    visit: &Visit,
    posted: &Posted,
    composition: &Composition,
    key: Option<String>,
) -> Result<Attempt, Error> {
    let command = SendBulk {
        messages: composition.requests(),
        idempotency_key: key,
        is_async: true,
        is_partial: true,
        ..SendBulk::default()
    };
    let places = visit.api().messages.send_places(&visit.caller, command).await?.accepted;
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for (recipient, place) in composition.recipients.iter().zip(places) {
        match place {
            Place::Accepted(message) => accepted.push(*message),
            Place::Refused(item) => {
                let sentences = composition.sentences(&item.faults);
                refused.push((recipient, Refused::of(recipient, &sentences)));
            }
        }
    }
    let notice = notice(visit, composition, accepted.len());
    let address = log_of(visit, composition, &accepted);
    if refused.is_empty() {
        return Ok(Attempt::Accepted { address, notice });
    }
    let progress = Progress { text: notice, href: address };
    Ok(Attempt::Again(Box::new(page_of_refused(visit, posted, &refused, progress).await?)))
}

/// Returns the page with the refused recipients left in its form.
async fn page_of_refused(
    visit: &Visit,
    posted: &Posted,
    refused: &[(&Recipient, Refused)],
    progress: Progress,
) -> Result<SendPage, Error> {
    let is_kept =
        |(name, _): &&(String, String)| ![RECIPIENTS, CHOSEN, FIND].contains(&name.as_str());
    let mut fields: Vec<_> = posted.fields().iter().filter(is_kept).cloned().collect();
    let lines: Vec<_> = refused.iter().map(|(recipient, _)| recipient.written.as_str()).collect();
    fields.push((RECIPIENTS.to_owned(), lines.join("\n")));
    let entries = Entries(&fields);
    let composition = Composition::of(visit, entries).await?;
    let preview = Preview::of(visit, &composition).await?;
    let mut form = Form::filled(LABELS, fields.clone());
    for (line, (_, refused)) in (1..).zip(refused) {
        let refused = Refused { place: format!("Line {line}"), ..refused.clone() };
        form = form.with_fault(RECIPIENTS, refused.sentence());
    }
    let mut page = SendPage::of(visit, entries, form, &composition, preview).await?;
    page.progress = Some(progress);
    Ok(page)
}

fn notice(visit: &Visit, composition: &Composition, accepted: usize) -> String {
    let count = u64::try_from(accepted).unwrap_or(u64::MAX);
    let noun = message_noun(composition.channel, count);
    let formats = visit.formats();
    let verb = if count == 1 { "was" } else { "were" };
    let count = formats.count(count);
    match composition.at {
        Some(at) => {
            format!("{count} {noun} {verb} accepted, to go {}.", formats.time(at).text)
        }
        None => format!("{count} {noun} {verb} accepted."),
    }
}

/// Returns the address of the log that begins with the accepted messages.
fn log_of(visit: &Visit, composition: &Composition, accepted: &[Message]) -> String {
    let query = Query::parse(&format!("channel={}", composition.channel));
    match accepted.first() {
        Some(first) => query.address(LOG, "from", &visit.formats().field_time(first.created_at)),
        None => query.address(LOG, "from", ""),
    }
}
