//! `/app/admin/approvals/{id}`: the content as it will be sent, and the decision.

use actix_web::web::Path;
use askama::Template;
use domain::content::approval::{Approval, ApprovalContent, ApprovalKind, ApprovalState, Verdict};
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use usecases::Error;

use super::LIST;
use crate::admin::tenants;
use crate::formats::Moment;
use crate::frame::{Administration, Form, Frame, Labels, Place, Posted, Shown, id_of};
use crate::passages::{Piece, all_pieces};
use crate::templates::{Change, Finding, change, finding, written};
use crate::words::{InWords, Words};

const LABELS: Labels = &[("comment", "Your words")];

#[derive(Template)]
#[template(path = "admin/approvals/detail.html")]
struct DetailPage {
    frame: Frame,
    form: Form,
    action: String,
    kind: &'static str,
    name: String,
    /// Address and name of the organization.
    organization: (String, String),
    writers: String,
    asked_at: Moment,
    score: u8,
    passages: Vec<Piece>,
    findings: Vec<Finding>,
    /// Channel and country of a sender name.
    purpose: Option<String>,
    /// Difference from the version that was approved last.
    change: Option<Change>,
    /// Template that the vendor stores, and that is sent instead.
    vendor_template: Option<String>,
    allows_long_values: bool,
    state: Words,
    is_pending: bool,
    /// True if the administrator wrote it, and so may only reject it.
    is_own: bool,
    /// Words of the administrator who decided.
    comment: Option<String>,
}

pub(super) async fn show(of: Administration, path: Path<String>) -> Shown {
    page(&of, id_of(&path)?, Form::new(LABELS)).await
}

pub(super) async fn decide(of: Administration, path: Path<String>, posted: Posted) -> Shown {
    let (id, comment, form) = (id_of(&path)?, posted.text("comment"), posted.form(LABELS));
    let verdict = match posted.raw("verdict") {
        "approve" => Verdict::Approved,
        "reject" if comment.is_some() => Verdict::Rejected,
        "reject" => {
            let form = form.with_fault("comment", "Write what the author should change");
            return page(&of, id, form).await;
        }
        _ => {
            let form = form.with_fault("", "Choose: approve it or reject it.");
            return page(&of, id, form).await;
        }
    };
    let decision = (verdict, comment);
    match of.api().approvals.decide(&of.administrator, id, decision, Faults::default()).await {
        Ok(approval) => {
            let (kind, state) = (approval.kind.label(), approval.state.words().label);
            let state = state.to_lowercase();
            Ok(of.done(LIST, format!("The {kind} is {state}. Its author is told by mail.")))
        }
        Err(refusal) => page(&of, id, form.refused(refusal)?).await,
    }
}

async fn page(of: &Administration, id: Id<Approval>, form: Form) -> Shown {
    let (api, admin, f) = (of.api(), &of.administrator, of.formats());
    let approval = api.approvals.get(admin, id).await?;
    let organization = approval.organization;
    let names = api.tenants.names(admin, [organization].into()).await?;
    let content = &approval.content;
    let page = DetailPage {
        frame: of.frame(Place::Approvals).refused(form.has_faults()),
        form,
        action: format!("{LIST}/{id}"),
        kind: approval.kind.words().label,
        organization: (
            tenants::address(organization, ""),
            names.into_values().next().unwrap_or_default(),
        ),
        writers: writers(of, &approval).await?,
        asked_at: f.time(approval.requested_at),
        score: approval.risk_score,
        passages: all_pieces(&checked_text(&approval), &approval.issues),
        findings: approval.issues.iter().map(finding).collect(),
        purpose: (approval.kind == ApprovalKind::SenderName).then(|| content.body.clone()),
        change: changed(of, &approval).await?,
        vendor_template: content.vendor_template.as_ref().map(|it| it.name.clone()),
        allows_long_values: content.allows_long_values,
        state: approval.state.words(),
        is_pending: approval.state == ApprovalState::Pending,
        is_own: approval.authors.contains(&admin.id),
        comment: match approval.state {
            ApprovalState::Decided(decision) => decision.comment,
            ApprovalState::Pending | ApprovalState::Withdrawn => None,
        },
        name: approval.name,
    };
    of.answer(&page, page.form.has_faults())
}

/// Returns the text to which the passages of the issues belong: of a sender name, the name itself.
fn checked_text(approval: &Approval) -> String {
    match approval.kind {
        ApprovalKind::SenderName => approval.name.clone(),
        ApprovalKind::Template | ApprovalKind::Campaign => text_of(&approval.content),
    }
}

fn text_of(content: &ApprovalContent) -> String {
    written(content.subject.as_deref(), &content.body)
}

/// Returns the names and the addresses of those who wrote the content: for a campaign with a template,
/// the author of the template as well.
async fn writers(of: &Administration, approval: &Approval) -> Result<String, Error> {
    let mut writers = Vec::with_capacity(approval.authors.len());
    for author in &approval.authors {
        writers.push(match of.api().platform_users.get(&of.administrator, *author).await {
            Ok(user) => format!("{} {}, {}", user.first_name, user.last_name, user.email),
            Err(Error::NotFound(_)) => "Somebody whose account is gone".to_owned(),
            Err(failure) => return Err(failure),
        });
    }
    Ok(writers.join("; "))
}

/// Returns what changed since the version of a template that was approved last.
async fn changed(of: &Administration, approval: &Approval) -> Result<Option<Change>, Error> {
    if approval.kind != ApprovalKind::Template || approval.state != ApprovalState::Pending {
        return Ok(None);
    }
    let (organization, id) = (approval.organization, Id::of(approval.resource));
    let templates = &of.api().templates;
    let approved = templates.approved_version(&of.administrator, organization, id).await?;
    Ok(approved.and_then(|version| {
        let old = written(version.subject.as_deref(), &version.body);
        change(&old, &text_of(&approval.content))
    }))
}
