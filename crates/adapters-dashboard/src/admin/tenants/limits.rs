//! `/app/admin/tenants/{id}/limits`

use actix_web::web::Path;
use askama::Template;
use domain::{
    identity::organization::{Organization, OwnLimitsUpdate, RateLimit, RateLimitRequest},
    shared::{change::Change, fault::Faults, money::CURRENCY},
};
use usecases::platform::tenants::TenantUpdate;

use super::address;
use crate::frame::{Administration, Form, Frame, Labels, Place, Posted, Shown, id_of};

/// The names of the fields are those of the faults of the use case.
const LABELS: Labels = &[
    ("limits.live.perSecond", "Live messages a second"),
    ("limits.live.burst", "Live messages at once"),
    ("limits.sandbox.perSecond", "Test messages a second"),
    ("limits.sandbox.burst", "Test messages at once"),
    ("limits.requests.perSecond", "Other calls a second"),
    ("limits.requests.burst", "Other calls at once"),
    ("limits.invoiceCredit", "Owed for invoices"),
];
const CREDIT: &str = "limits.invoiceCredit";
const SCREENING: &str = "screening";

#[derive(Template)]
#[template(path = "admin/tenants/limits.html")]
struct LimitsPage {
    frame: Frame,
    form: Form,
    href: String,
    name: String,
}

pub(super) async fn show(of: Administration, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    let organization = of.api().tenants.get(&of.administrator, id).await?.organization;
    let limits = organization.settings.limits;
    let mut form = Form::new(LABELS);
    for (part, limit) in
        [("live", limits.live), ("sandbox", limits.sandbox), ("requests", limits.requests)]
    {
        form = with_rate(form, part, limit);
    }
    if let Some(sum) = limits.invoice_credit {
        let text = sum.to_string();
        form = form.with(CREDIT, text.trim_start_matches(CURRENCY).trim());
    }
    if organization.settings.is_screened {
        form = form.with(SCREENING, "yes");
    }
    page(&of, &organization, form)
}

pub(super) async fn save(of: Administration, path: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&path)?;
    let (update, faults) = update(&posted);
    let tenants = &of.api().tenants;
    match tenants.update(&of.administrator, id, update, faults).await {
        Ok(_) => Ok(of.done(&address(id, ""), "The limits are changed.")),
        Err(refusal) => {
            let form = posted.form(LABELS).refused(refusal)?;
            let organization = tenants.get(&of.administrator, id).await?.organization;
            page(&of, &organization, form)
        }
    }
}

fn page(of: &Administration, organization: &Organization, form: Form) -> Shown {
    let page = LimitsPage {
        frame: of.frame(Place::Tenants).refused(form.has_faults()),
        form,
        href: address(organization.id, ""),
        name: organization.name.clone(),
    };
    of.answer(&page, page.form.has_faults())
}

fn with_rate(form: Form, part: &str, limit: Option<RateLimit>) -> Form {
    let Some(limit) = limit else { return form };
    form.with(&format!("limits.{part}.perSecond"), limit.per_second().to_string())
        .with(&format!("limits.{part}.burst"), limit.burst().to_string())
}

/// Reads the form: a limit without figures is that of all organizations.
fn update(posted: &Posted) -> (TenantUpdate, Faults) {
    let mut faults = Faults::default();
    let limits = OwnLimitsUpdate {
        live: rate(posted, "live", &mut faults),
        sandbox: rate(posted, "sandbox", &mut faults),
        requests: rate(posted, "requests", &mut faults),
        invoice_credit: Change::Set(posted.parsed(CREDIT, &mut faults)),
    };
    (TenantUpdate { screening: Some(posted.is_set(SCREENING)), limits }, faults)
}

fn rate(posted: &Posted, part: &str, faults: &mut Faults) -> Change<RateLimitRequest> {
    let mut figure = |name: &str| {
        let field = format!("limits.{part}.{name}");
        let text = posted.text(&field)?;
        faults.take(&field, text.parse::<i32>().map_err(|_| "must be a whole number"))
    };
    let limit = RateLimitRequest { per_second: figure("perSecond"), burst: figure("burst") };
    Change::Set(Some(limit).filter(|limit| *limit != RateLimitRequest::default()))
}

#[cfg(test)]
mod tests {
    use domain::shared::money::Money;

    use super::*;

    #[test]
    fn a_limit_without_figures_is_that_of_all_and_one_with_a_figure_is_checked() {
        let posted = Posted::of_fields(&[
            ("limits.live.perSecond", "50"),
            ("limits.live.burst", "500"),
            ("limits.requests.burst", "many"),
            ("limits.invoiceCredit", "12.50"),
        ]);
        let (update, faults) = update(&posted);
        let live = RateLimitRequest { per_second: Some(50), burst: Some(500) };
        let expected = OwnLimitsUpdate {
            live: Change::Set(Some(live)),
            sandbox: Change::Set(None),
            requests: Change::Set(None),
            invoice_credit: Change::Set(Some(Money::from_micros(12_500_000))),
        };
        assert_eq!(update, TenantUpdate { screening: Some(false), limits: expected });
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["limits.requests.burst"]);
    }
}
