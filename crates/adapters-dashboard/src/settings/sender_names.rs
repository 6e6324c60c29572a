//! `/app/settings/sender-names`

use std::collections::BTreeMap;

use actix_web::web::Path;
use askama::Template;
use domain::content::approval::{ApprovalKind, ApprovalStatus, RequestedApprovalFilter};
use domain::content::sender_name::{SenderName, SenderNameRequest};
use domain::identity::permission::Permission;
use domain::shared::channel::Channel;
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use domain::shared::page::Page;
use usecases::Error;

use crate::frame::{
    Choice, Form, Frame, Labels, Pages, Place, Posted, Query, Question, Shown, Visit, id_of, once,
};
use crate::words::{InWords, Words};

pub(super) const PATH: &str = "/app/settings/sender-names";
const LABELS: Labels =
    &[("name", "Name or number"), ("channel", "Channel"), ("countryCode", "Country")];
const CHANNELS: [Channel; 3] = [Channel::Sms, Channel::WhatsApp, Channel::Voice];
/// Maximum number of decisions whose comments are shown.
const DECISIONS: u32 = 100;

#[derive(Template)]
#[template(path = "settings/sender_names.html")]
struct SenderNamesPage {
    frame: Frame,
    form: Form,
    channels: Vec<Choice>,
    rows: Vec<Row>,
    pages: Pages,
    may_ask: bool,
}

struct Row {
    delete: String,
    name: String,
    channel: &'static str,
    country: String,
    status: Words,
    /// Words of the reviewer who rejected it.
    comment: Option<String>,
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    page(&visit, &query, Form::new(LABELS).with("countryCode", "GH")).await
}

pub(super) async fn ask(visit: Visit, posted: Posted) -> Shown {
    let mut faults = Faults::default();
    let request = SenderNameRequest {
        name: posted.text("name"),
        channel: posted.parsed("channel", &mut faults),
        country: posted.parsed("countryCode", &mut faults),
    };
    let asked = once(&visit, &posted, async {
        visit.api().sender_names.request(&visit.caller, request, faults).await?;
        Ok(PATH.to_owned())
    });
    match asked.await {
        Ok(address) => Ok(visit.done(&address, "The name waits for approval.")),
        Err(refusal) => {
            page(&visit, &Query::default(), posted.form(LABELS).refused(refusal)?).await
        }
    }
}

pub(super) async fn ask_to_delete(visit: Visit, id: Path<String>) -> Shown {
    visit.caller.authorize(Permission::RequestSenderNames)?;
    let id = id_of(&id)?;
    let all = Page::of_short_list(None, None)?;
    let names = visit.api().sender_names.page(&visit.caller, None, all).await?.items;
    let name = names.into_iter().find(|name| name.id == id);
    let name = name.ok_or(Error::NotFound("sender name"))?.sender.to_string();
    visit.show(&Question {
        frame: visit.frame(Place::Settings),
        title: "Give up the sender name?",
        name,
        text: "Messages from it are refused at once, those of your systems too. Others may ask for \
               it. To have it back, it needs approval again.",
        button: "Give up the name",
        action: format!("{PATH}/{id}/delete"),
        back: PATH.to_owned(),
    })
}

pub(super) async fn delete(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&id)?;
    let deleted = once(&visit, &posted, async {
        visit.api().sender_names.delete(&visit.caller, id).await?;
        Ok(PATH.to_owned())
    });
    Ok(visit.done(&deleted.await?, "The name is given up. Messages with it are refused."))
}

async fn page(visit: &Visit, query: &Query, form: Form) -> Shown {
    let part = query.page_of(25)?;
    let found = visit.api().sender_names.page(&visit.caller, None, part).await?;
    let comments = comments(visit).await?;
    let row = |name: SenderName| Row {
        delete: format!("{PATH}/{}/delete", name.id),
        name: name.sender.to_string(),
        channel: name.channel.words().label,
        country: name.country.to_string(),
        status: name.status.words(),
        comment: comments.get(&name.id).cloned(),
    };
    let page = SenderNamesPage {
        frame: visit.frame(Place::Settings).refused(form.has_faults()),
        form,
        channels: Choice::of_all(CHANNELS, Channel::as_str),
        pages: Pages::of(PATH, query, &found),
        rows: found.items.into_iter().map(row).collect(),
        may_ask: visit.may(Permission::RequestSenderNames),
    };
    visit.answer(&page, page.form.has_faults())
}

/// Returns the words with which names were rejected lately.
async fn comments(visit: &Visit) -> Result<BTreeMap<Id<SenderName>, String>, Error> {
    let status = Some(ApprovalStatus::Rejected);
    let rejected = RequestedApprovalFilter { status, ..RequestedApprovalFilter::default() };
    let part = visit.api().approvals.requested(&visit.caller, &rejected, None, DECISIONS).await?;
    let of_names = part.approvals.into_iter().filter(|it| it.kind == ApprovalKind::SenderName);
    Ok(of_names.filter_map(|it| Some((Id::of(it.resource), it.comment?))).collect())
}
