//! Body of a message to Meta: a text, or the name and values of a template that Meta stores.
//!
//! Documentation:
//! <https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates>. A
//! template for one-time passwords requires the password twice, in its text and on its button:
//! <https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates/auth-otp-template-messages>.

use domain::{content::template::FilledTemplate, messaging::message::Message};
use serde::Serialize;

/// Body of a request.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    messaging_product: &'static str,
    recipient_type: &'static str,
    to: &'a str,
    #[serde(flatten)]
    content: Content<'a>,
    /// Identifier that Meta returns in every report on the message.
    biz_opaque_callback_data: String,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Content<'a> {
    Text { text: Text<'a> },
    Template { template: Template<'a> },
}

#[derive(Serialize)]
struct Text<'a> {
    preview_url: bool,
    body: &'a str,
}

#[derive(Serialize)]
struct Template<'a> {
    name: &'a str,
    language: Language<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    components: Vec<Component<'a>>,
}

#[derive(Serialize)]
struct Language<'a> {
    code: &'a str,
}

/// Part of a template that has values.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Component<'a> {
    Body { parameters: Vec<Parameter<'a>> },
    Button { sub_type: &'static str, index: &'static str, parameters: [Parameter<'a>; 1] },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Parameter<'a> {
    Text { text: &'a str },
}

impl<'a> Body<'a> {
    pub(super) fn of(message: &'a Message) -> Self {
        let draft = &message.draft;
        let content = match &draft.vendor_template {
            Some(template) => Content::Template { template: Template::of(template) },
            None => Content::Text { text: Text { preview_url: false, body: &draft.body } },
        };
        Self {
            messaging_product: "whatsapp",
            recipient_type: "individual",
            to: draft.recipient.as_str(),
            content,
            biz_opaque_callback_data: message.id.internal(),
        }
    }
}

impl<'a> Template<'a> {
    fn of(template: &'a FilledTemplate) -> Self {
        let values = template.values.iter();
        let parameters: Vec<_> = values.map(|text| Parameter::Text { text }).collect();
        let body = (!parameters.is_empty()).then_some(Component::Body { parameters });
        let button = template.button.as_deref().map(|text| Component::Button {
            sub_type: "url",
            index: "0",
            parameters: [Parameter::Text { text }],
        });
        Self {
            name: &template.name,
            language: Language { code: &template.language },
            components: body.into_iter().chain(button).collect(),
        }
    }
}
