//! Service account of the sender: its key and its assertions.
//!
//! Google's documentation:
//! <https://developers.google.com/identity/protocols/oauth2/service-account>.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use reqwest::Url;
use rustls::{
    SignatureScheme,
    crypto::ring,
    pki_types::{PrivateKeyDer, pem::PemObject},
    sign::Signer,
};
use serde::{Deserialize, Serialize};

use crate::declaration::{self, Declaration, DeclarationError};

const SCOPE: &str = "https://www.googleapis.com/auth/firebase.messaging";
/// Lifetime of an assertion in seconds: the maximum that Google accepts.
const LIFETIME: i64 = 3600;

/// Service account.
pub(super) struct ServiceAccount {
    /// Token endpoint, which exchanges assertions for tokens.
    pub(super) token_url: Url,
    email: String,
    audience: String,
    key_id: Option<String>,
    signer: Box<dyn Signer>,
}

/// Relevant fields of a key file.
#[derive(Deserialize)]
struct KeyFile {
    client_email: String,
    private_key: String,
    private_key_id: Option<String>,
    #[serde(default = "usual_token_uri")]
    token_uri: String,
}

fn usual_token_uri() -> String {
    "https://oauth2.googleapis.com/token".to_owned()
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'static str,
    typ: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<&'a str>,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    scope: &'static str,
    aud: &'a str,
    iat: i64,
    exp: i64,
}

impl ServiceAccount {
    pub(super) fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let invalid = |problem: &str| declaration.invalid("credentials.service_account", problem);
        let json = declaration.credential("service_account")?.expose();
        // The error would quote the key.
        let file: KeyFile = serde_json::from_str(json)
            .map_err(|_| invalid("must be the JSON of a service account's key"))?;
        let signer = signer(&file.private_key)
            .ok_or_else(|| invalid("must hold an RSA private key of 2048 bits or more as PEM"))?;
        let url = declaration.option::<String>("token_url")?;
        let key = if url.is_some() { "options.token_url" } else { "credentials.service_account" };
        let token_url = Url::parse(url.as_deref().unwrap_or(&file.token_uri)).ok();
        let Some(token_url) = token_url.filter(declaration::is_http_without_user) else {
            let problem = "must name an http(s) URL without user for tokens";
            return Err(declaration.invalid(key, problem));
        };
        Ok(Self {
            token_url,
            email: file.client_email,
            audience: file.token_uri,
            key_id: file.private_key_id,
            signer,
        })
    }

    /// Returns a JSON Web Token (RFC 7519, RS256) that requests a token for the account at `now`.
    pub(super) fn sign_assertion(&self, now: DateTime<Utc>) -> Option<String> {
        let iat = now.timestamp();
        let claims = Claims {
            iss: &self.email,
            scope: SCOPE,
            aud: &self.audience,
            iat,
            exp: iat + LIFETIME,
        };
        let header = Header { alg: "RS256", typ: "JWT", kid: self.key_id.as_deref() };
        let header = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&header).ok()?);
        let claims = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&claims).ok()?);
        let signed = format!("{header}.{claims}");
        let signature = self.signer.sign(signed.as_bytes()).ok()?;
        Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// Returns the signer for RS256 (RFC 7518, section 3.3), which TLS calls `rsa_pkcs1_sha256`.
fn signer(pem: &str) -> Option<Box<dyn Signer>> {
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).ok()?;
    let key = ring::sign::any_supported_type(&key).ok()?;
    key.choose_scheme(&[SignatureScheme::RSA_PKCS1_SHA256])
}
