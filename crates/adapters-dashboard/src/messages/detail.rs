//! `/app/messages/{id}`

use actix_web::web::Path;
use askama::Template;
use domain::identity::permission::Permission;
use domain::messaging::attempt::Attempt;
use domain::messaging::delivery::Delivery;
use domain::messaging::message::{Message, Source};
use domain::messaging::resend::FailedKind;
use domain::shared::id::Id;
use domain::shared::text_format::TextFormat;
use usecases::Error;

use super::{
    address_of, read_id,
    timeline::{self, Event},
};
use crate::formats::{Formats, Moment};
use crate::frame::{Frame, Place, Query, Shown, Visit};
use crate::words::{Explanation, InWords};

const LOG: &str = "/app/messages";

#[derive(Template)]
#[template(path = "messages/detail.html")]
struct DetailPage {
    frame: Frame,
    explanation: Explanation,
    charge: &'static str,
    facts: Facts,
    text: Text,
    rows: Vec<timeline::Row>,
    /// Message that repeats it.
    replacement: Option<String>,
    /// Page on which it can be sent again.
    resend: Option<String>,
    /// True while its state can change.
    is_live: bool,
}

struct Facts {
    recipient: String,
    /// Other messages to the recipient.
    to_recipient: String,
    contact: Option<String>,
    channel: &'static str,
    category: &'static str,
    sender: Option<String>,
    price: String,
    is_refunded: bool,
    is_test: bool,
    accepted: Moment,
    /// Time after which it is no longer tried; `None` if it is not tried any more.
    tried_until: Option<Moment>,
    campaign: Option<String>,
    /// Slug of its event, and the other messages of that.
    event: Option<(String, String)>,
    resent_from: Option<String>,
    id: String,
    code: Option<&'static str>,
    /// Answer of the provider in its own words.
    answer: Option<String>,
    /// The provider's identifier of the message.
    reference: Option<String>,
}

/// Text of a message, as the viewer may see it.
enum Text {
    /// The role of the viewer does not show it.
    Hidden,
    /// It was erased.
    Erased,
    /// It is shown.
    Shown { subject: Option<String>, body: String, is_html: bool },
}

pub(super) async fn show(visit: Visit, id: Path<String>) -> Shown {
    let formats = visit.formats();
    let message = visit.api().messages.get(&visit.caller, read_id(&id)?).await?;
    let entries = visit.api().timelines.of(&visit.caller, &message).await?;
    let replacement = replacement(&visit, &message).await?;
    let explanation = Explanation::of(&message, formats.now());
    let is_resendable = message.failed_kind().is_some_and(FailedKind::is_resendable);
    let may_send = visit.caller.authorize_sending(Permission::SendMessages).is_ok();
    visit.show(&DetailPage {
        frame: visit.frame(Place::Messages),
        explanation,
        charge: explanation.charge.sentence(),
        facts: Facts::of(&message, &formats),
        text: Text::of(&message, visit.may(Permission::ReadTexts)),
        rows: timeline::rows(&message, entries, &formats),
        replacement: replacement.map(address_of),
        resend: (is_resendable && may_send).then(|| format!("{}/resend", address_of(message.id))),
        is_live: is_open(&message.delivery),
    })
}

async fn replacement(visit: &Visit, message: &Message) -> Result<Option<Id<Message>>, Error> {
    match message.delivery {
        Delivery::Failed { .. } => visit.api().resends.replacement(&visit.caller, message.id).await,
        _ => Ok(None),
    }
}

/// True while a change of the state is expected.
const fn is_open(delivery: &Delivery) -> bool {
    match delivery {
        Delivery::Queued { .. } | Delivery::Pending { .. } | Delivery::Sent { .. } => true,
        Delivery::Unreported { .. } | Delivery::Delivered { .. } | Delivery::Failed { .. } => false,
    }
}

impl Facts {
    fn of(message: &Message, formats: &Formats) -> Self {
        let draft = &message.draft;
        let recipient = draft.recipient.as_str();
        let log_by = |name: &str, value: &str| Query::default().address(LOG, name, value);
        let is_tried =
            matches!(message.delivery, Delivery::Queued { .. } | Delivery::Pending { .. });
        let failure = message.delivery.failure();
        let answer = failure.map(|failure| failure.message.clone());
        let last = message.attempts.last();
        Self {
            recipient: formats.phone(recipient),
            to_recipient: log_by("recipient", recipient),
            contact: message.contact.map(|id| format!("/app/contacts/{id}")),
            channel: draft.channel.words().label,
            category: draft.category.words().label,
            sender: draft.sender.clone(),
            price: formats.money(message.cost),
            is_refunded: message.is_refunded(),
            is_test: message.is_sandbox,
            accepted: formats.time(message.created_at),
            tried_until: is_tried.then(|| formats.time(message.expires_at)),
            campaign: message
                .source
                .and_then(Source::campaign)
                .map(|id| format!("/app/campaigns/{id}")),
            event: message.event.clone().map(|slug| {
                let href = log_by("event", &slug);
                (slug, href)
            }),
            resent_from: message.resent_from.map(address_of),
            id: message.id.internal(),
            code: failure.map(|failure| failure.code.as_str()),
            answer: answer.filter(|answer| !answer.is_empty()),
            reference: last.and_then(Attempt::reference).map(str::to_owned),
        }
    }
}

impl Text {
    fn of(message: &Message, shows_texts: bool) -> Self {
        let draft = &message.draft;
        if !shows_texts {
            Self::Hidden
        } else if draft.body.is_empty() {
            Self::Erased
        } else {
            Self::Shown {
                subject: draft.subject.clone(),
                body: draft.body.clone(),
                is_html: draft.format == TextFormat::Html,
            }
        }
    }
}
