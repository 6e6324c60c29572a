//! URLs of endpoints, checked as far as possible without resolving names.

use std::net::IpAddr;

use ports::webhooks::calls::UrlRefused;
use reqwest::Url;

use super::names::is_callable;

/// Maximum length of a URL, in characters.
const MAX_LENGTH: usize = 2_048;

/// URL that may be called, if its name does not lead to a forbidden address.
pub(super) struct Target(Url);

/// Host of a URL.
pub(super) enum Host<'u> {
    /// Address, which needs no resolution.
    Address(IpAddr),
    /// Name that must be resolved.
    Name(&'u str),
}

impl Target {
    /// Parses a URL. An address in it is checked here, because the connector does not resolve it:
    /// however it was written (`0x7f.1`, `2130706433`), a parsed URL has it in one form.
    pub(super) fn read(text: &str, allow_private: bool) -> Result<Self, UrlRefused> {
        let text = text.trim();
        if text.chars().nth(MAX_LENGTH).is_some() {
            return Err(UrlRefused::TooLong);
        }
        // A parser removes some of these, so the stored URL would differ from the called one.
        if text.contains(|it: char| it.is_whitespace() || it.is_control()) {
            return Err(UrlRefused::Invalid);
        }
        let target = Self(Url::parse(text).map_err(|_| UrlRefused::Invalid)?);
        let url = &target.0;
        if url.scheme() != "https" && !(allow_private && url.scheme() == "http") {
            return Err(UrlRefused::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefused::UserInfo);
        }
        match target.host() {
            Host::Name("") => Err(UrlRefused::Invalid),
            Host::Address(address) if !is_callable(address, allow_private) => {
                Err(UrlRefused::Address)
            }
            _ => Ok(target),
        }
    }

    /// Returns the host, as the connector will read it.
    pub(super) fn host(&self) -> Host<'_> {
        let host = self.0.host_str().unwrap_or_default();
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        bare.parse().map_or(Host::Name(host), Host::Address)
    }

    pub(super) fn into_url(self) -> Url {
        self.0
    }
}
