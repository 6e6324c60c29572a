//! The description of the API.

mod extensions;

use std::sync::LazyLock;

use actix_web::App;
use utoipa::{
    ToSchema,
    openapi::{
        ComponentsBuilder, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathItem, Ref,
        RefOr, ResponseBuilder,
        path::{Operation, Parameter},
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
        tag::{Tag, TagBuilder},
    },
};
use utoipa_actix_web::AppExt;

use super::{caller::ORGANIZATION, envelope::FailureView};

/// The tag of operations that are about the service itself and have no envelope.
pub(super) const HEALTH: &str = "Health";

const DESCRIPTION: &str = "\
Omnichannel notifications: SMS, WhatsApp, email, push and voice through one API.

Programs authenticate with `X-API-Key`, people with a bearer token and `X-Organization-Id`. Every \
JSON answer but that of `/health` comes in an envelope: `{\"success\": true, \"data\": …}`, or \
`{\"success\": false, \"error\": {\"code\", \"message\", \"details\"}}`. Amounts are in GHS. Every \
answer carries `X-Request-Id`.";

const TAGS: [(&str, &str); 9] = [
    ("Authentication", "Registering and signing in."),
    ("Organizations", "The organization and its members."),
    ("API keys", "Credentials of programs."),
    ("Messages", "Sending messages and following them."),
    ("Delivery logs", "Looking through what was sent."),
    ("Billing", "Wallets and prices."),
    ("Providers", "Who carries messages, and how they are."),
    ("Callbacks", "What vendors tell the service."),
    (HEALTH, "Whether the service works."),
];

static DOCUMENT: LazyLock<OpenApi> = LazyLock::new(|| {
    let app = App::new().into_utoipa_app().openapi(frame()).configure(super::routes);
    let mut document = app.split_for_parts().1;
    for item in document.paths.paths.values_mut() {
        operations(item).for_each(add_common_failures);
    }
    extensions::mark(
        document.paths.paths.values_mut().flat_map(operations),
        document.components.iter_mut().flat_map(|it| it.schemas.values_mut()),
    );
    document
});

/// The description of the whole API.
pub fn openapi() -> OpenApi {
    DOCUMENT.clone()
}

fn frame() -> OpenApi {
    let info = InfoBuilder::new().title("Atumpan").version("1.0.0").description(Some(DESCRIPTION));
    let key = ApiKeyValue::with_description("X-API-Key", "A key made with `POST /api-keys`.");
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some("The token that registration and login answer."));
    let components = ComponentsBuilder::new()
        .schema_from::<FailureView>()
        .security_scheme("apiKey", SecurityScheme::ApiKey(ApiKey::Header(key)))
        .security_scheme("bearer", SecurityScheme::Http(bearer.build()));
    OpenApiBuilder::new()
        .info(info.build())
        .components(Some(components.build()))
        .tags(Some(TAGS.map(tag)))
        .build()
}

fn tag((name, description): (&str, &str)) -> Tag {
    TagBuilder::new().name(name).description(Some(description)).build()
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}

fn names_organization(parameter: &RefOr<Parameter>) -> bool {
    matches!(parameter, RefOr::T(parameter) if parameter.name == ORGANIZATION)
}

/// Documents the failures that do not depend on what an operation does.
fn add_common_failures(operation: &mut Operation) {
    let has_body = operation.request_body.is_some();
    let is_secured = operation.security.is_some();
    let is_inside = operation.parameters.iter().flatten().any(names_organization);
    let is_measured = operation.tags.iter().flatten().all(|tag| tag != HEALTH);
    let common = [
        ("400", has_body, "The request is invalid: `VALIDATION_ERROR`."),
        ("400", is_inside, "The request is invalid, or names no organization."),
        ("401", is_secured, "Valid credentials are required: `UNAUTHORIZED`."),
        ("403", is_secured, "The caller may not do this."),
        ("413", has_body, "The body has more than a mebibyte: `PAYLOAD_TOO_LARGE`."),
        ("429", is_measured, "Too many requests: `RATE_LIMITED`, with `Retry-After`."),
        ("500", true, "The service failed: `INTERNAL_ERROR`."),
        ("503", is_measured, "Try again soon: `SERVICE_UNAVAILABLE`, with `Retry-After`."),
    ];
    for (status, applies, description) in common {
        if applies {
            let content =
                ContentBuilder::new().schema(Some(Ref::from_schema_name(FailureView::name())));
            let failure = ResponseBuilder::new()
                .description(description)
                .content("application/json", content.build());
            let responses = &mut operation.responses.responses;
            responses.entry(status.to_owned()).or_insert_with(|| failure.build().into());
        }
    }
}
