//! Requests that are sent as they are, and checks of every answer.

use std::time::Duration;

use acceptance::{Answer, World};
use reqwest::{
    RequestBuilder,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Sends a request without changes.
pub(crate) async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Answer { status, headers, body, text }
}

/// Sends these lines as the head of a request, without an HTTP client.
pub(crate) async fn head(world: &World, lines: &[&str]) -> Answer {
    let mut stream = TcpStream::connect(world.url.trim_start_matches("http://")).await.unwrap();
    let head = format!("{}\r\nHost: localhost\r\nConnection: close\r\n\r\n", lines.join("\r\n"));
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    parse(&String::from_utf8(bytes).unwrap())
}

fn parse(response: &str) -> Answer {
    let (head, text) = response.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap().parse().unwrap();
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    let body = serde_json::from_str(text).unwrap_or(Value::Null);
    Answer { status, headers, body, text: text.to_owned() }
}

/// Error code of a translation without a language model.
const NO_MODEL: &str = "CONTENT_WRITER_NOT_CONFIGURED";

/// Asserts that the answer is no server error and has the envelope.
#[track_caller]
pub(crate) fn assert_orderly(answer: &Answer, request: &str) {
    let context = || format!("{request}: {} {}", answer.status, answer.text);
    let lacks_model = answer.body["error"]["code"] == NO_MODEL;
    assert!(answer.status < 500 || lacks_model, "{}", context());
    assert!(answer.headers.contains_key("x-request-id"), "{}", context());
    if answer.status >= 400 {
        assert_eq!(answer.body["success"], false, "{}", context());
        let error = &answer.body["error"];
        assert!(error["code"].is_string() && error["message"].is_string(), "{}", context());
        assert!(error["details"].is_object(), "{}", context());
    } else if answer.status != 204 && !is_bare(request) {
        assert_eq!(answer.body["success"], true, "{}", context());
    }
}

/// True if the request is answered without the envelope.
fn is_bare(request: &str) -> bool {
    let bare = [
        "/health",
        "/metrics",
        "/delivery-logs/export",
        "/contacts/export",
        "/recipients/export",
        "GET /auth/verify-email",
        "GET /auth/reset-password",
        "GET /auth/invitations/accept",
        "/errors",
    ];
    bare.iter().any(|it| request.contains(it))
}

#[tokio::test]
async fn a_connection_stays_open_while_its_client_rests() {
    let world = World::shared().await;
    let mut stream = TcpStream::connect(world.url.trim_start_matches("http://")).await.unwrap();
    let mut ask = async || {
        stream.write_all(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        let mut answer = [0; 4_096];
        let read = stream.read(&mut answer).await.unwrap();
        assert!(answer[..read].starts_with(b"HTTP/1.1 200"), "{read} bytes");
    };

    ask().await;
    // The HTTP library would close it after five seconds.
    tokio::time::sleep(Duration::from_secs(6)).await;
    ask().await;
}
