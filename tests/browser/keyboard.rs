//! Use of a page with the keyboard alone.

use testkit::webdriver::{ENTER, TAB, WebElement};

use crate::{browser::Browser, elements::Element};

/// Maximum number of elements that have the focus before the wanted one.
const MOST_STOPS: usize = 120;

impl Browser {
    /// Presses keys, wherever the focus is.
    pub(crate) async fn type_keys(&self, keys: &str) {
        self.session.type_keys(keys).await.unwrap();
    }

    /// Moves the focus forward to the element, and asserts that each stop on the way can be seen.
    pub(crate) async fn tab_to(&self, element: &Element) {
        for _ in 0..MOST_STOPS {
            // The page may just have been replaced by another one.
            if self.find(element).await == self.focused().await {
                return;
            }
            self.type_keys(TAB).await;
            self.assert_focus_is_visible().await;
        }
        panic!("the keyboard does not reach {}", element.name);
    }

    /// Moves the focus to the field, and types into it.
    pub(crate) async fn type_into(&self, element: &Element, text: &str) {
        self.tab_to(element).await;
        self.type_keys(text).await;
    }

    /// Moves the focus to the button or link, and presses Enter.
    pub(crate) async fn enter(&self, element: &Element) {
        self.tab_to(element).await;
        self.type_keys(ENTER).await;
    }

    /// Does the same, and waits for the page that follows.
    pub(crate) async fn leave_by_enter(&self, element: &Element) {
        let page = self.page().await;
        self.enter(element).await;
        Self::leaves(&page, element).await;
    }

    /// Returns the element with the focus; the body if no other has it.
    pub(crate) async fn focused(&self) -> WebElement {
        self.session.focused().await.unwrap()
    }

    async fn assert_focus_is_visible(&self) {
        let focused = self.focused().await;
        let outline = focused.css_value("outline-style").await;
        let shadow = focused.css_value("box-shadow").await;
        let (Ok(outline), Ok(shadow), Ok(html)) = (outline, shadow, focused.outer_html().await)
        else {
            // Another page is there by now.
            return;
        };
        let is_visible = outline != "none" || shadow != "none";
        assert!(is_visible || html.starts_with("<body"), "the focus cannot be seen at {html}");
    }
}
