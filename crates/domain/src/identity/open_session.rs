//! Sessions that have not ended, as their user sees them in a list.
//!
//! ```
//! use std::net::IpAddr;
//!
//! use domain::identity::open_session::Client;
//!
//! let address = IpAddr::from([127, 0, 0, 1]);
//! assert!(Client::new(address, address, Some("")).user_agent.is_none());
//! ```

use std::net::{IpAddr, Ipv4Addr};

use chrono::{DateTime, Utc};

use crate::{
    identity::user::User,
    shared::{
        id::{Id, Unowned},
        vendor_text,
    },
};

/// Maximum number of sessions in a list.
pub const MAX_LISTED: usize = 100;

/// A session that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSession {
    /// Identifier of the session.
    pub id: Id<OpenSession>,
    /// User of the session.
    pub user: Id<User>,
    /// The user's [`session_version`](User::session_version) for which the session is valid.
    pub version: i32,
    /// Time at which the user signed in.
    pub created_at: DateTime<Utc>,
    /// Time at which the session ends.
    pub expires_at: DateTime<Utc>,
    /// Time of its last use, to some minutes.
    pub last_used_at: DateTime<Utc>,
    /// Network address from which the user signed in.
    pub address: String,
    /// Program with which the user signed in, as it names itself; `None` if it does not.
    pub user_agent: Option<String>,
}

impl Unowned for OpenSession {}

/// Use of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionUse {
    /// User of the session.
    pub user: Id<User>,
    /// Session that was used.
    pub session: Id<OpenSession>,
    /// Time of the use.
    pub at: DateTime<Utc>,
}

/// Program that makes a request, and its network address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Network address.
    pub address: IpAddr,
    /// Address by which the client is counted: its IPv4 address, or the /64 of its IPv6 address.
    pub network: IpAddr,
    /// Name and version, as the program gives them; `None` if it does not.
    pub user_agent: Option<String>,
}

impl Client {
    /// Returns the client with these addresses. The name of its program is cleaned and cut.
    pub fn new(address: IpAddr, network: IpAddr, user_agent: Option<&str>) -> Self {
        let user_agent = user_agent.map(|text| vendor_text::clean(text.trim().to_owned()));
        Self { address, network, user_agent: user_agent.filter(|text| !text.is_empty()) }
    }
}

impl From<IpAddr> for Client {
    fn from(address: IpAddr) -> Self {
        Self::new(address, address, None)
    }
}

impl Default for Client {
    fn default() -> Self {
        IpAddr::from(Ipv4Addr::UNSPECIFIED).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_program_is_cleaned_and_cut() {
        let client =
            |name| Client::new(Ipv4Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into(), name);

        assert_eq!(client(Some(" curl/8\u{1b} ")).user_agent.as_deref(), Some("curl/8"));
        let long = "a".repeat(300);
        assert_eq!(client(Some(&long)).user_agent.map(|name| name.len()), Some(255));
        for nothing in [None, Some(""), Some(" \t")] {
            assert_eq!(client(nothing).user_agent, None);
        }
    }
}
