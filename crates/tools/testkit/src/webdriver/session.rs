//! Running browser.

use std::path::Path;

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    connection::Connection,
    driver::Driver,
    element::{By, WebElement},
};
use crate::{programs::installed, until_some};

/// Tab key, among the letters of a text that is typed.
pub const TAB: &str = "\u{e004}";
/// Enter key, likewise.
pub const ENTER: &str = "\u{e007}";

/// Chromium without windows, which takes two thirds of the time for the same pages. A browser that has
/// windows is used where it is missing.
const HEADLESS_SHELL: &str = "chromium-headless-shell";

/// Browser with one window. It is killed when this is dropped.
pub struct Session {
    connection: Connection,
    _driver: Driver,
}

/// Entry of a log of the browser.
#[derive(Debug, Clone)]
pub struct LogEntry {
    /// Level, such as `SEVERE`.
    pub level: String,
    /// Part of the browser that wrote it, such as `network`; empty in a log of one part.
    pub source: String,
    /// Text.
    pub message: String,
}

impl Session {
    /// Starts a browser with these capabilities, which name the options of Chromium; returns `None` if none
    /// is installed. All its files lie in the folder.
    ///
    /// # Panics
    /// If none is installed and `CI` is set, or if the browser does not start.
    pub async fn start(folder: &Path, capabilities: &Value) -> Option<Self> {
        let driver = Driver::start(folder)?;
        let mut capabilities = capabilities.clone();
        if let Some(shell) = installed(HEADLESS_SHELL) {
            capabilities["goog:chromeOptions"]["binary"] = json!(shell);
        }
        let opened = Connection::open(&driver.url, &capabilities).await;
        let connection = opened.expect("the browser starts");
        Some(Self { connection, _driver: driver })
    }

    /// Forbids the scripts of pages that are opened from now on.
    ///
    /// # Panics
    /// If the browser goes on to run them.
    pub async fn forbid_scripts(&self) -> Result<(), String> {
        self.command("Emulation.setScriptExecutionDisabled", &json!({ "value": true })).await?;
        self.open("data:text/html,<noscript><p>scripts are off</p></noscript>").await?;
        until_some("a browser without scripts says so", async || self.find(By::Css("p")).await)
            .await;
        Ok(())
    }

    /// Opens a page, and waits for it as long as the capability `pageLoadStrategy` says.
    pub async fn open(&self, url: &str) -> Result<(), String> {
        self.connection.post("/url", &json!({ "url": url })).await?;
        Ok(())
    }

    /// Loads the page again, and waits likewise.
    pub async fn reload(&self) -> Result<(), String> {
        self.connection.post("/refresh", &json!({})).await?;
        Ok(())
    }

    /// Returns the address of the page.
    pub async fn url(&self) -> Result<Url, String> {
        let url = self.connection.text("/url").await?;
        Url::parse(&url).map_err(|error| format!("{url}: {error}"))
    }

    /// Returns the title of the page.
    pub async fn title(&self) -> Result<String, String> {
        self.connection.text("/title").await
    }

    /// Returns the first such element. Fails if there is none.
    pub async fn find(&self, by: By<'_>) -> Result<WebElement, String> {
        let found = self.connection.post("/element", &by.parameters()).await?;
        WebElement::of_answer(&self.connection, &found)
    }

    /// Returns all such elements, in the order of the page.
    pub async fn find_all(&self, by: By<'_>) -> Result<Vec<WebElement>, String> {
        let found = self.connection.post("/elements", &by.parameters()).await?;
        let found = found.as_array().into_iter().flatten();
        found.map(|element| WebElement::of_answer(&self.connection, element)).collect()
    }

    /// Returns the element with the focus; the body if no other has it.
    pub async fn focused(&self) -> Result<WebElement, String> {
        let found = self.connection.get("/element/active").await?;
        WebElement::of_answer(&self.connection, &found)
    }

    /// Presses the keys of a text, such as `"a b"` or [`TAB`], one after the other, wherever the focus is.
    pub async fn type_keys(&self, text: &str) -> Result<(), String> {
        let press = |key: char| ["keyDown", "keyUp"].map(|it| json!({ "type": it, "value": key }));
        let presses: Vec<_> = text.chars().flat_map(press).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": presses });
        self.connection.post("/actions", &json!({ "actions": [keyboard] })).await?;
        Ok(())
    }

    /// Runs a script as the body of a function in the page, whose policy does not apply to it, and returns
    /// its result. It finds the arguments in `arguments`.
    pub async fn run(&self, script: &str, arguments: &[Value]) -> Result<Value, String> {
        let call = json!({ "script": script, "args": arguments });
        self.connection.post("/execute/sync", &call).await
    }

    /// Returns the entries of a log, such as `browser`, since the last call. The capability
    /// `goog:loggingPrefs` names the logs that the browser writes.
    pub async fn new_log_entries(&self, log: &str) -> Result<Vec<LogEntry>, String> {
        let entries = self.connection.post("/se/log", &json!({ "type": log })).await?;
        let entries = entries.as_array().into_iter().flatten();
        Ok(entries.map(LogEntry::of_answer).collect())
    }

    /// Gives a command of the `DevTools` protocol, and returns its result.
    pub async fn command(&self, name: &str, parameters: &Value) -> Result<Value, String> {
        let command = json!({ "cmd": name, "params": parameters });
        self.connection.post("/goog/cdp/execute", &command).await
    }
}

impl LogEntry {
    fn of_answer(entry: &Value) -> Self {
        let part = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        Self { level: part("level"), source: part("source"), message: part("message") }
    }
}
