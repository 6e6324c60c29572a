//! `/app/admin/tenants/{id}`

use actix_web::web::Path;
use askama::Template;
use domain::identity::organization::{OwnLimits, RateLimit};
use domain::platform::analytics::Figures;
use domain::platform::tenant::Tenant;

use super::address;
use crate::formats::{Formats, Moment};
use crate::frame::{Administration, Frame, Place, Shown, id_of};
use crate::words::{InWords, Words};

#[derive(Template)]
#[template(path = "admin/tenants/detail.html")]
struct DetailPage {
    frame: Frame,
    f: Formats,
    tenant: Tenant,
    href: String,
    audit: String,
    state: Words,
    since: Moment,
    suspended_at: Option<Moment>,
    month: Figures,
    /// Names of its limits with their values.
    limits: [(&'static str, String); 4],
}

pub(super) async fn show(of: Administration, path: Path<String>) -> Shown {
    let (id, admin, f) = (id_of(&path)?, &of.administrator, of.formats());
    let tenant = of.api().tenants.get(admin, id).await?;
    let month = of.api().analytics.overview_of(admin, id).await?.total;
    let settings = &tenant.organization.settings;
    of.show(&DetailPage {
        frame: of.frame(Place::Tenants),
        href: address(id, ""),
        audit: format!("/app/admin/audit?organization={id}"),
        state: settings.words(),
        since: f.date(tenant.organization.created_at),
        suspended_at: settings.suspension.as_ref().map(|suspension| f.time(suspension.at)),
        limits: limits(&settings.limits, &f),
        month,
        tenant,
        f,
    })
}

fn limits(limits: &OwnLimits, f: &Formats) -> [(&'static str, String); 4] {
    let as_for_all = || "As for all".to_owned();
    let rate = |limit: Option<RateLimit>| match limit {
        Some(limit) => {
            let (rate, burst) = (f.count(limit.per_second()), f.count(limit.burst()));
            format!("{rate} a second, {burst} at once")
        }
        None => as_for_all(),
    };
    [
        ("Live messages", rate(limits.live)),
        ("Test messages", rate(limits.sandbox)),
        ("Other calls", rate(limits.requests)),
        ("Owed for invoices", limits.invoice_credit.map_or_else(as_for_all, |sum| f.money(sum))),
    ]
}
