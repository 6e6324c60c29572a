//! Negotiation of the form of an answer that comes in several (RFC 9110, section 12.5.1).

use actix_web::{HttpRequest, http::header::ACCEPT};

/// Forms in which something is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Form for programs.
    Json,
    /// Form for people.
    Html,
}

impl Form {
    /// Returns the form that the client prefers; JSON if it likes both alike, states nothing, or
    /// wants neither.
    pub(crate) fn wanted(request: &HttpRequest) -> Self {
        let accept = request.headers().get_all(ACCEPT);
        let accept: Vec<_> = accept.filter_map(|value| value.to_str().ok()).collect();
        let accept = accept.join(",");
        if quality(&accept, "text", "html") > quality(&accept, "application", "json") {
            Self::Html
        } else {
            Self::Json
        }
    }
}

/// Returns the client's preference for a media type, in thousandths: the weight of the most
/// specific range that includes it.
fn quality(accept: &str, main: &str, sub: &str) -> u16 {
    let ranges = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let (range_main, range_sub) = parts.next()?.split_once('/')?;
        let is_any = |part: &str| part == "*";
        let specificity = match (is_any(range_main), is_any(range_sub)) {
            (true, true) => 0,
            (false, true) if range_main.eq_ignore_ascii_case(main) => 1,
            (false, false)
                if range_main.eq_ignore_ascii_case(main) && range_sub.eq_ignore_ascii_case(sub) =>
            {
                2
            }
            _ => return None,
        };
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        Some((specificity, weight.map_or(1_000, thousandths)))
    });
    ranges.max().map_or(0, |(_, quality)| quality)
}

/// Parses a weight between 0 and 1. An invalid one counts as 0.
fn thousandths(weight: &str) -> u16 {
    let (whole, fraction) = weight.split_once('.').unwrap_or((weight, ""));
    let digits = fraction.bytes().all(|byte| byte.is_ascii_digit()) && fraction.len() <= 3;
    match (whole, format!("{fraction:0<3}").parse()) {
        ("0", Ok(fraction)) if digits => fraction,
        ("1", Ok(0)) if digits => 1_000,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_client_gets_the_preferred_form_and_json_in_doubt() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for (accept, form) in [
            ("", Form::Json),
            ("*/*", Form::Json),
            ("text/html", Form::Html),
            ("TEXT/HTML; charset=utf-8", Form::Html),
            ("text/*", Form::Html),
            (browser, Form::Html),
            ("application/json, text/html", Form::Json),
            ("application/json;q=0.9, text/html", Form::Html),
            ("application/json, text/html;q=0.9", Form::Json),
            ("text/html;q=0", Form::Json),
            ("text/html;q=0, */*", Form::Json),
            ("application/json;q=0, */*", Form::Html),
            ("text/html;q=0.5, text/*;q=0.1, */*;q=0.3", Form::Html),
            ("text/html;q=1.5", Form::Json),
            ("application/pdf", Form::Json),
        ] {
            let request = TestRequest::default().insert_header((ACCEPT, accept)).to_http_request();
            assert_eq!(Form::wanted(&request), form, "{accept}");
        }
        assert_eq!(Form::wanted(&TestRequest::default().to_http_request()), Form::Json);
    }
}
