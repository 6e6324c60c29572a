//! Tokens of sessions: JSON web tokens, signed with HS256 and nothing else.

use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};
use domain::identity::session::{Claims, Impersonation};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use ports::identity::auth::{TokenError, TokenIssuer};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Writes and reads tokens with secrets that all instances share.
pub struct JwtIssuer {
    keys: RwLock<Arc<Keys>>,
    validation: Validation,
}

/// Keys of the secrets that hold at a time.
struct Keys {
    signing: EncodingKey,
    /// Key of the same secret.
    verifying: DecodingKey,
    /// Key of another secret whose tokens are accepted.
    previous: Option<DecodingKey>,
}

impl Keys {
    fn new(secret: &[u8], previous: Option<&[u8]>) -> Self {
        Self {
            signing: EncodingKey::from_secret(secret),
            verifying: DecodingKey::from_secret(secret),
            previous: previous.map(DecodingKey::from_secret),
        }
    }
}

/// Claims in a token; times in seconds since 1970.
#[derive(Serialize, Deserialize)]
struct ClaimsView {
    sub: Uuid,
    iat: i64,
    exp: i64,
    jti: Uuid,
    ver: i32,
    /// Session to which the token belongs; absent if it has the identifier of the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sid: Option<Uuid>,
    /// Audience; absent in ordinary sessions. A program that does not support impersonation refuses
    /// a token with an audience.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    aud: Option<String>,
    /// Organization as which an administrator acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    org: Option<Uuid>,
    /// End of the session that the impersonation came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<i64>,
}

/// Audience of a token with which an administrator acts as an organization.
const IMPERSONATION: &str = "impersonation";

impl JwtIssuer {
    /// Signs with `secret`, which should have 32 bytes at least.
    pub fn new(secret: &[u8]) -> Self {
        Self::with_previous(secret, None)
    }

    /// Signs with `secret`, and also accepts tokens that were signed with `previous`.
    pub fn with_previous(secret: &[u8], previous: Option<&[u8]>) -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        // The use case checks the times, with its own clock and no leeway.
        validation.validate_exp = false;
        // The audience is checked with the claims that go with it.
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        Self { keys: RwLock::new(Arc::new(Keys::new(secret, previous))), validation }
    }

    /// Replaces the secrets for all tokens that are written and read from now on.
    pub fn replace(&self, secret: &[u8], previous: Option<&[u8]>) {
        let keys = Arc::new(Keys::new(secret, previous));
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
    }

    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the claims of a token that one of the secrets signed.
    fn verified(&self, token: &str) -> Result<ClaimsView, TokenError> {
        let keys = self.keys();
        for key in [Some(&keys.verifying), keys.previous.as_ref()].into_iter().flatten() {
            let read = jsonwebtoken::decode::<ClaimsView>(token, key, &self.validation);
            if let Ok(read) = read {
                return Ok(read.claims);
            }
        }
        Err(TokenError)
    }
}

impl TokenIssuer for JwtIssuer {
    fn issue(&self, claims: &Claims) -> Result<String, TokenError> {
        let impersonation = claims.impersonation;
        let claims = ClaimsView {
            sub: claims.user.uuid(),
            iat: claims.issued_at.timestamp(),
            exp: claims.expires_at.timestamp(),
            jti: claims.id,
            ver: claims.version,
            sid: Some(claims.session.uuid()).filter(|session| *session != claims.id),
            aud: impersonation.map(|_| IMPERSONATION.to_owned()),
            org: impersonation.map(|it| it.organization.uuid()),
            until: impersonation.map(|it| it.session_ends_at.timestamp()),
        };
        let header = Header::new(Algorithm::HS256);
        jsonwebtoken::encode(&header, &claims, &self.keys().signing).map_err(|_| TokenError)
    }

    fn read(&self, token: &str) -> Result<Claims, TokenError> {
        let claims = self.verified(token)?;
        let impersonation = match (claims.aud.as_deref(), claims.org, claims.until) {
            (None, None, None) => None,
            (Some(IMPERSONATION), Some(organization), Some(until)) => Some(Impersonation {
                organization: organization.into(),
                session_ends_at: time(until)?,
            }),
            _ => return Err(TokenError),
        };
        Ok(Claims {
            user: claims.sub.into(),
            id: claims.jti,
            session: claims.sid.unwrap_or(claims.jti).into(),
            issued_at: time(claims.iat)?,
            expires_at: time(claims.exp)?,
            version: claims.ver,
            impersonation,
        })
    }
}

fn time(seconds: i64) -> Result<DateTime<Utc>, TokenError> {
    DateTime::from_timestamp(seconds, 0).ok_or(TokenError)
}

#[cfg(test)]
mod tests {
    use domain::shared::id::Id;
    use serde_json::json;

    use super::*;

    const SECRET: &[u8] = b"a secret of thirty-two bytes, ok";

    fn claims() -> Claims {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        Claims {
            user: Id::floor(now),
            id: Uuid::nil(),
            session: Id::of(Uuid::nil()),
            issued_at: now,
            expires_at: now + domain::identity::session::LIFETIME,
            version: 3,
            impersonation: None,
        }
    }

