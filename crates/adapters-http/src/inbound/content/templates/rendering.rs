//! `/templates/{id}/render`

use std::collections::BTreeMap;

use actix_web::web::Data;
use domain::{
    content::template::Template, messaging::message::Rendering, shared::channel::Channel,
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::messaging::messages::RenderTemplate;
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    shared::{
        answers::Answer,
        body::Body,
        caller::Member,
        endpoint::{Endpoint, post},
        error::ApiError,
        json_fields::{Field, Fields, FromFields, field},
        path_id::PathId,
    },
};

/// Returns the endpoint that fills the texts of a template.
pub(super) fn endpoint() -> Endpoint {
    post("/templates/{id}/render", "renderTemplate", render)
        .extension()
        .summary("Fill the texts of a template.")
        .description(
            "Shows them as a message would have them, and sends nothing. The template may still \
             wait for its approval. `variables` may name more than the texts use. A placeholder \
             without a value stays as it is, and is named in `missing`; campaigns fill \
             `{{unsubscribe}}` and the fields of contacts themselves.",
        )
        .answers("The filled texts.")
}

const VARIABLES: Field = field("variables").about(
    "Values for the placeholders, with the rules of messages: at most 10,000 characters each and \
     100,000 in total. They are escaped in an HTML body.",
);
const CHANNEL: Field = field("channel").about(
    "The channel to show, for a template of `IN_APP`. For any other template it is the channel of \
     the template, or absent.",
);

/// Values to fill in.
struct RenderRequest {
    channel: Option<Channel>,
    variables: BTreeMap<String, String>,
}

impl FromFields for RenderRequest {
    const NAME: &'static str = "RenderTemplateRequest";
    const ABOUT: &'static str = "Values for the placeholders of a template.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            channel: fields.optional(CHANNEL),
            variables: fields.optional(VARIABLES).unwrap_or_default(),
        }
    }

    fn example() -> Value {
        json!({ "variables": { "name": "Ama", "order": "4711" } })
    }
}

/// Texts of a template with values filled in.
#[derive(Serialize, ToSchema)]
#[schema(as = RenderedTemplate)]
#[serde(rename_all = "camelCase")]
struct RenderingView {
    #[schema(example = json!(null))]
    subject: Option<String>,
    #[schema(example = "Hello Ama, your order 4711 is ready.")]
    body: String,
    /// Number of parts as a text message; null on channels other than `SMS`.
    #[schema(example = 1)]
    segments: Option<u16>,
    /// Alphabet as a text message, `GSM-7` or `UCS-2`; null on channels other than `SMS`.
    #[schema(example = "GSM-7")]
    encoding: Option<&'static str>,
    /// Placeholders without a value.
    #[schema(example = json!([]))]
    missing: Vec<String>,
}

impl From<Rendering> for RenderingView {
    fn from(rendering: Rendering) -> Self {
        let size = rendering.segmentation;
        Self {
            subject: rendering.subject,
            body: rendering.body,
            segments: size.map(|size| size.segments),
            encoding: size.map(|size| size.encoding.as_str()),
            missing: rendering.missing,
        }
    }
}

async fn render(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Template>,
    body: Body<RenderRequest>,
) -> Result<Answer<RenderingView>, ApiError> {
    let (request, faults) = body.read()?;
    let RenderRequest { channel, variables } = request;
    let command = RenderTemplate { channel, variables, faults };
    Ok(Answer::new(api.messages.render(&caller, id.or_unknown(), command).await?))
}
