//! `/app/campaigns/{id}/recipients`: who got it, who did not, and why.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::{Bytes, Path};
use askama::Template;
use domain::outreach::campaign::{
    CampaignProgress, CampaignRecipient, RecipientFilter, RecipientOutcome, RecipientReason,
};
use domain::shared::csv::push_line;
use futures_util::{StreamExt, stream};
use usecases::{Error, outreach::campaign_recipients::RecipientExport};

use super::address;
use crate::formats::Formats;
use crate::frame::{Choice, Form, Frame, Labels, Pages, Place, Query, Shown, Visit, id_of};
use crate::words::InWords;

const LIMIT: u32 = 50;
const OUTCOME: &str = "outcome";
const REASON: &str = "reason";
const AFTER: &str = "after";
const LABELS: Labels = &[(OUTCOME, "Outcome"), (REASON, "Reason")];
const HEADER: [&str; 5] = ["Recipient", "Outcome", "Reason", "Contact", "Message"];

#[derive(Template)]
#[template(path = "campaigns/recipients.html")]
struct RecipientsPage {
    frame: Frame,
    form: Form,
    outcomes: Vec<Choice>,
    reasons: Vec<Choice>,
    f: Formats,
    recipients: Vec<CampaignRecipient>,
    pages: Pages,
    name: String,
    action: String,
    back: String,
    file: String,
}

pub(super) async fn list(visit: Visit, path: Path<String>, query: Query) -> Shown {
    let id = id_of(&path)?;
    let progress = visit.api().campaigns.get(&visit.caller, id).await?;
    let (filter, after) = (filter(&query), query.get(AFTER).and_then(|text| text.parse().ok()));
    let recipients = &visit.api().campaign_recipients;
    let part = recipients.part(&visit.caller, id, filter, after, LIMIT).await?;
    let next = part.next.map(|place| place.to_string());
    let (action, f) = (address(id, "/recipients"), visit.formats());
    let form = Form::new(LABELS)
        .with(OUTCOME, filter.outcome.map_or("", RecipientOutcome::as_str))
        .with(REASON, filter.reason.map_or("", RecipientReason::as_str));
    let outcomes = Choice::of_all(RecipientOutcome::ALL, RecipientOutcome::as_str);
    visit.show(&RecipientsPage {
        frame: visit.frame(Place::Campaigns),
        form,
        outcomes: Choice::after("All", outcomes),
        reasons: reasons(&progress, filter.reason, f),
        f,
        recipients: part.recipients,
        pages: Pages::by_cursor(&action, &query, next.as_deref()),
        file: query.address(&address(id, "/recipients/file"), AFTER, ""),
        back: address(id, ""),
        name: progress.campaign.name,
        action,
    })
}

/// Returns the filter that an address names. What names nothing is left out.
fn filter(query: &Query) -> RecipientFilter {
    RecipientFilter {
        outcome: query.get(OUTCOME).and_then(|name| name.parse().ok()),
        reason: query.get(REASON).and_then(|name| name.parse().ok()),
    }
}

/// Returns the choices of a reason: those of the campaign, and the one that is chosen.
fn reasons(
    progress: &CampaignProgress,
    chosen: Option<RecipientReason>,
    f: Formats,
) -> Vec<Choice> {
    let found = progress.by_reason().into_iter().map(|counted| {
        let label = format!("{} ({})", counted.reason.words().label, f.count(counted.count));
        Choice::new(counted.reason.as_str(), label)
    });
    let mut choices = Choice::after("All", found);
    if let Some(chosen) = chosen
        && !choices.iter().any(|choice| choice.value == chosen.as_str())
    {
        choices.push(Choice::new(chosen.as_str(), chosen.words().label));
    }
    choices
}

pub(super) async fn download(visit: Visit, path: Path<String>, query: Query) -> Shown {
    let recipients = &visit.api().campaign_recipients;
    let mut export = recipients.export(&visit.caller, id_of(&path)?, filter(&query)).await?;
    let mut text = String::new();
    push_line(&mut text, HEADER);
    // Read before the answer begins, so that an unavailable store is reported by the status.
    push_recipients(&mut text, export.next().await?);
    let rest = stream::try_unfold(export, next_part);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"recipients.csv\""))
        .streaming(stream::iter([Ok(Bytes::from(text))]).chain(rest)))
}

/// Returns the next part. An error cuts the answer off, so that nobody mistakes a part for the whole.
async fn next_part(mut export: RecipientExport) -> Result<Option<(Bytes, RecipientExport)>, Error> {
    let part = export.next().await?;
    if part.is_empty() {
        return Ok(None);
    }
    let mut text = String::new();
    push_recipients(&mut text, part);
    Ok(Some((text.into(), export)))
}

fn push_recipients(text: &mut String, recipients: Vec<CampaignRecipient>) {
    for recipient in recipients {
        let contact = recipient.contact.map(|id| id.to_string()).unwrap_or_default();
        let message = recipient.message.map(|id| id.to_string()).unwrap_or_default();
        let cells = [
            recipient.recipient.as_deref().unwrap_or_default(),
            recipient.outcome.words().label,
            recipient.reason.map_or("", |reason| reason.words().label),
            &contact,
            &message,
        ];
        push_line(text, cells);
    }
}