    fn impersonating() -> Claims {
        claims().impersonate(Id::floor(claims().issued_at), claims().issued_at)
    }

    fn impersonation(aud: &serde_json::Value, org: impl Serialize) -> serde_json::Value {
        json!({
            "sub": Uuid::nil(), "iat": 1, "exp": 2, "jti": Uuid::nil(), "ver": 1, "aud": aud,
            "org": org, "until": 3,
        })
    }

    fn signed(header: &Header, claims: &serde_json::Value, secret: &[u8]) -> String {
        jsonwebtoken::encode(header, claims, &EncodingKey::from_secret(secret)).unwrap()
    }

    #[test]
    fn a_token_reads_back_as_what_was_issued_even_when_it_is_old() {
        let issuer = JwtIssuer::new(SECRET);
        let token = issuer.issue(&claims()).unwrap();
        assert_eq!(issuer.read(&token).unwrap(), claims());
        let impersonating = impersonating();
        let token = issuer.issue(&impersonating).unwrap();
        assert_eq!(issuer.read(&token).unwrap(), impersonating);
    }

    #[test]
    fn tokens_of_the_previous_secret_are_accepted_while_it_is_named() {
        let new: &[u8] = b"a newer secret of thirty-two bytes";
        let of_old = JwtIssuer::new(SECRET).issue(&claims()).unwrap();
        let issuer = JwtIssuer::new(SECRET);
        assert!(issuer.read(&of_old).is_ok());

        issuer.replace(new, Some(SECRET));
        let of_new = issuer.issue(&claims()).unwrap();
        assert!(issuer.read(&of_old).is_ok() && issuer.read(&of_new).is_ok());
        assert!(JwtIssuer::new(SECRET).read(&of_new).is_err(), "the new secret signs");

        issuer.replace(new, None);
        assert!(issuer.read(&of_old).is_err() && issuer.read(&of_new).is_ok());
    }

    #[test]
    fn a_token_of_an_impersonation_is_never_read_as_an_ordinary_one() {
        let token = JwtIssuer::new(SECRET).issue(&impersonating()).unwrap();
        // Validation from before there were impersonations.
        let mut validation = Validation::new(Algorithm::HS256);
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(SECRET);
        assert!(jsonwebtoken::decode::<serde_json::Value>(&token, &key, &validation).is_err());
    }

    #[test]
    fn a_token_that_was_tampered_with_is_refused() {
        let issuer = JwtIssuer::new(SECRET);
        let token = issuer.issue(&claims()).unwrap();
        let other = issuer.issue(&Claims { version: 4, ..claims() }).unwrap();

        let parts: Vec<_> = token.split('.').collect();
        let claims_of_other = other.split('.').nth(1).unwrap();
        let forged = format!("{}.{claims_of_other}.{}", parts[0], parts[2]);
        assert!(issuer.read(&forged).is_err());
        assert!(JwtIssuer::new(b"another secret").read(&token).is_err());
        assert!(issuer.read("").is_err());
    }

    #[test]
    fn a_token_without_signature_is_refused() {
        let issuer = JwtIssuer::new(SECRET);
        let token = issuer.issue(&claims()).unwrap();
        let claims = token.split('.').nth(1).unwrap();

        // {"typ":"JWT","alg":"none"}
        let header = "eyJ0eXAiOiJKV1QiLCJhbGciOiJub25lIn0";
        assert!(issuer.read(&format!("{header}.{claims}.")).is_err());
        assert!(issuer.read(&format!("{header}.{claims}")).is_err());
    }

    #[test]
    fn another_algorithm_is_refused_under_the_same_secret() {
        let user = claims().user.uuid();
        let claims = json!({ "sub": user, "iat": 1, "exp": 2, "jti": Uuid::nil(), "ver": 1 });

        assert!(
            JwtIssuer::new(SECRET).read(&signed(&Header::default(), &claims, SECRET)).is_ok(),
            "the claims themselves are in order"
        );
        for algorithm in [Algorithm::HS384, Algorithm::HS512] {
            let token = signed(&Header::new(algorithm), &claims, SECRET);
            assert!(JwtIssuer::new(SECRET).read(&token).is_err(), "{algorithm:?}");
        }
    }

    #[test]
    fn claims_that_are_missing_or_malformed_are_refused() {
        let issuer = JwtIssuer::new(SECRET);
        for claims in [
            json!({}),
            json!({ "sub": "root", "iat": 1, "exp": 2, "jti": Uuid::nil(), "ver": 1 }),
            json!({ "sub": Uuid::nil(), "iat": 1, "jti": Uuid::nil(), "ver": 1 }),
            json!({ "sub": Uuid::nil(), "iat": 1, "exp": i64::MAX, "jti": Uuid::nil(), "ver": 1 }),
            impersonation(&json!("another"), Uuid::nil()),
            impersonation(&json!(["impersonation"]), Uuid::nil()),
            impersonation(&json!(null), Uuid::nil()),
            impersonation(&json!("impersonation"), "kente"),
        ] {
            let token = signed(&Header::default(), &claims, SECRET);
            assert!(issuer.read(&token).is_err(), "{claims}");
        }
    }
}
