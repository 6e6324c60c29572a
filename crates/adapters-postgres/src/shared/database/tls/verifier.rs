//! Verification of servers' certificates without their names.

use rustls::{
    CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_cert_signed_by_trust_anchor,
    },
    crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::ParsedCertificate,
};

/// Verifier that checks the issuer of a certificate, if there are roots, and not its name. Without
/// roots a connection is safe from eavesdroppers, and not from attackers in between.
#[derive(Debug)]
pub(super) struct ChainVerifier {
    /// Trusted authorities; `None` accepts every issuer.
    pub(super) roots: Option<RootCertStore>,
    pub(super) algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for ChainVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(roots) = &self.roots {
            let parsed = ParsedCertificate::try_from(certificate)
                .map_err(|_| Error::InvalidCertificate(CertificateError::BadEncoding))?;
            let all = self.algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&parsed, roots, intermediates, now, all)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        signed: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(signed, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        signed: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(signed, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
