//! Callers of the API.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;

use crate::{Answer, wait::until_some};

/// Longest time of an answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Caller of the API, with its credentials.
#[derive(Clone)]
pub struct Caller {
    http: Client,
    url: String,
    headers: Vec<(&'static str, String)>,
}

/// Returns an HTTP client. Its connections end with the runtime of the test that opened them.
pub fn client() -> Client {
    // Another test may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().timeout(TIMEOUT).no_proxy();
    client.build().expect("a client can be made")
}

impl Caller {
    /// Returns a caller without credentials of the service at that URL.
    pub fn guest(http: &Client, url: &str) -> Self {
        Self { http: http.clone(), url: url.to_owned(), headers: Vec::new() }
    }

    /// Returns this caller with a header added or replaced.
    #[must_use]
    pub fn with(&self, name: &'static str, value: &str) -> Self {
        let mut caller = self.clone();
        caller.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        caller.headers.push((name, value.to_owned()));
        caller
    }

    /// Calls the API; fails if the connection breaks.
    pub async fn try_call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> reqwest::Result<Answer> {
        let request = self.request(method, path);
        Answer::to(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    /// Calls the API.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        self.try_call(method, path, body.as_ref()).await.expect("the service answers")
    }

    /// Sends a `POST`.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Sends a `GET`.
    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    /// Sends a form with a file by `POST`.
    pub async fn upload(&self, path: &str, file: impl AsRef<[u8]>) -> Answer {
        let begin = "--limit\r\nContent-Disposition: form-data; name=\"file\"; \
                     filename=\"rows.csv\"\r\nContent-Type: text/csv\r\n\r\n";
        let form = [begin.as_bytes(), file.as_ref(), b"\r\n--limit--\r\n"].concat();
        self.post_form(path, "multipart/form-data; boundary=limit", form).await
    }

    /// Sends a body of that media type by `POST`.
    pub async fn post_form(&self, path: &str, media_type: &str, body: Vec<u8>) -> Answer {
        let request = self.request(Method::POST, path);
        let request = request.header("Content-Type", media_type).body(body);
        Answer::to(request).await.expect("the service answers")
    }

    /// Waits until the message has that status and returns it.
    pub async fn message_that_is(&self, status: &str, id: &Value) -> Value {
        let id = id.as_str().expect("an identifier is text");
        until_some(&format!("message {id} is {status}"), async || {
            let answer = self.get(&format!("/messages/{id}")).await;
            let message = answer.data(200).clone();
            if message["status"] == status { Ok(message) } else { Err(message.to_string()) }
        })
        .await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }
}
