//! Twilio's signatures: <https://www.twilio.com/docs/usage/webhooks/webhooks-security>.

use base64::{Engine, prelude::BASE64_STANDARD};
use domain::messaging::callback::Callback;

use crate::{
    callbacks::Fields,
    signature::{equal, hmac_sha1},
};

/// True if a callback with these fields was signed with `auth_token`. The vendor's own libraries
/// accept an address with and without its port.
pub(super) fn is_right(auth_token: &str, callback: &Callback, fields: &Fields) -> bool {
    let shown = callback.header("x-twilio-signature").unwrap_or_default();
    let urls = [Some(callback.url.clone()), with_other_port(&callback.url)];
    urls.into_iter()
        .flatten()
        .any(|url| equal(shown.as_bytes(), signature(auth_token, &url, fields).as_bytes()))
}

/// Returns the signature of a form posted to `url`.
pub(super) fn signature(auth_token: &str, url: &str, fields: &Fields) -> String {
    let mut sorted: Vec<_> = fields.all().iter().collect();
    sorted.sort();
    sorted.dedup();
    let mut text = url.to_owned();
    for (name, value) in sorted {
        text.push_str(name);
        text.push_str(value);
    }
    BASE64_STANDARD.encode(hmac_sha1(auth_token.as_bytes(), text.as_bytes()))
}

/// Returns the address without its port, or with the usual port if it has none.
fn with_other_port(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let usual = if scheme == "https" { 443 } else { 80 };
    Some(match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => format!("{scheme}://{host}{path}"),
        _ => format!("{scheme}://{authority}:{usual}{path}"),
    })
}

#[cfg(test)]
mod tests {
    use domain::messaging::callback::CallbackMethod;

    use super::*;

    const URL: &str = "https://mycompany.com/myapp.php?foo=1&bar=2";
    const BODY: &str = "To=%2B18005551212&Digits=1234&CallSid=CA1234567890ABCDE\
        &From=%2B14158675309&Caller=%2B14158675309";
    /// Signature in the vendor's documentation for this example, with the token `12345`.
    const SIGNATURE: &str = "RSOYDt4T1cUTdK1PDd93/VVr8B8=";

    fn callback(url: &str, body: &str, signature: &str) -> Callback {
        Callback {
            method: CallbackMethod::Post,
            url: url.into(),
            query: Vec::new(),
            headers: vec![("x-twilio-signature".into(), signature.into())],
            body: body.as_bytes().to_vec(),
        }
    }

    fn is_right(callback: &Callback) -> bool {
        super::is_right("12345", callback, &Fields::of_form(callback))
    }

    #[test]
    fn the_example_of_the_vendor_is_accepted() {
        assert!(is_right(&callback(URL, BODY, SIGNATURE)));
    }

    #[test]
    fn any_change_invalidates_the_signature() {
        for wrong in [
            callback(URL, &BODY.replace("1234&", "1235&"), SIGNATURE),
            callback(URL, &format!("{BODY}&More=1"), SIGNATURE),
            callback(&URL.replace("foo=1", "foo=2"), BODY, SIGNATURE),
            callback(URL, BODY, &SIGNATURE.to_lowercase()),
            callback(URL, BODY, ""),
            Callback { headers: Vec::new(), ..callback(URL, BODY, "") },
        ] {
            assert!(!is_right(&wrong), "{wrong:?}");
        }
    }

    #[test]
    fn the_port_of_the_address_does_not_matter() {
        let form = Fields::of_form(&callback("", BODY, ""));
        for (signed, called) in [
            ("https://a.example:443/x?y=1:2", "https://a.example/x?y=1:2"),
            ("https://a.example/x", "https://a.example:8443/x"),
            ("http://[::1]:80/x", "http://[::1]/x"),
            ("http://a.example:80", "http://a.example"),
        ] {
            let signature = signature("12345", signed, &form);
            assert!(is_right(&callback(called, BODY, &signature)), "{signed} {called}");
        }
        let signature = signature("12345", "https://b.example/x", &form);
        assert!(!is_right(&callback("https://a.example/x", BODY, &signature)));
    }
}
