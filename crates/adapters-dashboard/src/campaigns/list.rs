//! `/app/campaigns`

use askama::Template;
use domain::{
    identity::permission::Permission,
    outreach::campaign::{CampaignProgress, CampaignStatus},
    shared::page::Page,
};
use usecases::Error;

use super::PATH;
use crate::{
    formats::Formats,
    frame::{
        failure::Shown,
        form::{Choice, Form, Labels},
        navigation::Place,
        page::Frame,
        pages::{Numbered, Pages},
        query::Query,
        routes::{Route, get},
        visit::Visit,
    },
    words::InWords,
};

const LIMIT: u32 = 25;
const STATUS: &str = "status";
const LABELS: Labels = &[(STATUS, "Status")];

/// Page with the campaigns.
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

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, list)]
}

async fn list(visit: Visit, query: Query) -> Shown {
    let status = query.get(STATUS).and_then(|name| name.parse::<CampaignStatus>().ok());
    let page = Page::new(Some(query.page().into()), Some(LIMIT.into())).map_err(Error::from)?;
    let found = visit.api().campaigns.page_of(&visit.caller, status, page).await?;
    let list = Numbered {
        limit: LIMIT,
        shown: u64::try_from(found.items.len()).unwrap_or_default(),
        total: found.total,
        is_lower_bound: found.is_lower_bound,
    };
    let named = CampaignStatus::ALL.map(|it| Choice::new(it.as_str(), it.words().label));
    visit.show(&ListPage {
        frame: visit.frame(Place::Campaigns),
        f: visit.formats(),
        form: Form::new(LABELS).with(STATUS, status.map_or("", CampaignStatus::as_str)),
        statuses: [Choice::new("", "All")].into_iter().chain(named).collect(),
        campaigns: found.items,
        pages: Pages::numbered(PATH, &query, list),
        is_filtered: status.is_some(),
        may_write: visit.may(Permission::WriteAudience),
    })
}
