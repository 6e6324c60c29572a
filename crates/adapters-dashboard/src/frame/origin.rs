//! Origin of a form: the pages of this service, or another site.

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderMap, HeaderName, ORIGIN};
use adapters_http::edge::Edge;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Page from which a form was sent, as the browser tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormOrigin {
    Own,
    /// A page of another site, or of none.
    Foreign,
    /// Nothing: old browsers and some proxies. The form's token decides.
    Unknown,
}

impl FormOrigin {
    /// Returns the origin of the form in a request.
    pub(crate) fn of(edge: &Edge, request: &HttpRequest) -> Self {
        let host = edge.asked_host();
        Self::by(request.headers(), host.as_deref(), &edge.api().public_url)
    }

    fn by(headers: &HeaderMap, asked_host: Option<&str>, public_url: &str) -> Self {
        if let Some(site) = headers.get(FETCH_SITE) {
            return if site == "same-origin" { Self::Own } else { Self::Foreign };
        }
        let Some(origin) = headers.get(ORIGIN) else { return Self::Unknown };
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let Some((_, host)) = origin.split_once("://") else { return Self::Foreign };
        let is_asked = asked_host.is_some_and(|asked| asked == host);
        if is_asked || origin == origin_of(public_url) { Self::Own } else { Self::Foreign }
    }
}

fn origin_of(url: &str) -> String {
    let rest = url.find("://").map_or(url.len(), |at| at + 3);
    let end = url.get(rest..).and_then(|host| host.find('/'));
    let origin = end.and_then(|end| url.get(..rest + end)).unwrap_or(url);
    origin.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    const PUBLIC: &str = "https://Messages.example/base";

    fn origin(headers: &[(&'static str, &'static str)]) -> FormOrigin {
        let pairs = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        FormOrigin::by(&pairs.collect(), Some("127.0.0.1:8080"), PUBLIC)
    }

    #[test]
    fn what_the_browser_says_of_the_site_decides() {
        let own = ("origin", "https://messages.example");
        for site in ["cross-site", "same-site", "none", ""] {
            assert_eq!(origin(&[("sec-fetch-site", site), own]), FormOrigin::Foreign, "{site}");
        }
        let foreign = ("origin", "https://evil.example");
        assert_eq!(origin(&[("sec-fetch-site", "same-origin"), foreign]), FormOrigin::Own);
    }

    #[test]
    fn without_it_the_origin_is_the_asked_or_the_public_address() {
        for own in ["https://messages.example", "http://127.0.0.1:8080"] {
            assert_eq!(origin(&[("origin", own)]), FormOrigin::Own, "{own}");
        }
        let foreign =
            ["null", "https://messages.example.evil", "https://127.0.0.1", "messages.example", ""];
        for foreign in foreign {
            assert_eq!(origin(&[("origin", foreign)]), FormOrigin::Foreign, "{foreign}");
        }
        assert_eq!(origin(&[]), FormOrigin::Unknown);
    }
}
