//! Control of a browser by `WebDriver`, the protocol of W3C, and by two additions of Chromium's driver: logs
//! of the browser, and commands of the `DevTools` protocol.
//!
//! A [`Session`] is a running browser. Methods fail with the message of the driver: a page, with its
//! elements, may be replaced by another one at any time.

mod connection;
mod driver;
mod element;
mod session;

pub use element::{By, Rectangle, WebElement};
pub use session::{ENTER, LogEntry, Session, TAB};
