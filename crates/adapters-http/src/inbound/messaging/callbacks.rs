//! `/callbacks/providers/{name}`: callbacks of vendors.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::StatusCode,
    web::{Bytes, Data, Query},
};
use domain::messaging::callback::{Callback, CallbackAnswer, CallbackMethod};
use serde_json::json;
use usecases::{Error, shared::refusals::INVALID_SIGNATURE};

use crate::inbound::{
    Api,
    shared::{
        answers::{self, ReceivedView, schema_of_one},
        body::RawBody,
        caller,
        endpoint::{
            Area,
            describe::{Describe, Description},
            get, post,
        },
        error::ApiError,
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Callbacks",
        about: "Calls by vendors.",
        endpoints: vec![
            post("/callbacks/providers/{name}", "receiveCallback", receive)
                .extension()
                .summary("Receive a provider's callback.")
                .description(
                    "For vendors only. Every callback is verified by the vendor's signature, or by \
                     a token in the address if the vendor does not sign, before its content is \
                     used.",
                )
                .answers("Accepted, in the format that the vendor expects.")
                .with(provider_name)
                .refuses(Error::Unauthenticated(INVALID_SIGNATURE))
                .refuses(Error::NotFound("provider")),
            get("/callbacks/providers/{name}", "answerCallbackHandshake", handshake)
                .extension()
                .summary("Answer a vendor's handshake, or receive a callback sent with `GET`.")
                .description("For vendors only.")
                .answers("An answer in the format that the vendor expects.")
                .with(provider_name)
                .refuses(Error::Unauthenticated(INVALID_SIGNATURE))
                .refuses(Error::NotFound("provider")),
        ],
    }
}

fn provider_name(description: &mut Description) {
    let schema = json!({ "type": "string" });
    description.has_path_parameter("name", "The provider's name.", &schema);
}

/// The response to a vendor, in the format that it expects.
struct VendorAnswer(CallbackAnswer);

impl Responder for VendorAnswer {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        match self.0 {
            CallbackAnswer::Acknowledged => {
                answers::success(StatusCode::OK, ReceivedView { received: true })
            }
            CallbackAnswer::Text(media_type, text) => {
                HttpResponse::Ok().content_type(media_type).body(text)
            }
        }
    }
}

impl Describe for VendorAnswer {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<ReceivedView>(&mut description.schemas);
        description.answers_json(200, schema);
    }
}

async fn receive(
    api: Data<Api>,
    request: HttpRequest,
    body: RawBody,
) -> Result<VendorAnswer, ApiError> {
    take(&api, &request, CallbackMethod::Post, body.bytes()?).await
}

async fn handshake(api: Data<Api>, request: HttpRequest) -> Result<VendorAnswer, ApiError> {
    take(&api, &request, CallbackMethod::Get, Bytes::new()).await
}

async fn take(
    api: &Api,
    request: &HttpRequest,
    method: CallbackMethod,
    body: Bytes,
) -> Result<VendorAnswer, ApiError> {
    let query = Query::<Vec<(String, String)>>::from_query(request.query_string());
    let mut headers = Vec::new();
    for (name, value) in request.headers() {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        headers.push((name.to_string(), value));
    }
    let callback = Callback {
        method,
        url: format!("{}{}", api.public_url, request.uri()),
        query: query.map(Query::into_inner).unwrap_or_default(),
        headers,
        body: body.to_vec(),
    };
    let name = request.match_info().query("name");
    match api.callbacks.receive(name, &callback).await {
        Ok(answer) => Ok(VendorAnswer(answer)),
        Err(Error::Unauthenticated(_)) => Err(caller::wrong_proof(api, request)),
        Err(error) => Err(error.into()),
    }
}
