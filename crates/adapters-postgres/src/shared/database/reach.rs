//! Reachability of a server, before anything is asked of it.

use crate::shared::database::{
    config_error::ConfigError, connections::Connections, start_options::Purpose,
};

/// Tries to reach the server at `url`. Returns the reason if that fails and may pass by itself: nothing
/// answers, or the server starts or has no room. A server that refuses the password, or has no such
/// database, is there.
pub async fn absence(url: &str) -> Result<Option<String>, ConfigError> {
    Ok(Connections::new(url, Purpose::Migrations)?.absence().await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_behind_a_closed_port_is_absent() {
        let reason = absence("postgres://nobody@127.0.0.1:1/nothing").await.unwrap().unwrap();
        assert!(reason.contains("refused"), "{reason}");
        let reason = absence("postgres://nobody@nowhere.invalid/nothing").await.unwrap();
        assert!(reason.is_some(), "a name may be known later");
    }

    #[tokio::test]
    async fn a_fault_in_the_address_does_not_pass() {
        assert!(absence("mysql://nobody@127.0.0.1:1/nothing").await.is_err());
    }
}
