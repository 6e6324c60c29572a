//! Headers by which mail programs offer to unsubscribe with one click (RFC 8058).

use std::error::Error;

use lettre::message::header::{Header, HeaderName, HeaderValue};

use crate::mail::{LIST_UNSUBSCRIBE, LIST_UNSUBSCRIBE_POST, ONE_CLICK};

/// `List-Unsubscribe` header with the unsubscribe link.
#[derive(Clone)]
pub(super) struct ListUnsubscribe(String);

impl ListUnsubscribe {
    pub(super) fn new(link: &str) -> Self {
        Self(format!("<{link}>"))
    }
}

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str(LIST_UNSUBSCRIBE)
    }

    fn parse(text: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    /// Written on one line, because a link has no white space at which it could be folded.
    fn display(&self) -> HeaderValue {
        HeaderValue::dangerous_new_pre_encoded(Self::name(), self.0.clone(), self.0.clone())
    }
}

/// `List-Unsubscribe-Post` header, which permits to unsubscribe with one click.
#[derive(Clone)]
pub(super) struct OneClick;

impl Header for OneClick {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str(LIST_UNSUBSCRIBE_POST)
    }

    fn parse(_: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), ONE_CLICK.to_owned())
    }
}
