//! `/unsubscribe/{token}` and `/u/{code}`: the page behind an unsubscribe link, and the unsubscription.

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode, web::Data};
use domain::shared::channel::Channel;
use serde::Serialize;
use serde_json::json;
use usecases::{
    Error,
    audience::unsubscribes::{Link, Offer},
};
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    shared::{
        answers::{self, schema_of_one},
        body::RawBody,
        caller::Guest,
        endpoint::{
            Area, Endpoint,
            describe::{Describe, Description},
            get, post,
        },
        html::{escape, is_browser, page, refused},
    },
};

const TITLE: &str = "Unsubscribe";

pub(super) fn area() -> Area {
    Area {
        name: "Unsubscribe",
        about: "Links by which recipients unsubscribe from advertising.",
        endpoints: vec![
            shown(get("/unsubscribe/{token}", "showUnsubscribe", show_token)).with(token),
            done(post("/unsubscribe/{token}", "unsubscribe", unsubscribe_token)).with(token),
            shown(get("/u/{code}", "showShortUnsubscribe", show_code)).with(code),
            done(post("/u/{code}", "unsubscribeShort", unsubscribe_code)).with(code),
        ],
    }
}

fn shown(endpoint: Endpoint) -> Endpoint {
    endpoint
        .extension()
        .summary("Show the page behind an unsubscribe link.")
        .description("The page asks for a click, because mail scanners follow links.")
        .answers("A page.")
        .with(|description| {
            description.answers_text(200, "text/html", "<!doctype html>…");
        })
        .refuses_when("The link is invalid, or its contact was deleted.", Error::NotFound("link"))
}

fn done(endpoint: Endpoint) -> Endpoint {
    endpoint
        .extension()
        .summary("Unsubscribe.")
        .description(
            "Unsubscribes the recipient from `MARKETING` on the channel of the message only. The \
             body is ignored: mail programs post `List-Unsubscribe=One-Click` (RFC 8058), the page \
             an empty form. Repeating the request changes nothing. Browsers get a page.",
        )
        .answers("The recipient is unsubscribed.")
        .refuses_when("The link is invalid, or its contact was deleted.", Error::NotFound("link"))
}

fn token(description: &mut Description) {
    let schema = json!({ "type": "string" });
    description.has_path_parameter("token", "The token of the link.", &schema);
}

fn code(description: &mut Description) {
    let schema = json!({ "type": "string", "example": "7k2m9qd4xw0af" });
    description.has_path_parameter("code", "The code of the link.", &schema);
}

/// Unsubscription of a recipient from advertising.
#[derive(Serialize, ToSchema)]
#[schema(as = Unsubscribed)]
#[serde(rename_all = "camelCase")]
struct UnsubscribedView {
    /// Always true.
    unsubscribed: bool,
    /// Channel on which advertising stops.
    #[schema(example = "EMAIL")]
    channel: &'static str,
    /// Always `MARKETING`.
    #[schema(example = "MARKETING")]
    category: &'static str,
}

impl From<&Offer> for UnsubscribedView {
    fn from(offer: &Offer) -> Self {
        let channel = offer.subscription.channel.as_str();
        let category = domain::audience::unsubscribe::Subscription::CATEGORY.as_str();
        Self { unsubscribed: true, channel, category }
    }
}

/// Answer to a followed link: a page for browsers, JSON for programs.
struct Unsubscribed(HttpResponse);

impl Responder for Unsubscribed {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        self.0
    }
}

impl Describe for Unsubscribed {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<UnsubscribedView>(&mut description.schemas);
        description.answers_json_or_page(200, schema);
    }
}

async fn show_token(_: Guest, api: Data<Api>, request: HttpRequest) -> HttpResponse {
    let token = request.match_info().query("token");
    show(&api, &request, Link::Token(token)).await
}

async fn show_code(_: Guest, api: Data<Api>, request: HttpRequest) -> HttpResponse {
    let code = request.match_info().query("code");
    show(&api, &request, Link::Code(code)).await
}

async fn unsubscribe_token(
    _: Guest,
    api: Data<Api>,
    request: HttpRequest,
    body: RawBody,
) -> Unsubscribed {
    let token = request.match_info().query("token");
    Unsubscribed(unsubscribe(&api, &request, Link::Token(token), body).await)
}

async fn unsubscribe_code(
    _: Guest,
    api: Data<Api>,
    request: HttpRequest,
    body: RawBody,
) -> Unsubscribed {
    let code = request.match_info().query("code");
    Unsubscribed(unsubscribe(&api, &request, Link::Code(code), body).await)
}

async fn show(api: &Api, request: &HttpRequest, link: Link<'_>) -> HttpResponse {
    match api.unsubscribes.show(link).await {
        Ok(offer) => {
            let question = format!(
                "<p>Do you want no more advertising from <b>{}</b> {}?</p>\
                 <p>Messages about what you do or ask for, such as receipts and codes, still come.</p>\
                 <form method=\"post\"><button>Unsubscribe</button></form>",
                escape(&offer.organization),
                way(&offer),
            );
            page(StatusCode::OK, TITLE, &question)
        }
        Err(error) => refused(request, &error.into(), TITLE),
    }
}

/// Unsubscribes the recipient. The body is read and ignored: the link alone names recipient and category.
async fn unsubscribe(
    api: &Api,
    request: &HttpRequest,
    link: Link<'_>,
    body: RawBody,
) -> HttpResponse {
    if let Err(error) = body.bytes() {
        return refused(request, &error, TITLE);
    }
    match api.unsubscribes.unsubscribe(link).await {
        Ok(offer) if is_browser(request) => {
            let done = format!(
                "<p>You are unsubscribed: no more advertising from <b>{}</b> comes {}.</p>",
                escape(&offer.organization),
                way(&offer),
            );
            page(StatusCode::OK, TITLE, &done)
        }
        Ok(offer) => answers::success(StatusCode::OK, UnsubscribedView::from(&offer)),
        Err(error) => refused(request, &error.into(), TITLE),
    }
}

/// Describes the channel and the address, as far as a stranger may see them.
fn way(offer: &Offer) -> String {
    let channel = match offer.subscription.channel {
        Channel::Sms => "by SMS",
        Channel::WhatsApp => "by WhatsApp",
        Channel::Email => "by mail",
        Channel::Push => "by push notification",
        Channel::Voice => "by phone",
    };
    format!("{channel} to {}", escape(&offer.subscription.address.masked()))
}
