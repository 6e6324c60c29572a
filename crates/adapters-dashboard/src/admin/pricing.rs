//! `/app/admin/pricing`

mod plans;

use actix_web::web::Path;
use askama::Template;
use domain::money::pricing::{
    PricingFilter, PricingRule, PricingRuleRequest, PricingRuleUpdate, Version,
};
use domain::shared::channel::Channel;
use domain::shared::country::Country;
use domain::shared::fault::Faults;
use domain::shared::page::{Page, Paged};
use usecases::Error;

use crate::formats::{Formats, Moment};
use crate::frame::{
    Administration, Choice, Failure, Form, Frame, Labels, Pages, Place, Posted, Query, Route,
    Shown, found_or_refused, get, id_of, once_of, post,
};
use crate::messages::filter;
use crate::words::{InWords, Tone, Words};

const LIST: &str = "/app/admin/pricing";
const LABELS: Labels = &[
    ("channel", "Channel"),
    ("countryCode", "Country"),
    ("organizationId", "Organization"),
    ("unitPrice", "Price"),
    ("isActive", "In force"),
];
const PER_PAGE: i64 = 50;
/// Value of the filter for prices and plans that ended.
const ENDED: &str = "no";

#[derive(Template)]
#[template(path = "admin/pricing/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    channels: Vec<Choice>,
    states: Vec<Choice>,
    rows: Vec<Row>,
    pages: Pages,
}

#[derive(Template)]
#[template(path = "admin/pricing/rule.html")]
struct EditorPage {
    frame: Frame,
    form: Form,
    channels: Vec<Choice>,
    /// Price that is changed; `None` for a new one.
    row: Option<Row>,
}

struct Row {
    href: String,
    channel: &'static str,
    country: String,
    /// Address and name of the organization with which it is agreed.
    organization: Option<(String, String)>,
    price: String,
    state: Words,
    since: Moment,
    until: Option<Moment>,
}

impl Row {
    fn new(rule: &Version<PricingRule>, name: Option<&String>, f: &Formats) -> Self {
        let value = &rule.value;
        let name = name.cloned().unwrap_or_default();
        let country = value.country.as_ref().map_or("Any country", Country::as_str);
        Self {
            href: format!("{LIST}/{}", value.id),
            channel: value.channel.words().label,
            country: country.to_owned(),
            organization: value.organization.map(|id| (format!("/app/admin/tenants/{id}"), name)),
            price: f.money(value.unit_price),
            state: state(rule.is_active()),
            since: f.time(rule.created_at),
            until: rule.ended_at.map(|at| f.time(at)),
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(plans::LIST, plans::list),
        get("/app/admin/pricing/plans/new", plans::offer),
        post("/app/admin/pricing/plans/new", plans::create),
        get("/app/admin/pricing/plans/{id}", plans::show),
        post("/app/admin/pricing/plans/{id}", plans::save),
        get(LIST, list),
        get("/app/admin/pricing/new", offer),
        post("/app/admin/pricing/new", create),
        get("/app/admin/pricing/{id}", show),
        post("/app/admin/pricing/{id}", save),
    ]
}

async fn list(of: Administration, query: Query) -> Shown {
    let form = Form::filled(LABELS, query.pairs().to_vec());
    let page = query.page_of(PER_PAGE)?;
    let (found, form) = found_or_refused(found(&of, &query, page).await, page, form)?;
    let organizations = found.items.iter().filter_map(|rule| rule.value.organization).collect();
    let names = of.api().tenants.names(&of.administrator, organizations).await?;
    let (f, is_refused) = (of.formats(), form.has_faults());
    let row = |rule: &Version<PricingRule>| {
        let name = rule.value.organization.and_then(|id| names.get(&id));
        Row::new(rule, name, &f)
    };
    let page = ListPage {
        frame: of.frame(Place::Prices).refused(is_refused),
        form,
        channels: filter::channels(),
        states: states(),
        rows: found.items.iter().map(row).collect(),
        pages: Pages::of(LIST, &query, &found),
    };
    of.answer(&page, is_refused)
}

async fn found(
    of: &Administration,
    query: &Query,
    page: Page,
) -> Result<Paged<Version<PricingRule>>, Error> {
    let mut faults = Faults::default();
    let filter = PricingFilter {
        organization: query.parsed("organizationId", &mut faults),
        channel: query.parsed("channel", &mut faults),
        is_active: Some(query.get("active") != Some(ENDED)),
    };
    let filter = faults.or(filter)?;
    of.api().pricing.rules(&of.administrator, &filter, page).await
}

async fn offer(of: Administration, query: Query) -> Shown {
    editor(&of, None, Form::filled(LABELS, query.pairs().to_vec())).await
}

async fn create(of: Administration, posted: Posted) -> Shown {
    let created = once_of(of.person(), &posted, async {
        let mut faults = Faults::default();
        let request = PricingRuleRequest {
            organization: posted.parsed("organizationId", &mut faults),
            channel: posted.parsed("channel", &mut faults),
            country: posted.text("countryCode"),
            unit_price: posted.parsed("unitPrice", &mut faults),
        };
        of.api().pricing.create_rule(&of.administrator, request, faults).await?;
        Ok(LIST.to_owned())
    });
    match created.await {
        Ok(list) => Ok(of.done(&list, "The price is saved.")),
        Err(refusal) => editor(&of, None, posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn show(of: Administration, id: Path<String>) -> Shown {
    let rule = find(&of, &id).await?;
    let price = rule.value.unit_price.to_number().to_string();
    let form = Form::new(LABELS).with("unitPrice", price);
    let form = if rule.is_active() { form.with("isActive", "yes") } else { form };
    editor(&of, Some(&rule), form).await
}

async fn save(of: Administration, posted: Posted, id: Path<String>) -> Shown {
    let rule = find(&of, &id).await?;
    let (mut faults, is_active) = (Faults::default(), posted.is_set("isActive"));
    let price = posted.raw("unitPrice").trim();
    let unit_price = if is_active { faults.take("unitPrice", price.parse()) } else { None };
    let update = PricingRuleUpdate { unit_price, is_active: Some(is_active) };
    match of.api().pricing.update_rule(&of.administrator, rule.value.id, update, faults).await {
        Ok(_) => Ok(of.done(LIST, "The price is saved.")),
        Err(refusal) => editor(&of, Some(&rule), posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn find(of: &Administration, id: &str) -> Result<Version<PricingRule>, Failure> {
    Ok(of.api().pricing.rule(&of.administrator, id_of(id)?).await?)
}

async fn editor(of: &Administration, rule: Option<&Version<PricingRule>>, form: Form) -> Shown {
    let organizations = rule.and_then(|rule| rule.value.organization).into_iter().collect();
    let names = of.api().tenants.names(&of.administrator, organizations).await?;
    let page = EditorPage {
        frame: of.frame(Place::Prices).refused(form.has_faults()),
        form,
        channels: Choice::of_all(Channel::ALL, Channel::as_str),
        row: rule.map(|rule| Row::new(rule, names.values().next(), &of.formats())),
    };
    of.answer(&page, page.form.has_faults())
}

/// Returns the words for the state of a price or plan.
const fn state(is_active: bool) -> Words {
    let (label, tone) = if is_active { ("In force", Tone::Good) } else { ("Ended", Tone::Neutral) };
    Words { label, meaning: "", tone }
}

fn states() -> Vec<Choice> {
    vec![Choice::new("", "In force"), Choice::new(ENDED, "Ended")]
}
