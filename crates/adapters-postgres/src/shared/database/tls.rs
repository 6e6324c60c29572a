//! TLS to the server, configured as for `libpq`: by `sslmode` and `sslrootcert` in the address.
//!
//! | `sslmode` | the connection is | the certificate is checked |
//! |---|---|---|
//! | `disable` | in clear | |
//! | `allow`, `prefer` (the default) | encrypted if both support it | |
//! | `require` | encrypted | only against `sslrootcert`, if that is given |
//! | `verify-ca` | encrypted | its issuer |
//! | `verify-full` | encrypted | its issuer and the name of the host |
//!
//! `sslrootcert` is a file of certificates, or `system` for those that the machine trusts, which are
//! also the default; `SSL_CERT_FILE` names others. No connection through a socket is encrypted.

mod verifier;

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use thiserror::Error;
use tokio_postgres::config::SslMode as Encryption;
use tokio_postgres_rustls::MakeRustlsConnect;

use self::verifier::ChainVerifier;

/// Settings of TLS in the address that cannot be followed.
#[derive(Debug, Error)]
pub enum TlsError {
    /// The mode is none of those that `libpq` has.
    #[error("sslmode must be disable, allow, prefer, require, verify-ca or verify-full")]
    Mode,
    /// The machine trusts many issuers, any of which could sign for an impostor of the server.
    #[error("sslrootcert=system needs sslmode=verify-full")]
    Weak,
    /// The file with the certificates cannot be read, or holds none.
    #[error("sslrootcert: {path} {problem}")]
    Root {
        /// Path of the file.
        path: String,
        /// Description of the fault.
        problem: String,
    },
    /// The TLS library refused the settings.
    #[error("TLS cannot be set up")]
    Library(#[from] rustls::Error),
}

/// Meaning of `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SslMode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// Settings of TLS in the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsSettings {
    pub(crate) mode: SslMode,
    root: Option<String>,
}

const SYSTEM: &str = "system";

impl TlsSettings {
    /// Reads the two parameters.
    pub(crate) fn read(mode: Option<&str>, root: Option<String>) -> Result<Self, TlsError> {
        let is_system = root.as_deref() == Some(SYSTEM);
        let mode = match mode {
            None if is_system => SslMode::VerifyFull,
            None | Some("prefer" | "allow") => SslMode::Prefer,
            Some("disable") => SslMode::Disable,
            Some("require") => SslMode::Require,
            Some("verify-ca") => SslMode::VerifyCa,
            Some("verify-full") => SslMode::VerifyFull,
            Some(_) => return Err(TlsError::Mode),
        };
        if is_system && mode != SslMode::VerifyFull {
            return Err(TlsError::Weak);
        }
        Ok(Self { mode, root: root.filter(|root| root != SYSTEM) })
    }

    /// True if the certificate is checked in any way.
    pub(crate) fn is_verified(&self) -> bool {
        let is_asked_for = self.mode == SslMode::Require && self.root.is_some();
        self.mode >= SslMode::VerifyCa || is_asked_for
    }

    /// Returns the encryption that the connection must have.
    pub(crate) fn encryption(&self) -> Encryption {
        match self.mode {
            SslMode::Disable => Encryption::Disable,
            SslMode::Prefer => Encryption::Prefer,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Encryption::Require,
        }
    }

    /// Returns a connector with these settings; `None` if no connection is encrypted.
    pub(crate) fn connector(&self) -> Result<Option<MakeRustlsConnect>, TlsError> {
        if self.mode == SslMode::Disable {
            return Ok(None);
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let algorithms = provider.signature_verification_algorithms;
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions()?;
        let config = if self.mode == SslMode::VerifyFull {
            builder.with_root_certificates(self.roots()?).with_no_client_auth()
        } else {
            let roots = if self.is_verified() { Some(self.roots()?) } else { None };
            let verifier = Arc::new(ChainVerifier { roots, algorithms });
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        };
        Ok(Some(MakeRustlsConnect::new(config)))
    }

    fn roots(&self) -> Result<RootCertStore, TlsError> {
        let mut roots = RootCertStore::empty();
        match &self.root {
            Some(path) => roots.add_parsable_certificates(read_certificates(path)?),
            None => roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
        };
        match &self.root {
            Some(path) if roots.is_empty() => {
                Err(TlsError::Root { path: path.clone(), problem: "has no certificate".to_owned() })
            }
            _ => Ok(roots),
        }
    }
}

fn read_certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let problem = |error: &dyn std::fmt::Display| TlsError::Root {
        path: path.to_owned(),
        problem: format!("cannot be read: {error}"),
    };
    let certificates =
        CertificateDer::pem_file_iter(Path::new(path)).map_err(|error| problem(&error))?;
    certificates.collect::<Result<_, _>>().map_err(|error| problem(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mode: Option<&str>, root: Option<&str>) -> Result<SslMode, String> {
        let settings = TlsSettings::read(mode, root.map(str::to_owned));
        settings.map(|settings| settings.mode).map_err(|error| error.to_string())
    }

    #[test]
    fn every_mode_of_libpq_is_known_and_prefer_is_the_default() {
        for (mode, expected) in [
            (None, SslMode::Prefer),
            (Some("disable"), SslMode::Disable),
            (Some("allow"), SslMode::Prefer),
            (Some("prefer"), SslMode::Prefer),
            (Some("require"), SslMode::Require),
            (Some("verify-ca"), SslMode::VerifyCa),
            (Some("verify-full"), SslMode::VerifyFull),
        ] {
            assert_eq!(read(mode, None), Ok(expected));
        }
        assert!(read(Some("maybe"), None).unwrap_err().contains("verify-full"));
    }

    #[test]
    fn system_certificates_require_a_checked_host() {
        assert_eq!(read(None, Some("system")), Ok(SslMode::VerifyFull));
        assert_eq!(read(Some("verify-full"), Some("system")), Ok(SslMode::VerifyFull));
        for weak in ["disable", "prefer", "require", "verify-ca"] {
            let error = read(Some(weak), Some("system")).unwrap_err();
            assert_eq!(error, "sslrootcert=system needs sslmode=verify-full");
        }
    }

    #[test]
    fn a_file_that_holds_no_certificate_is_named() {
        let missing = TlsSettings::read(Some("verify-ca"), Some("/nowhere/ca.pem".to_owned()));
        let error = missing.unwrap().connector().err().unwrap().to_string();
        assert!(error.starts_with("sslrootcert: /nowhere/ca.pem cannot be read: "), "{error}");
        let empty = TlsSettings::read(Some("require"), Some("/dev/null".to_owned()));
        let error = empty.unwrap().connector().err().unwrap().to_string();
        assert_eq!(error, "sslrootcert: /dev/null has no certificate");
    }
}
