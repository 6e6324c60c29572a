//! Browser with one window, and what a person does in it.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{
    until, until_some,
    webdriver::{By, Session, WebElement},
};

use crate::elements::{Element, button_beginning, choice_beginning, field, heading, link, option};

/// Root has no sandbox, and bars of scrolling take no room on a phone.
const ARGUMENTS: [&str; 6] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--window-size=1280,900",
];

/// Permission of a browser to run the scripts of pages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scripts {
    Allowed,
    Forbidden,
}

/// Running browser. It is killed when this is dropped.
pub(crate) struct Browser {
    pub(crate) session: Session,
    /// Beginning of all addresses of the service; empty until it is known.
    pub(crate) origin: String,
    scripts: Scripts,
    // The browser keeps its files there.
    _folder: TempDir,
}

impl Browser {
    /// Starts a browser; returns `None` if none is installed.
    pub(crate) async fn start(scripts: Scripts) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::start(folder.path(), &capabilities()).await?;
        if scripts == Scripts::Forbidden {
            session.forbid_scripts().await.unwrap();
        }
        Some(Self { session, origin: String::new(), scripts, _folder: folder })
    }

    /// Returns this browser for the pages of the service at that origin.
    #[must_use]
    pub(crate) fn at(mut self, origin: &str) -> Self {
        origin.clone_into(&mut self.origin);
        self
    }

    /// Opens a page of the service.
    pub(crate) async fn open(&self, path: &str) {
        self.session.open(&format!("{}{path}", self.origin)).await.unwrap();
    }

    /// Loads the page again.
    pub(crate) async fn reload(&self) {
        self.session.reload().await.unwrap();
    }

    /// Returns the path of the page, without its query.
    pub(crate) async fn path(&self) -> String {
        self.session.url().await.unwrap().path().to_owned()
    }

    /// True if the page shows the element now.
    pub(crate) async fn has(&self, element: &Element) -> bool {
        self.visible(element).await.is_ok()
    }

    /// Returns the element once it is visible.
    pub(crate) async fn find(&self, element: &Element) -> WebElement {
        until_some(&format!("the page has {}", element.name), async || self.visible(element).await)
            .await
    }

    /// True if the browser runs scripts.
    pub(crate) fn runs_scripts(&self) -> bool {
        self.scripts == Scripts::Allowed
    }

    /// Types into the field with that label, in place of what it has.
    pub(crate) async fn fill(&self, name: &str, text: &str) {
        let field = self.find(&field(name)).await;
        field.clear().await.unwrap();
        field.type_text(text).await.unwrap();
    }

    /// Chooses a file in the field with that label.
    pub(crate) async fn attach(&self, name: &str, file: &Path) {
        self.find(&field(name)).await.type_text(file.to_str().unwrap()).await.unwrap();
    }

    /// Chooses an option of the list with that label.
    pub(crate) async fn select(&self, list: &str, name: &str) {
        self.click(&option(list, name)).await;
    }

    /// Chooses the radio button, or ticks the checkbox, whose label begins so.
    pub(crate) async fn choose(&self, name: &str) {
        self.click(&choice_beginning(name)).await;
    }

    /// Presses the button whose text begins so, and waits for the page that follows.
    pub(crate) async fn press(&self, text: &str) {
        self.leave_by(&button_beginning(text)).await;
    }

    /// Follows the link with that text, and waits for the page that it leads to.
    pub(crate) async fn follow(&self, text: &str) {
        self.leave_by(&link(text)).await;
    }

    /// Clicks on an element, and waits for the page that follows.
    pub(crate) async fn leave_by(&self, element: &Element) {
        let page = self.page().await;
        self.click(element).await;
        Self::leaves(&page, element).await;
    }

    /// Returns the whole page, which is stale once another one is there.
    pub(crate) async fn page(&self) -> WebElement {
        self.session.find(By::Css("html")).await.unwrap()
    }

    /// Waits until another page is there, to which the element leads: the same words may be on both.
    pub(crate) async fn leaves(page: &WebElement, element: &Element) {
        let what = format!("{} leads to a page", element.name);
        until(&what, async || page.tag_name().await.is_err()).await;
    }

    /// Clicks on an element once it can be clicked: a live part may be changing it.
    pub(crate) async fn click(&self, element: &Element) {
        until_some(&format!("{} can be clicked", element.name), async || {
            let found = self.visible(element).await?;
            found.click().await
        })
        .await;
    }

    /// Waits until a page with that heading is there.
    pub(crate) async fn reaches(&self, text: &str) {
        self.find(&heading(text)).await;
    }

    /// Waits until the page shows the text.
    pub(crate) async fn shows(&self, text: &str) {
        self.waits_for(text, false).await;
    }

    /// Waits until the page shows the text, which arrives later: a live part changes by itself, and without
    /// scripts a person loads the page again.
    pub(crate) async fn shows_in_time(&self, text: &str) {
        self.waits_for(text, !self.runs_scripts()).await;
    }

    /// Waits until the page shows the text, and loads it again and again: it has no live part.
    pub(crate) async fn shows_when_reloaded(&self, text: &str) {
        self.waits_for(text, true).await;
    }

    async fn waits_for(&self, text: &str, reloads: bool) {
        until_some(&format!("the page shows {text:?}"), async || {
            let shown = self.text().await;
            if shown.contains(text) {
                return Ok(());
            }
            if reloads {
                self.reload().await;
            }
            Err(shown)
        })
        .await;
    }

    /// Runs a script in the page, whose policy does not apply to it, and returns its result.
    pub(crate) async fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.session.run(script, arguments).await.unwrap()
    }

    /// Returns the visible text of the page; empty while another one is being loaded.
    pub(crate) async fn text(&self) -> String {
        match self.session.find(By::Css("body")).await {
            Ok(body) => body.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    async fn visible(&self, element: &Element) -> Result<WebElement, String> {
        for candidate in self.session.find_all(By::XPath(&element.path)).await? {
            if candidate.is_displayed().await.unwrap_or_default() {
                return Ok(candidate);
            }
        }
        let text = self.text().await;
        Err(format!("The page has no {}: {text}", element.path))
    }
}

fn capabilities() -> Value {
    json!({
        "browserName": "chrome",
        "goog:chromeOptions": { "args": ARGUMENTS },
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
    })
}
