//! `/templates`

use actix_web::web::Data;
use domain::{
    content::template::{
        Template, TemplateChannel, TemplateFilter, TemplateRequest, TemplateStatus, TemplateUpdate,
        TemplateUses, VendorTemplateRequest,
    },
    identity::organization::Holding,
    shared::{fault::Faults, page::Page},
};
use serde_json::{Value, json};
use usecases::{
    Error,
    content::templates::{CONTENT_CHANGED, template_in_use},
};

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, NoContent, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Area, delete, get, patch, post_once, schemas::Schemas},
        error::ApiError,
        formats::Vocabulary,
        json_fields::{Field, Fields, FromFields, FromJson, JsonSchema, field},
        path_id::{Identified, PathId},
        query::{FromQuery, Parameters, Query},
        request_id::ThisRequest,
    },
};

mod rendering;
pub(crate) mod view;

use view::{TemplateDetailView, TemplateView};

/// Limits that the texts of templates fill.
const FILLED_BY_TEXTS: [Holding; 3] =
    [Holding::TemplateBytes, Holding::PendingApprovals, Holding::DailyApprovals];

pub(super) fn area() -> Area {
    Area {
        name: "Templates",
        about: "Prepared texts with placeholders.",
        endpoints: vec![
            get("/templates", "listTemplates", list)
                .summary("List templates.")
                .description(
                    "Newest first. Filters can be combined. With a filter at most 1,000 templates \
                     are counted and shown; if there are more, `pagination.isLowerBound` is true.",
                )
                .answers("The templates."),
            post_once("/templates", "createTemplate", create)
                .summary("Create a template.")
                .description(
                    "The template can be sent at once, unless it requires approval by the \
                     platform: templates of the categories `HEALTHCARE`, `INSURANCE` and \
                     `FINTECH`, those with a risk score of 30 or more, and those with a \
                     `vendorTemplate` do.",
                )
                .answers("The template.")
                .fills(&[Holding::Templates])
                .fills(&FILLED_BY_TEXTS),
            get("/templates/{id}", "getTemplate", show)
                .extension()
                .summary("Get a template, with its versions.")
                .description("The last 20 versions are kept.")
                .answers("The template."),
            patch("/templates/{id}", "updateTemplate", update)
                .extension()
                .summary("Change a template.")
                .description(
                    "A change of the content creates a new version. It requires approval like a \
                     new template: the approval of the old version does not apply to it.",
                )
                .answers("The changed template.")
                .refuses(Error::Conflict(CONTENT_CHANGED))
                .fills(&FILLED_BY_TEXTS),
            delete("/templates/{id}", "deleteTemplate", remove)
                .extension()
                .summary("Delete a template.")
                .description(
                    "Its versions are deleted, and its pending approval is withdrawn. Messages that \
                     were accepted keep their texts, also those that wait for their time, and \
                     figures keep its name. `details` of `TEMPLATE_IN_USE` name the newest ten \
                     `events` and `campaigns` that need it, each by `id` and `name`: campaigns that \
                     are `DRAFT`, `SCHEDULED` or `PENDING_APPROVAL`.",
                )
                .answers("The template is deleted.")
                .refuses(template_in_use(TemplateUses::default())),
            rendering::endpoint(),
        ],
    }
}

impl Identified for Template {
    const NAME: &'static str = "template";
}

impl Vocabulary for TemplateChannel {
    const TITLE: &'static str = "TemplateChannel";
    const DESCRIPTION: &'static str = "The channel that a template is written for. `IN_APP` sends \
         nothing; an event with such a template sends its text on the event's channels.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for TemplateStatus {
    const TITLE: &'static str = "TemplateStatus";
    const DESCRIPTION: &'static str = "The state of a template. Only a version can be `WITHDRAWN`: \
         it was changed before a decision.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl FromQuery for (TemplateFilter, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let about = "Only templates whose name contains this text, in any letter case.";
        let search = parameters.optional("search", about);
        let status = parameters.optional("status", "Only templates in this state.");
        let channel = parameters.optional("channel", "Only templates for this channel.");
        let category = parameters.optional("category", "Only templates of this category.");
        let page = parameters.short_page()?;
        Some((TemplateFilter { search, status, channel, category }, page))
    }
}

const NAME: Field = field("name").about("A name for people.").limits(&[("maxLength", 100)]);
const BODY: Field = field("body")
    .about(
        "The text. `{{name}}` is a placeholder for a value. The text before filling may be as long \
         as the channel allows.",
    )
    .limits(&[("maxLength", 100_000)]);
const COUNTRY: Field = field("countryCode").about("The country of the recipients.");
const LANGUAGE: Field =
    field("language").about("The code of the language.").limits(&[("maxLength", 35)]);
const CATEGORY: Field = field("category").about("The category of the content.");
const SUBJECT: Field = field("subject").about("The subject line.").limits(&[("maxLength", 998)]);
const FORMAT: Field = field("format")
    .about("The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`).")
    .extension();
