//! `/checkout/{reference}`: the page of the simulated gateway.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use domain::money::{payment::PaymentStatus, top_up::PaymentMethod};
use serde_json::json;
use usecases::{Error, money::checkouts::Checkout};

use crate::inbound::{
    Api,
    shared::{
        body::RawBody,
        caller::Guest,
        endpoint::{Area, Endpoint, describe::Description, get, post},
        html::{escape, page, refused},
    },
};

const TITLE: &str = "Payment";
const BUTTON: &str = "font-size: 1.1em; padding: .6em 1.2em; min-width: 9em; min-height: 3em";

pub(super) fn area() -> Area {
    Area {
        name: "Checkout",
        about: "Pages of the simulated payment gateway. It does not exist in production.",
        endpoints: vec![
            shown(get("/checkout/{reference}", "showCheckout", show))
                .summary("Show a payment, with a button that makes it and one that declines."),
            shown(post("/checkout/{reference}/pay", "payCheckout", pay))
                .summary("Make the payment. Repeating it changes nothing."),
            shown(post("/checkout/{reference}/decline", "declineCheckout", decline))
                .summary("Decline the payment. A completed payment stays completed."),
        ],
    }
}

fn shown(endpoint: Endpoint) -> Endpoint {
    endpoint
        .extension()
        .answers("A page, which works without scripts.")
        .with(|description: &mut Description| {
            let schema = json!({ "type": "string" });
            description.has_path_parameter("reference", "The reference of the payment.", &schema);
            description.answers_text(200, "text/html", "<!doctype html>…");
        })
        .refuses_when(
            "The payment or the simulated gateway does not exist.",
            Error::NotFound("payment"),
        )
}

async fn show(_: Guest, api: Data<Api>, request: HttpRequest) -> HttpResponse {
    let reference = request.match_info().query("reference");
    answer(&request, api.checkouts.show(reference).await, question)
}

async fn pay(_: Guest, api: Data<Api>, request: HttpRequest, body: RawBody) -> HttpResponse {
    decide(&api, &request, body, true).await
}

async fn decline(_: Guest, api: Data<Api>, request: HttpRequest, body: RawBody) -> HttpResponse {
    decide(&api, &request, body, false).await
}

/// Decides the payment. The body is read and ignored: the address alone names the payment.
async fn decide(api: &Api, request: &HttpRequest, body: RawBody, is_paid: bool) -> HttpResponse {
    if let Err(error) = body.bytes() {
        return refused(request, &error, TITLE);
    }
    let reference = request.match_info().query("reference");
    answer(request, api.checkouts.decide(reference, is_paid).await, result)
}

fn answer(
    request: &HttpRequest,
    checkout: Result<Checkout, Error>,
    content: fn(&Checkout) -> String,
) -> HttpResponse {
    match checkout {
        Ok(checkout) => {
            let content = format!("<main style=\"padding: 0 1em\">{}</main>", content(&checkout));
            page(StatusCode::OK, TITLE, &content)
        }
        Err(error) => refused(request, &error.into(), TITLE),
    }
}

/// Returns the page of a payment. Addresses are relative, so that they work behind any proxy.
fn question(checkout: &Checkout) -> String {
    let payment = &checkout.payment;
    let (reference, amount) = (escape(payment.reference.as_str()), payment.amount);
    let method = match payment.method {
        PaymentMethod::MobileMoney => "Mobile money",
        PaymentMethod::Card => "Card",
        PaymentMethod::Invoice => "Invoice",
    };
    let details = format!(
        "<h1>Payment of {amount}</h1>\
         <dl><dt>To the wallet of</dt><dd><b>{}</b></dd><dt>Amount</dt><dd><b>{amount}</b></dd>\
         <dt>Method</dt><dd>{method}</dd>\
         <dt>Reference</dt><dd style=\"overflow-wrap: anywhere\">{reference}</dd></dl>\
         <p>This gateway is simulated: no money moves.</p>",
        escape(&checkout.organization),
    );
    let button = |action: &str, label: &str| {
        format!(
            "<form method=\"post\" action=\"{reference}/{action}\">\
             <p><button style=\"{BUTTON}\">{label}</button></p></form>"
        )
    };
    let buttons = match payment.status {
        PaymentStatus::Succeeded => "<p role=\"status\">It is paid.</p>".to_owned(),
        PaymentStatus::Open => {
            button("pay", &format!("Pay {amount}")) + &button("decline", "Decline")
        }
        PaymentStatus::Failed => {
            "<p role=\"status\">It was declined. You can still pay.</p>".to_owned()
                + &button("pay", &format!("Pay {amount}"))
        }
    };
    details + &buttons
}

/// Returns the text shown after a decision.
fn result(checkout: &Checkout) -> String {
    let payment = &checkout.payment;
    let reference = escape(payment.reference.as_str());
    let (title, text) = match payment.status {
        PaymentStatus::Succeeded => ("Payment made", "was paid to the wallet of"),
        PaymentStatus::Failed => ("Payment declined", "was not paid to the wallet of"),
        PaymentStatus::Open => ("Payment open", "is still to be paid to the wallet of"),
    };
    format!(
        "<h1>{title}</h1><p role=\"status\">{} {text} <b>{}</b>.</p>\
         <p><a href=\"../{reference}\">Back to the payment</a></p>\
         <p><a href=\"../../app/billing/top-ups/{reference}\">Back to your wallet</a></p>",
        payment.amount,
        escape(&checkout.organization),
    )
}
