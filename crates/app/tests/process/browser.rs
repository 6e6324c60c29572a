//! Real browser of the size of a phone, without scripts, controlled by its driver (`WebDriver` over
//! HTTP).

use std::{
    process::{Child, Stdio},
    time::Duration,
};

use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{free_port, requires, until};

const WIDTH: u32 = 360;
const HEIGHT: u32 = 640;

/// Browser that ends with the test.
pub(crate) struct Browser {
    driver: Child,
    http: Client,
    session: String,
    profile: TempDir,
}

/// Rectangle of the page, in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rectangle {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Browser {
    /// Starts a browser; returns `None` if none is installed.
    pub(crate) async fn start() -> Option<Self> {
        let port = free_port();
        let driver = requires("chromedriver")?
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().timeout(Duration::from_secs(60)).no_proxy().build().unwrap();
        let url = format!("http://127.0.0.1:{port}");
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Self { driver, http, session: url.clone(), profile };
        until("the driver serves", async || {
            browser.http.get(format!("{url}/status")).send().await.is_ok()
        })
        .await;
        let answer = browser.post("/session", capabilities(browser.profile.path())).await;
        let id = answer["sessionId"].as_str().unwrap_or_else(|| panic!("no browser: {answer}"));
        browser.session = format!("{url}/session/{id}");
        browser.open("data:text/html,<noscript><p>scripts are off</p></noscript>").await;
        browser.shows("scripts are off").await;
        Some(browser)
    }

    /// Goes to a page.
    pub(crate) async fn open(&self, url: &str) {
        self.post("/url", json!({ "url": url })).await;
    }

    /// Waits until the page shows the text.
    pub(crate) async fn shows(&self, text: &str) {
        until(&format!("the page shows {text:?}"), async || self.text().await.contains(text)).await;
    }

    /// Returns the whole text of the page.
    pub(crate) async fn text(&self) -> String {
        match self.find("css selector", "body").await {
            Some(body) => {
                let text = self.get(&format!("/element/{body}/text")).await;
                text.as_str().unwrap_or_default().to_owned()
            }
            None => String::new(),
        }
    }

    /// Returns the position of the button or link with this text.
    pub(crate) async fn place(&self, text: &str) -> Option<Rectangle> {
        let path = format!("//*[self::button or self::a][normalize-space() = '{text}']");
        let element = self.find("xpath", &path).await?;
        let found = self.get(&format!("/element/{element}/rect")).await;
        let side = |name: &str| found[name].as_f64().unwrap();
        let (x, y, width, height) = (side("x"), side("y"), side("width"), side("height"));
        Some(Rectangle { x, y, width, height })
    }

    /// Presses the button, or follows the link, with this text, at a place that a thumb would hit.
    pub(crate) async fn press(&self, text: &str) {
        let place = self.place(text).await.unwrap_or_else(|| panic!("there is no {text:?}"));
        let (x, y) = (place.x + place.width / 2.0, place.y + place.height / 2.0);
        let is_in_sight = x < f64::from(WIDTH) && y < f64::from(HEIGHT);
        assert!(is_in_sight, "{text:?} is out of sight: {place:?}");
        // The driver's own click waits for scripts.
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            let command = json!({ "cmd": "Input.dispatchMouseEvent", "params": event });
            self.post("/goog/cdp/execute", command).await;
        }
    }

    async fn find(&self, using: &str, value: &str) -> Option<String> {
        let found = self.post("/element", json!({ "using": using, "value": value })).await;
        let element = found.as_object()?.iter().find(|(name, _)| name.starts_with("element-"))?;
        element.1.as_str().map(str::to_owned)
    }

    async fn get(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.session));
        request.send().await.unwrap().json::<Value>().await.unwrap()["value"].take()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.session)).json(&body);
        request.send().await.unwrap().json::<Value>().await.unwrap()["value"].take()
    }

    /// Ends the browser, which only its driver can do.
    pub(crate) async fn close(self) {
        let _ = self.http.delete(&self.session).send().await;
    }
}

/// Returns the capabilities of a phone without scripts. Root has no sandbox.
fn capabilities(profile: &std::path::Path) -> Value {
    json!({ "capabilities": { "alwaysMatch": {
        "browserName": "chrome",
        "pageLoadStrategy": "none",
        "goog:chromeOptions": {
            "args": [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                format!("--user-data-dir={}", profile.display()),
            ],
            "prefs": { "profile.managed_default_content_settings.javascript": 2 },
            "mobileEmulation": { "deviceMetrics": {
                "width": WIDTH, "height": HEIGHT, "pixelRatio": 2.0, "touch": true,
            } },
        },
    } } })
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
