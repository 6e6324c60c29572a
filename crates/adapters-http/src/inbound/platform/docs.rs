//! The documentation of the API, for programs and for people.

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::header::{CACHE_CONTROL, CONTENT_ENCODING, ContentType, LOCATION},
    web::ServiceConfig,
};
use utoipa_swagger_ui::Config;

use crate::inbound::{platform::openapi::openapi, shared::error::ApiError};

/// Addresses of the documentation itself, all read-only.
pub(crate) const PATHS: [&str; 4] = ["/", "/openapi.json", "/docs", "/docs/{file}*"];

static DOCUMENT: LazyLock<String> = LazyLock::new(|| openapi().to_string());

/// Settings of the page, which requests the document from this server and nothing from any other.
static PAGE: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    let config = Config::from("../openapi.json").validator_url("none");
    Arc::new(config.filter(true).persist_authorization(true))
});
/// Title of the page, and the one that it comes with.
const TITLE: &str = "<title>Atumpan API</title>";
const THEIR_TITLE: &str = "<title>Swagger UI</title>";

/// Adds the routes of this module. They are not part of the document.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(root).service(document).service(page).service(file);
}

#[get("/openapi.json")]
async fn document() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(DOCUMENT.as_str())
}

/// Redirects from the address of the service to its documentation.
#[get("/")]
async fn root() -> HttpResponse {
    HttpResponse::TemporaryRedirect().insert_header((LOCATION, "docs/")).finish()
}

/// Redirects to `/docs/`, to which the addresses of the page's own files are relative.
#[get("/docs")]
async fn page() -> HttpResponse {
    HttpResponse::TemporaryRedirect().insert_header((LOCATION, "docs/")).finish()
}

#[get("/docs/{file}*")]
async fn file(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let name = request.path().trim_start_matches("/docs/");
    if name == "openapi.json" {
        // Clients that know the address of the page look for the document there.
        let location = (LOCATION, "../openapi.json");
        return Ok(HttpResponse::TemporaryRedirect().insert_header(location).finish());
    }
    let file = utoipa_swagger_ui::serve(name, Arc::clone(&PAGE)).map_err(|error| {
        tracing::error!(%error, "failed to show the documentation");
        ApiError::Broken
    })?;
    let file = file.ok_or(ApiError::UnknownRoute)?;
    let mut response = HttpResponse::Ok();
    if file.gzpipped {
        response.insert_header((CONTENT_ENCODING, "gzip"));
    }
    let is_page = !file.gzpipped && file.content_type.starts_with("text/html");
    response.insert_header((CACHE_CONTROL, "no-cache")).content_type(file.content_type);
    Ok(match file.bytes {
        bytes if is_page => response.body(titled(&bytes)),
        Cow::Borrowed(bytes) => response.body(bytes),
        Cow::Owned(bytes) => response.body(bytes),
    })
}

/// Returns the page under the title of the service.
fn titled(html: &[u8]) -> String {
    String::from_utf8_lossy(html).replacen(THEIR_TITLE, TITLE, 1)
}
