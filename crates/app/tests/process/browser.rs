//! Real browser of the size of a phone, without scripts.

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{
    until,
    webdriver::{By, Rectangle, Session},
};

const WIDTH: u32 = 360;
const HEIGHT: u32 = 640;

/// Browser that ends with the test.
pub(crate) struct Browser {
    session: Session,
    // The browser keeps its files there.
    _folder: TempDir,
}

impl Browser {
    /// Starts a browser; returns `None` if none is installed.
    pub(crate) async fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::start(folder.path(), &capabilities()).await?;
        session.forbid_scripts().await.unwrap();
        Some(Self { session, _folder: folder })
    }

    /// Goes to a page.
    pub(crate) async fn open(&self, url: &str) {
        self.session.open(url).await.unwrap();
    }

    /// Waits until the page shows the text.
    pub(crate) async fn shows(&self, text: &str) {
        until(&format!("the page shows {text:?}"), async || self.text().await.contains(text)).await;
    }

    /// Returns the whole text of the page; empty while another one is being loaded.
    pub(crate) async fn text(&self) -> String {
        match self.session.find(By::Css("body")).await {
            Ok(body) => body.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// Returns the position of the button or link with this text.
    pub(crate) async fn place(&self, text: &str) -> Option<Rectangle> {
        let path = format!("//*[self::button or self::a][normalize-space() = '{text}']");
        let element = self.session.find(By::XPath(&path)).await.ok()?;
        Some(element.rectangle().await.unwrap())
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
            self.session.command("Input.dispatchMouseEvent", &event).await.unwrap();
        }
    }
}

/// Returns the capabilities of a phone without scripts. Root has no sandbox.
fn capabilities() -> Value {
    json!({
        "browserName": "chrome",
        "pageLoadStrategy": "none",
        "goog:chromeOptions": {
            "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
            "mobileEmulation": { "deviceMetrics": {
                "width": WIDTH, "height": HEIGHT, "pixelRatio": 2.0, "touch": true,
            } },
        },
    })
}
