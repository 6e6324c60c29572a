//! Pages for people: plain text and a button, which work without scripts.

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{ACCEPT, CONTENT_SECURITY_POLICY, ContentType, HeaderName, REFERRER_POLICY},
    },
};

use crate::inbound::shared::error::ApiError;

/// Content security policy: a page loads nothing, and nobody may frame it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; \
                      frame-ancestors 'none'; base-uri 'none'";
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// Returns a page whose address holds a secret. `title` and `content` are HTML.
pub(crate) fn page(status: StatusCode, title: &str, content: &str) -> HttpResponse {
    HttpResponse::build(status)
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((ROBOTS, "noindex, nofollow"))
        .body(format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
             <body style=\"font-family: sans-serif; margin: 4em auto; max-width: 30em\">\
             {content}</body></html>"
        ))
}

/// True if the client shows pages to a person instead of reading JSON.
pub(crate) fn is_browser(request: &HttpRequest) -> bool {
    let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

/// Returns a failure: as a page in plain words for browsers, else as JSON.
pub(crate) fn refused(request: &HttpRequest, error: &ApiError, title: &str) -> HttpResponse {
    if !is_browser(request) {
        return error.error_response();
    }
    let text = match error.status_code() {
        StatusCode::NOT_FOUND => "This link does not work, or works no more.",
        StatusCode::SERVICE_UNAVAILABLE => {
            "This does not work at the moment. Please try again in a few minutes."
        }
        _ => "This did not work.",
    };
    page(error.status_code(), title, &format!("<p>{text}</p>"))
}

/// Escapes a text for HTML, also in an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_a_text_in_elements_and_attributes() {
        let escaped = escape("<b>\"Ama\" & 'Kofi'</b>");
        assert_eq!(escaped, "&lt;b&gt;&quot;Ama&quot; &amp; &#39;Kofi&#39;&lt;/b&gt;");
    }
}
