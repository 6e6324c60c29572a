//! `/app/campaigns`

use askama::Template;
use domain::identity::permission::Permission;
use domain::outreach::campaign::{CampaignProgress, CampaignStatus};

use super::PATH;
use crate::formats::Formats;
use crate::frame::{Choice, Form, Frame, Labels, Pages, Place, Query, Shown, Visit};
use crate::words::InWords;

const STATUS: &str = "status";
const LABELS: Labels = &[(STATUS, "Status")];

#[derive(Template)]
#[template(path = "campaigns/list.html")]
struct ListPage {
    frame: Frame,
    f: Formats,
    form: Form,
    statuses: Vec<Choice>,
    campaigns: Vec<CampaignProgress>,
    pages: Pages,
    is_filtered: bool,
    may_write: bool,
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    let status = query.get(STATUS).and_then(|name| name.parse::<CampaignStatus>().ok());
    let page = query.page_of(25)?;
    let found = visit.api().campaigns.page_of(&visit.caller, status, page).await?;
    let statuses = Choice::of_all(CampaignStatus::ALL, CampaignStatus::as_str);
    visit.show(&ListPage {
        frame: visit.frame(Place::Campaigns),
        f: visit.formats(),
        form: Form::new(LABELS).with(STATUS, status.map_or("", CampaignStatus::as_str)),
        statuses: Choice::after("All", statuses),
        pages: Pages::of(PATH, &query, &found),
        campaigns: found.items,
        is_filtered: status.is_some(),
        may_write: visit.may(Permission::WriteAudience),
    })
}
