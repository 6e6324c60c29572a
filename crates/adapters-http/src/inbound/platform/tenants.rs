//! `/admin/tenants`

use actix_web::web::Data;
use domain::{
    identity::organization::{Organization, OwnLimitsUpdate, RateLimitRequest},
    platform::tenant::TenantFilter,
    shared::{fault::Faults, page::Page},
};
use serde_json::{Value, json};
use usecases::platform::tenants::TenantUpdate;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Paginated},
        body::Body,
        endpoint::{Area, get, patch, post, schemas::Schemas},
        error::ApiError,
        json_fields::{Field, Fields, FromFields, FromJson, JsonSchema, field},
        path_id::{Identified, PathId},
        platform_admin::PlatformAdmin,
        query::{FromQuery, Parameters, Query},
    },
};

mod view;

use view::TenantView;

pub(super) fn area() -> Area {
    Area {
        name: "Tenants",
        about: "Organizations, as platform administrators see and change them.",
        endpoints: vec![
            get("/admin/tenants", "listTenants", list)
                .summary("List all organizations.")
                .description(
                    "For platform administrators. Newest first, without the platform's own.",
                )
                .answers("The organizations."),
            get("/admin/tenants/{id}", "getTenant", show)
                .extension()
                .summary("Get an organization.")
                .description("For platform administrators.")
                .answers("The organization."),
            patch("/admin/tenants/{id}", "updateTenant", update)
                .extension()
                .summary("Change the platform's settings of an organization.")
                .description(
                    "For platform administrators. A change takes effect on every instance within a \
                     second, and is recorded in the audit log.",
                )
                .answers("The changed organization."),
            post("/admin/tenants/{id}/suspend", "suspendTenant", suspend)
                .extension()
                .summary("Suspend an organization.")
                .description(
                    "For platform administrators. Within a second, on every instance, requests to \
                     send, to trigger an event and to send or resume a campaign are refused with \
                     403 `ORGANIZATION_SUSPENDED`; everything else works as before. Waiting \
                     messages are held until they expire, then fail with `EXPIRED` and are \
                     refunded. Campaigns wait, and events try no further channel. The owners are \
                     notified by email, and the suspension is recorded in the audit log. An \
                     organization that is already suspended does not change; repeat the request \
                     after a 503.",
                )
                .answers("The changed organization."),
            post("/admin/tenants/{id}/restore", "restoreTenant", restore)
                .extension()
                .summary("Reinstate a suspended organization.")
                .description(
                    "For platform administrators. Held messages continue within seconds. The \
                     owners are notified by email, and the change is recorded in the audit log. An \
                     organization that is not suspended does not change.",
                )
                .answers("The changed organization."),
        ],
    }
}

impl Identified for Organization {
    const NAME: &'static str = "organization";
}

impl FromQuery for (TenantFilter, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let search = parameters.optional(
            "search",
            "Only organizations whose names contain this text, in any letter case.",
        );
        let is_suspended =
            parameters.optional("suspended", "Only suspended organizations, or only others.");
        let page = parameters.short_page()?;
        Some((TenantFilter { search, is_suspended }, page))
    }
}

impl FromFields for TenantUpdate {
    const NAME: &'static str = "TenantUpdate";
    const ABOUT: &'static str =
        "Changes to the platform's settings of an organization. Absent fields keep their values.";

    fn from_fields(fields: &mut Fields) -> Self {
        let screening = field("screening").about(
            "True if texts that the organization sends directly are scored before they are handed \
             to a provider. A text that scores 60 or more fails with `BLOCKED_CONTENT`. Texts of \
             templates are not scored.",
        );
        let limits = field("limits").about("Limits of the organization.");
        Self {
            screening: fields.optional(screening),
            limits: fields.part(limits).unwrap_or_default(),
        }
    }

    fn example() -> Value {
        json!({ "screening": true, "limits": { "live": { "perSecond": 50, "burst": 500 } } })
    }
}

impl FromFields for OwnLimitsUpdate {
    const NAME: &'static str = "TenantLimitsUpdate";
    const ABOUT: &'static str = "Limits specific to an organization. Absent fields keep their \
         values; null restores the general limit.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            live: fields.change(field("live").about("The limit on live messages.")),
            sandbox: fields.change(field("sandbox").about("The limit on messages of the sandbox.")),
            requests: fields
                .change(field("requests").about("The limit on requests that send no message.")),
            invoice_credit: fields.change(INVOICE_CREDIT),
        }
    }
}

const INVOICE_CREDIT: Field = field("invoiceCredit")
    .about(
        "The maximum sum in GHS, with at most two decimals, that the organization may owe for \
         invoices credited on issue. 0: every invoice is credited when it is paid. Without effect \
         unless the installation credits invoices on issue.",
    )
    .limits(&[("minimum", 0), ("maximum", 1_000_000)]);

const A_RATE: &[(&str, i64)] = &[("minimum", 1), ("maximum", 1_000_000)];
const PER_SECOND: Field =
    field("perSecond").about("The number that flows in per second.").limits(A_RATE);
const BURST: Field = field("burst").about("The number allowed at once.").limits(A_RATE);

impl FromFields for RateLimitRequest {
    const NAME: &'static str = "RateLimitRequest";
    const ABOUT: &'static str = "A rate limit.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { per_second: fields.required(PER_SECOND), burst: fields.required(BURST) }
    }
}

impl JsonSchema for RateLimitRequest {
    fn schema(schemas: &mut Schemas) -> Value {
        Fields::schema_of::<Self>(schemas)
    }
}

impl FromJson for RateLimitRequest {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        Fields::read_part(value, path, faults)
    }
}

struct Suspend {
    reason: Option<String>,
}

impl FromFields for Suspend {
    const NAME: &'static str = "SuspendRequest";
    const ABOUT: &'static str = "The reason for a suspension.";

    fn from_fields(fields: &mut Fields) -> Self {
        let reason = field("reason")
            .about("The reason, in one line. It is shown to the owners.")
            .limits(&[("minLength", 1), ("maxLength", 500)]);
        Self { reason: fields.required(reason) }
    }

    fn example() -> Value {
        json!({ "reason": "Recipients report that messages ask for PINs." })
    }
}

async fn list(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    query: Query<(TenantFilter, Page)>,
) -> Result<Paginated<TenantView>, ApiError> {
    let (filter, page) = query.read()?;
    Ok(Paginated::new(api.tenants.page(&admin, filter, page).await?))
}

async fn show(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Organization>,
) -> Result<Answer<TenantView>, ApiError> {
    Ok(Answer::new(api.tenants.get(&admin, id.read()?).await?))
}

async fn update(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Organization>,
    body: Body<TenantUpdate>,
) -> Result<Answer<TenantView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.tenants.update(&admin, id.or_unknown(), update, faults).await?))
}

async fn suspend(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Organization>,
    body: Body<Suspend>,
) -> Result<Answer<TenantView>, ApiError> {
    let (Suspend { reason }, faults) = body.read()?;
    Ok(Answer::new(api.tenants.suspend(&admin, id.or_unknown(), reason, faults).await?))
}

async fn restore(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Organization>,
) -> Result<Answer<TenantView>, ApiError> {
    Ok(Answer::new(api.tenants.restore(&admin, id.read()?).await?))
}
