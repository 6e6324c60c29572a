//! Address of a mail server, and connections to it.

use std::{fs, time::Duration};

use lettre::transport::smtp::{
    Error,
    authentication::{Credentials, Mechanism},
    client::{AsyncSmtpConnection, Certificate, TlsParameters},
    extension::ClientId,
};
use reqwest::Url;

use super::reply::Phase;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// Mail server.
pub(super) struct Server {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<Credentials>,
    hello: ClientId,
}

/// Encryption of a connection.
enum Security {
    Never,
    /// `STARTTLS`, if the server offers it.
    IfOffered(TlsParameters),
    /// `STARTTLS`, required.
    Upgraded(TlsParameters),
    /// TLS from the first byte.
    Always(TlsParameters),
}

impl Server {
    /// Reads `smtp://host:port` or `smtps://host:port`.
    ///
    /// `?tls=none|opportunistic|required` sets the encryption of `smtp`; the default is `none` on
    /// this machine and `required` elsewhere. `ca=/path.pem` names additional certificates to
    /// trust. The error is phrased to follow the name of the key.
    pub(super) fn new(url: &str, credentials: Option<Credentials>) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|error| format!("is not a URL: {error}"))?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("names no host")?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold credentials".to_owned());
        }
        let query = Query::read(&url)?;
        let security = query.security(url.scheme(), &host)?;
        let port = url.port().unwrap_or(security.usual_port());
        Ok(Self { host, port, security, credentials, hello: ClientId::default() })
    }

    /// Connects, encrypts and authenticates. `phase` records the progress.
    pub(super) async fn connect(&self, phase: &mut Phase) -> Result<AsyncSmtpConnection, Error> {
        *phase = Phase::Connecting;
        let implicit = match &self.security {
            Security::Always(tls) => Some(tls.clone()),
            _ => None,
        };
        let address = (self.host.as_str(), self.port);
        let timeout = Some(CONNECT_TIMEOUT);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(address, timeout, &self.hello, implicit, None)
                .await?;
        match &self.security {
            Security::Upgraded(tls) => connection.starttls(tls.clone(), &self.hello).await?,
            Security::IfOffered(tls) if connection.can_starttls() => {
                connection.starttls(tls.clone(), &self.hello).await?;
            }
            _ => {}
        }
        if let Some(credentials) = &self.credentials {
            *phase = Phase::Authenticating;
            connection.auth(&MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }
}

impl Security {
    const fn usual_port(&self) -> u16 {
        match self {
            Self::Never => 25,
            Self::IfOffered(_) | Self::Upgraded(_) => 587,
            Self::Always(_) => 465,
        }
    }
}

/// Parameters of the address after host and port.
#[derive(Default)]
struct Query {
    tls: Option<String>,
    authority: Option<String>,
}

impl Query {
    fn read(url: &Url) -> Result<Self, String> {
        let mut query = Self::default();
        for (key, value) in url.query_pairs() {
            match key.as_ref() {
                "tls" => query.tls = Some(value.into_owned()),
                "ca" => query.authority = Some(value.into_owned()),
                _ => return Err(format!("has an unknown parameter {key:?}")),
            }
        }
        Ok(query)
    }

    fn security(&self, scheme: &str, host: &str) -> Result<Security, String> {
        let usual = if is_this_machine(host) { "none" } else { "required" };
        match (scheme, self.tls.as_deref()) {
            ("smtps", None) => self.parameters(host).map(Security::Always),
            ("smtp", tls) => match tls.unwrap_or(usual) {
                "none" => Ok(Security::Never),
                "opportunistic" => self.parameters(host).map(Security::IfOffered),
                "required" => self.parameters(host).map(Security::Upgraded),
                _ => Err("has a tls other than none, opportunistic, required".to_owned()),
            },
            ("smtps", Some(_)) => Err("must not have tls with smtps".to_owned()),
            _ => Err("must begin with smtp:// or smtps://".to_owned()),
        }
    }

    fn parameters(&self, host: &str) -> Result<TlsParameters, String> {
        let mut builder = TlsParameters::builder(host.to_owned());
        if let Some(path) = &self.authority {
            let unreadable = |error: &dyn std::fmt::Display| format!("names {path}: {error}");
            let pem = fs::read(path).map_err(|error| unreadable(&error))?;
            let certificate = Certificate::from_pem(&pem).map_err(|error| unreadable(&error))?;
            builder = builder.add_root_certificate(certificate);
        }
        builder.build_rustls().map_err(|error| format!("cannot be used with TLS: {error}"))
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> (String, u16, &'static str) {
        let server = Server::new(url, None).unwrap();
        let security = match server.security {
            Security::Never => "never",
            Security::IfOffered(_) => "if offered",
            Security::Upgraded(_) => "upgraded",
            Security::Always(_) => "always",
        };
        (server.host, server.port, security)
    }

    #[test]
    fn an_address_has_the_server_and_the_encryption() {
        for (url, host, port, security) in [
            ("smtp://mail.example.com", "mail.example.com", 587, "upgraded"),
            ("smtp://mail.example.com:2525?tls=none", "mail.example.com", 2525, "never"),
            ("smtp://mail?tls=opportunistic", "mail", 587, "if offered"),
            ("smtp://127.0.0.1:2525", "127.0.0.1", 2525, "never"),
            ("smtp://localhost", "localhost", 25, "never"),
            ("smtp://[::1]?tls=required", "::1", 587, "upgraded"),
            ("smtps://mail.example.com/", "mail.example.com", 465, "always"),
        ] {
            assert_eq!(read(url), (host.to_owned(), port, security), "{url}");
        }
    }

    #[test]
    fn invalid_addresses_are_refused() {
        for (url, problem) in [
            ("mail.example.com", "is not a URL"),
            ("http://mail.example.com", "must begin with smtp"),
            ("smtp://", "names no host"),
            ("smtp://u:p@mail.example.com", "must not hold credentials"),
            ("smtp://mail.example.com?tls=maybe", "has a tls other than"),
            ("smtps://mail.example.com?tls=none", "must not have tls"),
            ("smtp://mail.example.com?cert=x", "has an unknown parameter \"cert\""),
            ("smtps://mail.example.com?ca=/no/such.pem", "names /no/such.pem: "),
        ] {
            let error = Server::new(url, None).err().unwrap();
            assert!(error.starts_with(problem), "{url}: {error}");
        }
    }
}
