//! Where a database is, as it may be shown.

use std::{fmt, path::Path};

use tokio_postgres::{Config, config::Host};

use crate::connections::ConfigError;

const PORT: u16 = 5_432;

/// The servers and the name of a database: nothing of its user or password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseAddress {
    servers: Vec<String>,
    name: String,
}

impl DatabaseAddress {
    /// The address in `url`, a `postgres://…` URL or a list of `key=value` pairs.
    pub fn of(url: &str) -> Result<Self, ConfigError> {
        let config: Config = url.parse().map_err(ConfigError::Url)?;
        let port = |index: usize| match config.get_ports() {
            [] => PORT,
            [only] => *only,
            several => several.get(index).copied().unwrap_or(PORT),
        };
        let hosts = config.get_hosts().iter().enumerate();
        let servers = hosts.map(|(index, host)| server(host, port(index))).collect();
        let name = config.get_dbname().or(config.get_user()).unwrap_or_default().to_owned();
        Ok(Self { servers, name })
    }
}

fn server(host: &Host, port: u16) -> String {
    match host {
        Host::Tcp(name) if name.contains(':') => format!("[{name}]:{port}"),
        Host::Tcp(name) => format!("{name}:{port}"),
        #[cfg(unix)]
        Host::Unix(folder) => Path::new(folder).display().to_string(),
    }
}

impl fmt::Display for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.servers.join(","), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        DatabaseAddress::of(url).unwrap().to_string()
    }

    #[test]
    fn host_port_and_name_are_shown_and_no_user_or_password() {
        assert_eq!(shown("postgres://kofi:s3cret@db.example/shop"), "db.example:5432/shop");
        assert_eq!(
            shown("host=db.example port=6432 user=kofi password=s3cret"),
            "db.example:6432/kofi"
        );
        assert_eq!(shown("postgres://kofi:s3cret@a:1,b:2/shop"), "a:1,b:2/shop");
        assert_eq!(shown("postgres:///shop?host=/run/postgresql"), "/run/postgresql/shop");
    }
}
