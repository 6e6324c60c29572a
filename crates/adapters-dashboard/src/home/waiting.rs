//! Content of the organization that waits for approval.

use domain::content::approval::{
    ApprovalKind, ApprovalStatus, RequestedApproval, RequestedApprovalFilter,
};
use usecases::Error;

use crate::formats::{Formats, Moment};
use crate::frame::Visit;
use crate::words::InWords;

/// Maximum number of rows; more are only mentioned.
const SHOWN: u32 = 5;

/// The newest contents that wait.
pub(super) struct WaitingContent {
    pub(super) rows: Vec<Row>,
    /// True if more wait.
    pub(super) has_more: bool,
}

pub(super) struct Row {
    pub(super) kind: &'static str,
    pub(super) name: String,
    /// Address of the page of the content.
    pub(super) href: String,
    pub(super) asked_at: Moment,
}

impl WaitingContent {
    pub(super) async fn of(visit: &Visit) -> Result<Self, Error> {
        let status = Some(ApprovalStatus::Pending);
        let filter = RequestedApprovalFilter { status, ..RequestedApprovalFilter::default() };
        let approvals = &visit.api().approvals;
        let part = approvals.requested(&visit.caller, &filter, None, SHOWN).await?;
        let formats = visit.formats();
        let rows = part.approvals.into_iter().map(|approval| Row::of(approval, &formats));
        Ok(Self { rows: rows.collect(), has_more: part.next.is_some() })
    }
}

impl Row {
    fn of(approval: RequestedApproval, formats: &Formats) -> Self {
        let resource = approval.resource;
        let href = match approval.kind {
            ApprovalKind::Template => format!("/app/templates/{resource}"),
            ApprovalKind::Campaign => format!("/app/campaigns/{resource}"),
            ApprovalKind::SenderName => "/app/settings/sender-names".to_owned(),
        };
        Self {
            kind: approval.kind.words().label,
            name: approval.name,
            href,
            asked_at: formats.time(approval.requested_at),
        }
    }
}
