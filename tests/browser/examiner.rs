//! Examination of pages on every screen: success criteria of WCAG, sideways scrolling, controls for
//! fingers, messages of the console and requests elsewhere.

use std::path::PathBuf;

use testkit::is_long;

use crate::{
    axe::Axe,
    browser::Browser,
    screen::{DARK, DESK, LIGHT, PHONE, file_name, picture_folder},
};

/// Widths and colour schemes.
const SCREENS: [(u32, &str); 4] = [(PHONE, LIGHT), (PHONE, DARK), (DESK, LIGHT), (DESK, DARK)];

/// Examiner of pages, who takes pictures of them if a folder for pictures is named.
pub(crate) struct Examiner {
    axe: Axe,
    pictures: Option<PathBuf>,
}

impl Examiner {
    /// Returns an examiner; `None` if `axe-core` is not to be had.
    pub(crate) fn with_axe() -> Option<Self> {
        Some(Self { axe: Axe::installed()?, pictures: picture_folder() })
    }

    /// Opens each page, and returns all that is wrong with it.
    pub(crate) async fn open_each(
        &self,
        browser: &Browser,
        addresses: &[impl AsRef<str>],
    ) -> Vec<String> {
        let mut faults = Vec::new();
        // Reports on pages before these are not about these.
        browser.observe().await;
        for address in addresses.iter().map(AsRef::as_ref) {
            browser.open(address).await;
            faults.extend(self.examine(browser, address).await);
        }
        faults
    }

    /// Returns all that is wrong with the page that is open, and with what it took to open it.
    pub(crate) async fn examine(&self, browser: &Browser, name: &str) -> Vec<String> {
        let mut faults = Vec::new();
        for (width, scheme) in SCREENS {
            if (width, scheme) == (PHONE, DARK) && self.pictures.is_none() {
                continue;
            }
            browser.set_screen(width, scheme).await;
            let found = self.faults_on_screen(browser, width, scheme).await;
            faults.extend(found.iter().map(|it| format!("{name}: {width} px, {scheme}: {it}")));
            if let Some(folder) = &self.pictures {
                let picture = format!("{}-{width}-{scheme}", file_name(name));
                browser.take_picture(folder, &picture).await;
            }
        }
        let observed = browser.observe().await.faults();
        faults.extend(observed.iter().map(|it| format!("{name}: {it}")));
        faults
    }

    async fn faults_on_screen(&self, browser: &Browser, width: u32, scheme: &str) -> Vec<String> {
        match (width, scheme) {
            (_, LIGHT) => {
                // The colours of a phone are among those of a desk, and take the longest.
                let mut faults = if width == DESK || is_long() {
                    self.axe.violations(browser).await
                } else {
                    self.axe.violations_apart_from_colours(browser).await
                };
                faults.extend(browser.too_wide().await.iter().map(|it| format!("too wide: {it}")));
                let small = browser.too_small().await;
                faults.extend(small.iter().map(|it| format!("too small: {it}")));
                faults
            }
            // Another scheme changes nothing but colours.
            (DESK, _) => self.axe.faint_texts(browser).await,
            _ => Vec::new(),
        }
    }
}
