//! Forms that did not come from a page of this service, at the address of every form.

use acceptance::{Answer, World};
use reqwest::Method;

use crate::dashboard::visitor::{TOKEN, Visitor};

const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";
/// Forms that end the session to which the token belongs.
const SIGN_OUT: [&str; 2] = ["/app/account/sign-out-everywhere", "/app/sign-out"];
/// Forms with files.
pub(crate) const WITH_FILES: [&str; 2] = ["/app/contacts/import", "/app/suppressions/import"];
/// Words of the pages that refuse a form.
const FORGED: &str = "Not done: the form came from elsewhere";
const STALE: &str = "Look at this again";

/// Headers by which a browser names the page of a form; the value `OWN` is the origin of the service.
type Headers = &'static [(&'static str, &'static str)];
const OWN: &str = "own";
const SAME_ORIGIN: Headers = &[("Sec-Fetch-Site", "same-origin")];
const OWN_ORIGIN: Headers = &[("Origin", OWN)];
/// Old browsers and some proxies say nothing of the page.
const SILENT: Headers = &[];
const FOREIGN: [Headers; 7] = [
    &[("Sec-Fetch-Site", "cross-site")],
    &[("Sec-Fetch-Site", "same-site")],
    &[("Sec-Fetch-Site", "none")],
    &[("Sec-Fetch-Site", "cross-site"), ("Origin", OWN)],
    &[("Origin", "http://evil.example")],
    &[("Origin", "null")],
    &[("Origin", "")],
];

/// Returns the addresses of all forms, those of signing out last.
fn addresses() -> Vec<String> {
    let forms = adapters_dashboard::routes().into_iter().filter(|(method, _)| *method == "POST");
    let fill = |part| if str::starts_with(part, '{') { UNKNOWN } else { part };
    let address = |path: &'static str| path.split('/').map(fill).collect::<Vec<_>>().join("/");
    let mut found: Vec<_> = forms.map(|(_, path)| address(path)).collect();
    found.sort_by_key(|path| SIGN_OUT.contains(&path.as_str()));
    found
}

/// Sends a form with these headers and this token.
async fn send(visitor: &Visitor, path: &str, headers: Headers, token: Option<&str>) -> Answer {
    let mut request = visitor.request(Method::POST, path);
    for &(name, value) in headers {
        let value = if value == OWN { visitor.origin() } else { value };
        request = request.header(name, value);
    }
    let request = if WITH_FILES.contains(&path) {
        let media_type = "multipart/form-data; boundary=limit";
        request.header("Content-Type", media_type).body(multipart(token))
    } else {
        let fields: Vec<_> = token.map(|token| (TOKEN, token)).into_iter().collect();
        request.form(&fields)
    };
    Answer::to(request).await.unwrap()
}

/// Returns a form with parts, of which at most one is there.
fn multipart(token: Option<&str>) -> String {
    let part = token.map(|token| {
        format!("--limit\r\nContent-Disposition: form-data; name=\"{TOKEN}\"\r\n\r\n{token}\r\n")
    });
    part.unwrap_or_default() + "--limit--\r\n"
}

#[tokio::test]
async fn a_form_of_another_page_is_refused_at_every_address() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    // Others are sent away from the pages of the platform before their forms are read.
    world.promote(&tenant.email).await;
    let visitor = Visitor::of(&tenant);
    let own = visitor.form_token().await;
    let others = Visitor::of(&other).form_token().await;
    let mut tried = 0;
    for path in addresses() {
        let mut refusals = Vec::new();
        for headers in FOREIGN {
            refusals.push((headers, Some(own.as_str()), 403, FORGED));
        }
        for token in [None, Some(""), Some("AAAA"), Some(others.as_str())] {
            refusals.push((SILENT, token, 403, FORGED));
            refusals.push((SAME_ORIGIN, token, 409, STALE));
            refusals.push((OWN_ORIGIN, token, 409, STALE));
        }
        for (headers, token, status, words) in refusals {
            let answer = send(&visitor, &path, headers, token).await;
            let what = format!("{path} {headers:?} {token:?}: {}", answer.text);
            assert_eq!(answer.status, status, "{what}");
            assert!(answer.text.contains(words), "{what}");
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried} forms");
    assert_eq!(visitor.get("/app").await.status, 200, "nobody was signed out");
}

#[tokio::test]
async fn a_form_of_an_own_page_is_taken_at_every_address() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    world.promote(&tenant.email).await;
    let visitor = Visitor::of(&tenant);
    let own = visitor.form_token().await;
    for path in addresses() {
        let ways = [SAME_ORIGIN, OWN_ORIGIN, SILENT];
        // Signing out ends the session to which the token belongs.
        let count = if SIGN_OUT.contains(&path.as_str()) { 1 } else { ways.len() };
        for headers in ways.into_iter().take(count) {
            let answer = send(&visitor, &path, headers, Some(&own)).await;
            let is_refused = answer.text.contains(FORGED) || answer.text.contains(STALE);
            assert!(!is_refused && answer.status < 500, "{path} {headers:?}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_form_of_an_ended_session_comes_back_filled_in_without_its_passwords() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);
    let request = visitor.request(Method::POST, "/app/sign-in");
    let fields = [("email", "ama@example.com"), ("password", "secret"), (TOKEN, "AAAA")];
    let fields = fields.into_iter().chain([("once", "k1")]).collect::<Vec<_>>();
    let request = request.header("Sec-Fetch-Site", "same-origin").form(&fields);

    let answer = Answer::to(request).await.unwrap();

    assert_eq!(answer.status, 409, "{}", answer.text);
    let field = "name=\"email\" value=\"ama@example.com\"";
    assert!(answer.text.contains(field) && !answer.text.contains("secret"), "{}", answer.text);
    assert!(answer.text.contains("name=\"once\" value=\"k1\""), "{}", answer.text);
}