const VARIABLES: Field = field("variables")
    .about(
        "The names of the placeholders: all that the texts use, and others for later use. Taken \
         from the texts if absent.",
    )
    .limits(&[("maxItems", 100)]);
const VENDOR_TEMPLATE: Field = field("vendorTemplate")
    .about(
        "Only for `WHATSAPP`: the template that the vendor has approved. It requires approval by \
         the platform.",
    )
    .extension();
const SHORT: Field = field("shortVariables")
    .about(
        "The placeholders whose values are one line of at most 40 characters without a link. If \
         absent, all placeholders of a template of the category `OTP`, and none of others. A text \
         with fewer than 20 characters of its own and a placeholder that is not short is scored at \
         each send, with its values.",
    )
    .limits(&[("maxItems", 100)])
    .extension();
const LONG: Field = field("longVariables")
    .about(
        "True if values may have more than 160 characters although the category is `HEALTHCARE`, \
         `INSURANCE` or `FINTECH`. Shown to the administrator who approves the template.",
    )
    .extension();

impl FromFields for TemplateRequest {
    const NAME: &'static str = "CreateTemplateRequest";
    const ABOUT: &'static str = "A template to create.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.required(NAME),
            channel: fields.required(field("channel")),
            body: fields.required(BODY),
            country: fields.optional(COUNTRY.about("`GH` if absent.")),
            language: fields.optional(LANGUAGE.about("`en` if absent.")),
            category: fields.optional(CATEGORY.about("`TRANSACTIONAL` if absent.")),
            subject: fields.optional(SUBJECT),
            format: fields.optional(FORMAT),
            variables: fields.optional(VARIABLES),
            vendor_template: fields.optional(VENDOR_TEMPLATE),
            short_variables: fields.optional(SHORT),
            long_variables: fields.optional(LONG),
        }
    }

    fn example() -> Value {
        json!({
            "name": "Order ready", "channel": "SMS",
            "body": "Hello {{name}}, your order {{order}} is ready.",
            "variables": ["name", "order"],
        })
    }
}

impl FromFields for TemplateUpdate {
    const NAME: &'static str = "UpdateTemplateRequest";
    const ABOUT: &'static str =
        "Changes to a template. Absent fields keep their values; null clears a value.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.optional(NAME),
            body: fields.optional(BODY),
            country: fields.optional(COUNTRY),
            language: fields.optional(LANGUAGE),
            category: fields.optional(CATEGORY),
            subject: fields.change(SUBJECT),
            format: fields.change(FORMAT),
            variables: fields.change(VARIABLES),
            vendor_template: fields.change(VENDOR_TEMPLATE),
            short_variables: fields.change(SHORT),
            long_variables: fields.optional(LONG),
        }
    }

    fn example() -> Value {
        json!({ "body": "Hello {{name}}, your order {{order}} waits for you." })
    }
}

impl FromFields for VendorTemplateRequest {
    const NAME: &'static str = "VendorTemplateRequest";
    const ABOUT: &'static str = "A template that the vendor has approved and stores.";

    fn from_fields(fields: &mut Fields) -> Self {
        let name = field("name").about("The vendor's name for it; at Twilio the `ContentSid`.");
        let language =
            field("language").about("The vendor's code for its language; `language` if absent.");
        let parameters = field("parameters")
            .about("The placeholders that fill `{{1}}`, `{{2}}`, … in its text.");
        let button = field("button").about("The placeholder that fills its button.");
        Self {
            name: fields.required(name.limits(&[("maxLength", 512)])),
            language: fields.optional(language.limits(&[("maxLength", 35)])),
            parameters: fields.optional(parameters.limits(&[("maxItems", 50)])),
            button: fields.optional(button),
        }
    }
}

impl JsonSchema for VendorTemplateRequest {
    fn schema(schemas: &mut Schemas) -> Value {
        Fields::schema_of::<Self>(schemas)
    }
}

impl FromJson for VendorTemplateRequest {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        Fields::read_part(value, path, faults)
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<(TemplateFilter, Page)>,
) -> Result<Paginated<TemplateView>, ApiError> {
    let (filter, page) = query.read()?;
    Ok(Paginated::with_cut_texts(api.templates.page(&caller, filter, page).await?))
}

async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<TemplateRequest>,
) -> Result<Created<TemplateView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.templates.create(&caller, request, faults).await?))
}

async fn show(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Template>,
) -> Result<Answer<TemplateDetailView>, ApiError> {
    Ok(Answer::new(api.templates.get(&caller, id.read()?).await?))
}

async fn update(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Template>,
    body: Body<TemplateUpdate>,
) -> Result<Answer<TemplateView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.templates.update(&caller, id.or_unknown(), update, faults).await?))
}

async fn remove(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    id: PathId<Template>,
) -> Result<NoContent, ApiError> {
    api.templates.delete(&caller, id.or_unknown(), request).await?;
    Ok(NoContent)
}
