//! Address of a database, without secrets.

use std::{fmt, net::IpAddr, path::Path};

use tokio_postgres::config::Host;

use crate::shared::database::{config_error::ConfigError, parameters::Parameters, tls::SslMode};

const PORT: u16 = 5_432;

/// Servers and name of a database, without user and password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseAddress {
    servers: Vec<String>,
    name: String,
    safety: Safety,
}

/// Safety of the connection to a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Safety {
    /// The connection stays on the machine, or the server's identity is verified.
    Safe,
    /// The connection is encrypted, and the server's identity is not verified.
    Unverified,
    /// The connection is in clear, or would be if the server, or an attacker in between, wished so.
    Clear,
}

impl DatabaseAddress {
    /// Parses the address in `url`, a `postgres://…` URL or a list of `key=value` pairs.
    pub fn of(url: &str) -> Result<Self, ConfigError> {
        let Parameters { config, tls } = Parameters::read(url)?;
        let port = |index: usize| match config.get_ports() {
            [] => PORT,
            [only] => *only,
            several => several.get(index).copied().unwrap_or(PORT),
        };
        let hosts = config.get_hosts().iter().enumerate();
        let servers = hosts.map(|(index, host)| server(host, port(index))).collect();
        let name = config.get_dbname().or(config.get_user()).unwrap_or_default().to_owned();
        let safety = match tls.mode {
            _ if config.get_hosts().iter().all(is_local) => Safety::Safe,
            SslMode::Disable | SslMode::Prefer => Safety::Clear,
            SslMode::Require if !tls.is_verified() => Safety::Unverified,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Safety::Safe,
        };
        Ok(Self { servers, name, safety })
    }

    /// Returns the safety of the connection.
    pub fn safety(&self) -> Safety {
        self.safety
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
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
    #[test]
    fn a_remote_connection_is_safe_only_if_the_server_is_verified() {
        for (url, expected) in [
            ("postgres:///shop?host=/run/postgresql", Safety::Safe),
            ("postgres://localhost/shop", Safety::Safe),
            ("postgres://127.0.0.1,[::1]/shop?sslmode=disable", Safety::Safe),
            ("postgres://127.0.0.1,db.example/shop", Safety::Clear),
            ("postgres://db.example/shop?sslmode=prefer", Safety::Clear),
            ("postgres://10.0.0.5/shop?sslmode=disable", Safety::Clear),
            ("postgres://db.example/shop?sslmode=require", Safety::Unverified),
            ("postgres://db.example/shop?sslmode=require&sslrootcert=/ca.pem", Safety::Safe),
            ("postgres://db.example/shop?sslmode=verify-ca&sslrootcert=/ca.pem", Safety::Safe),
            ("postgres://db.example/shop?sslmode=verify-full", Safety::Safe),
        ] {
            assert_eq!(DatabaseAddress::of(url).unwrap().safety(), expected, "{url}");
        }
    }
}
