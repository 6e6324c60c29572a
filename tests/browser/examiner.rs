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

/// Rules of accessibility.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    All,
    Colours,
    Nothing,
}

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
    /// of the page selects the screen on which it is examined in short.
    pub(crate) async fn examine(
        &self,
        browser: &Browser,
        name: &str,
        number: usize,
    ) -> Vec<String> {
        let mut faults = Vec::new();
        for (screen, (width, scheme)) in SCREENS.into_iter().enumerate() {
            let rules = rules(number, screen);
            if scheme == DARK && rules == Rules::Nothing && self.pictures.is_none() {
                continue;
            }
            browser.set_screen(width, scheme).await;
            let mut found = self.violations(browser, rules).await;
            if scheme == LIGHT {
                found.extend(faults_of_size(browser).await);
            }
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

    async fn violations(&self, browser: &Browser, rules: Rules) -> Vec<String> {
        match rules {
            Rules::All => self.axe.violations(browser).await,
            Rules::Colours => self.axe.faint_texts(browser).await,
            Rules::Nothing => Vec::new(),
        }
    }
}

/// Returns what is too wide for the screen, or too small for a finger.
async fn faults_of_size(browser: &Browser) -> Vec<String> {
    let mut faults = Vec::new();
    faults.extend(browser.too_wide().await.iter().map(|it| format!("too wide: {it}")));
    faults.extend(browser.too_small().await.iter().map(|it| format!("too small: {it}")));
    faults
}

/// Returns the rules by which that page is examined on that screen: in short by all of them on one screen,
/// in turn, since that takes the longest and pages have most parts in common. Another scheme changes nothing
/// but colours, and a phone has those of a desk.
fn rules(page: usize, screen: usize) -> Rules {
    if !is_long() {
        return if page % SCREENS.len() == screen { Rules::All } else { Rules::Nothing };
    }
    match SCREENS[screen] {
        (_, LIGHT) => Rules::All,
        (DESK, _) => Rules::Colours,
        _ => Rules::Nothing,
    }
}
