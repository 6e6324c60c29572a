//! `/app/messages/{id}/resend`

use actix_web::web::Path;
use askama::Template;
use domain::{identity::permission::Permission, messaging::message::Message, shared::id::Id};
use usecases::Error;
use usecases::messaging::resends::{ALREADY_RESENT, ResendMessage, ResendOffer};

use super::{address_of, read_id};
use crate::frame::{Form, Frame, Labels, Place, Posted, Shown, Visit, once};
use crate::words::{Explanation, InWords};

const LABELS: Labels = &[];
const RESENT_MEANWHILE: &str = "It was sent again meanwhile. Look at that message first. If you send this \
                                one again all the same, the person may get it twice.";

#[derive(Template)]
#[template(path = "messages/again.html")]
struct AgainPage {
    frame: Frame,
    form: Form,
    /// Page of the message.
    message: String,
    recipient: String,
    channel: &'static str,
    explanation: Explanation,
    /// Its text; `None` if the viewer may not see it.
    text: Option<String>,
    price: String,
    is_free: bool,
    /// Message that repeated it before.
    former: Option<String>,
}

pub(super) async fn show(visit: Visit, id: Path<String>) -> Shown {
    page(&visit, read_id(&id)?, Form::new(LABELS)).await
}

pub(super) async fn resend(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let id = read_id(&id)?;
    let command = ResendMessage {
        again: posted.is_set("again"),
        idempotency_key: posted.once().map(|key| format!("form-{key}")),
        ..ResendMessage::default()
    };
    match once(&visit, &posted, begin(&visit, id, command)).await {
        Ok(address) => Ok(visit.done(&address, "The message was sent again. This is the new one.")),
        Err(Error::Conflict(reason)) if reason.code == ALREADY_RESENT.code => {
            let form = posted.form(LABELS).with_fault("", RESENT_MEANWHILE);
            page(&visit, id, form).await
        }
        Err(refusal) => page(&visit, id, posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn begin(visit: &Visit, id: Id<Message>, command: ResendMessage) -> Result<String, Error> {
    let (resends, caller) = (visit.api().resends.clone(), visit.caller.clone());
    visit.edge().count_messages(&caller, 1).await?;
    let sending = async move { resends.resend(&caller, id, command).await };
    let sent = visit.edge().to_its_end(sending).await?;
    Ok(address_of(sent.accepted.id))
}

async fn page(visit: &Visit, id: Id<Message>, form: Form) -> Shown {
    let formats = visit.formats();
    let offer = visit.api().resends.offer(&visit.caller, id).await?;
    let ResendOffer { message, cost, former } = offer;
    let shows_texts = visit.may(Permission::ReadTexts);
    let page = AgainPage {
        frame: visit.frame(Place::Messages).refused(form.has_faults()),
        form,
        message: address_of(id),
        recipient: formats.phone(message.draft.recipient.as_str()),
        channel: message.draft.channel.words().label,
        explanation: Explanation::of(&message, formats.now()),
        text: shows_texts.then(|| message.draft.body.clone()),
        price: formats.money(cost),
        is_free: message.is_sandbox,
        former: former.map(address_of),
    };
    visit.answer(&page, page.form.has_faults())
}
