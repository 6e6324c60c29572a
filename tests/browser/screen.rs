//! Screens: widths, colour schemes and pictures.

use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use crate::browser::Browser;

/// Width of a small phone, in CSS pixels.
pub(crate) const PHONE: u32 = 320;
/// Width of a screen on a desk, in CSS pixels.
pub(crate) const DESK: u32 = 1280;
/// Colour schemes that a system may prefer.
pub(crate) const LIGHT: &str = "light";
pub(crate) const DARK: &str = "dark";
const HEIGHT: u32 = 900;
/// Greatest width of a screen for fingers.
const WIDEST_PHONE: u32 = 480;

/// Variable with the path of a folder for pictures of pages.
const PICTURES: &str = "ATUMPAN_SCREENSHOTS";

/// Elements that reach beyond the right edge, if the page scrolls sideways.
const TOO_WIDE: &str = "
const page = document.scrollingElement;
if (page.scrollWidth <= window.innerWidth) return [];
const wide = [...document.querySelectorAll('body *')]
    .filter(element => element.getBoundingClientRect().right > window.innerWidth + 0.5)
    .map(element => element.outerHTML.slice(0, 120));
return [`${page.scrollWidth} px`, ...wide.slice(-3)];";

/// Controls that a finger may miss, on a screen for fingers.
const TOO_SMALL: &str = "
if (!window.matchMedia('(pointer: coarse)').matches) return [];
const controls = 'button, summary, select, textarea, label:has(input), ' +
    'input:not([type=hidden], [type=radio], [type=checkbox])';
return [...document.querySelectorAll(controls)]
    .filter(control => control.checkVisibility({visibilityProperty: true}))
    .filter(control => {
        const {width, height} = control.getBoundingClientRect();
        return width > 1 && Math.min(width, height) < 43.5;
    })
    .map(control => control.outerHTML.slice(0, 120));";

impl Browser {
    /// Changes the screen under the loaded page. Nothing moves, so that no colour is on its way to another.
    pub(crate) async fn set_screen(&self, width: u32, scheme: &str) {
        let metrics = json!({
            "width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false,
        });
        self.command("Emulation.setDeviceMetricsOverride", &metrics).await;
        let media = json!({ "features": [
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ] });
        self.command("Emulation.setEmulatedMedia", &media).await;
        let touch = json!({ "enabled": width <= WIDEST_PHONE });
        self.command("Emulation.setTouchEmulationEnabled", &touch).await;
    }

    /// Returns the width of a page that scrolls sideways, and elements that are too wide; else nothing.
    pub(crate) async fn too_wide(&self) -> Vec<String> {
        self.reported_by(TOO_WIDE).await
    }

    /// Returns the controls that are smaller than 44 px on a phone.
    pub(crate) async fn too_small(&self) -> Vec<String> {
        self.reported_by(TOO_SMALL).await
    }

    async fn reported_by(&self, script: &str) -> Vec<String> {
        let found = self.run(script, &[]).await;
        found.as_array().unwrap().iter().map(ToString::to_string).collect()
    }

    /// Writes a picture of the whole page into the folder.
    pub(crate) async fn take_picture(&self, folder: &Path, name: &str) {
        let layout = self.command("Page.getLayoutMetrics", &json!({})).await;
        let size = &layout["cssContentSize"];
        let clip = json!({
            "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1,
        });
        let wanted = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        let picture = self.command("Page.captureScreenshot", &wanted).await;
        let bytes = BASE64_STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
        fs::write(folder.join(name).with_extension("png"), bytes).unwrap();
    }

    async fn command(&self, name: &str, parameters: &Value) -> Value {
        self.session.command(name, parameters).await.unwrap()
    }
}

/// Returns the folder for pictures, which is made if it does not exist; `None` if nobody wants any.
pub(crate) fn picture_folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(PICTURES)?);
    fs::create_dir_all(&folder).unwrap();
    Some(folder)
}

/// Returns an address as the name of a file.
pub(crate) fn file_name(address: &str) -> String {
    let allowed = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    address.trim_matches('/').chars().map(allowed).collect()
}

#[test]
fn an_address_becomes_the_name_of_a_file() {
    assert_eq!(file_name("/app/messages?status=failed"), "app-messages-status-failed");
}
