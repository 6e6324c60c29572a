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
        for (number, address) in addresses.iter().map(AsRef::as_ref).enumerate() {
            browser.open(address).await;
            faults.extend(self.examine(browser, address, number).await);
        }
        faults
    }

    /// Returns all that is wrong with the page that is open, and with what it took to open it. The number
    /// of the page selects the scheme whose colours are examined.
    pub(crate) async fn examine(
        &self,
        browser: &Browser,
        name: &str,
        number: usize,
    ) -> Vec<String> {
        let mut faults = Vec::new();
        for (width, scheme) in SCREENS {
            let has_colours = has_colours(number, width, scheme);
            if scheme == DARK && !has_colours && self.pictures.is_none() {
                continue;
            }
            browser.set_screen(width, scheme).await;
            let found = self.faults_on_screen(browser, scheme, has_colours).await;
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

    async fn faults_on_screen(
        &self,
        browser: &Browser,
        scheme: &str,
        has_colours: bool,
    ) -> Vec<String> {
        if scheme == DARK {
            // Another scheme changes nothing but colours.
            return if has_colours { self.axe.faint_texts(browser).await } else { Vec::new() };
        }
        let mut faults = if has_colours {
            self.axe.violations(browser).await
        } else {
            self.axe.violations_apart_from_colours(browser).await
        };
        faults.extend(browser.too_wide().await.iter().map(|it| format!("too wide: {it}")));
        let small = browser.too_small().await;
        faults.extend(small.iter().map(|it| format!("too small: {it}")));
        faults
    }
}

/// True if the colours of that page are examined on that screen. They take the longest, and pages share
/// them: in short each page is examined in one scheme, in turn, and on a desk, which has those of a phone.
fn has_colours(page: usize, width: u32, scheme: &str) -> bool {
    let is_turn = if page.is_multiple_of(2) { scheme == LIGHT } else { scheme == DARK };
    match (width, scheme) {
        (PHONE, DARK) => false,
        _ if is_long() => true,
        (width, _) => width == DESK && is_turn,
    }
}
