//! Secrets, administrators and registration.

use std::fmt;

use domain::identity::user::RegistrationRule;

use super::{ConfigError, Environment, Source, faults::Faults, invalid, switch};

const MIN_SECRET: usize = 32;
const JWT: &str = "ATUMPAN_JWT_SECRET";
const PREVIOUS_JWT: &str = "ATUMPAN_JWT_SECRET_PREVIOUS";
const SEAL: &str = "ATUMPAN_SEAL_SECRET";
const REGISTRATION: &str = "ATUMPAN_REGISTRATION";

/// Secrets, administrators and registration.
#[derive(Clone)]
pub struct Security {
    /// `ATUMPAN_ENV`, `development` or `production`.
    pub environment: Environment,
    /// `ATUMPAN_JWT_SECRET`, 32 bytes or more; in development it is generated once.
    pub jwt_secret: Option<String>,
    /// `ATUMPAN_JWT_SECRET_PREVIOUS`, 32 bytes or more: sessions that it signed hold too. It requires
    /// `ATUMPAN_SEAL_SECRET`.
    pub previous_jwt_secret: Option<String>,
    /// `ATUMPAN_SEAL_SECRET`, 32 bytes or more: seals the secrets of second factors in the database;
    /// unset, the secret that signs sessions does.
    pub seal_secret: Option<String>,
    /// `ATUMPAN_LINK_SECRET`, 32 bytes or more: signs unsubscribe links; unset, a generated key in
    /// the database signs them.
    pub link_secret: Option<String>,
    /// `ATUMPAN_CALLBACK_SECRET`, 32 bytes or more: the tokens in the addresses that vendors call are
    /// derived from it; unset, from a generated key in the database.
    pub callback_secret: Option<String>,
    /// `ATUMPAN_ADMIN_EMAIL` and `ATUMPAN_ADMIN_PASSWORD`: platform administrator that exists after
    /// start.
    pub admin: Option<Admin>,
    /// `ATUMPAN_EMAIL_VERIFICATION`, `on` or `off`: true if new users are mailed a link that
    /// verifies their address, which owners, administrators and inviters then need.
    pub email_verification: bool,
    /// `ATUMPAN_REGISTRATION`, `open`, `invited` or `closed`, by default `open`: people who may
    /// register.
    pub registration: RegistrationRule,
}

impl fmt::Debug for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Security").field("environment", &self.environment).finish_non_exhaustive()
    }
}

/// Platform administrator.
#[derive(Clone)]
pub struct Admin {
    /// Address to sign in with.
    pub email: String,
    /// Password of a new administrator.
    pub password: String,
}

impl Security {
    pub(super) fn read(source: &Source, environment: Environment, faults: &mut Faults) -> Self {
        Self {
            environment,
            jwt_secret: faults.take(jwt_secret(source, environment), None),
            previous_jwt_secret: faults.take(secret(source, PREVIOUS_JWT), None),
            seal_secret: faults.take(seal_secret(source), None),
            link_secret: faults.take(secret(source, "ATUMPAN_LINK_SECRET"), None),
            callback_secret: faults.take(secret(source, "ATUMPAN_CALLBACK_SECRET"), None),
            admin: faults.take(admin(source), None),
            email_verification: faults.take(switch(source, "ATUMPAN_EMAIL_VERIFICATION"), true),
            registration: faults.take(registration(source), RegistrationRule::Closed),
        }
    }
}

fn secret(source: &Source, variable: &'static str) -> Result<Option<String>, ConfigError> {
    let secret = source.get(variable);
    if secret.as_ref().is_some_and(|secret| secret.len() < MIN_SECRET) {
        return Err(invalid(variable, "must have at least 32 bytes"));
    }
    Ok(secret)
}

fn jwt_secret(source: &Source, environment: Environment) -> Result<Option<String>, ConfigError> {
    let secret = secret(source, JWT)?;
    if secret.is_none() && environment == Environment::Production {
        return Err(invalid(JWT, "must be set in production"));
    }
    Ok(secret)
}

/// Reads the secret that seals. Without one the secret of sessions seals, and what it sealed could not
/// be opened any more once another one signs them.
fn seal_secret(source: &Source) -> Result<Option<String>, ConfigError> {
    let secret = secret(source, SEAL)?;
    if secret.is_none() && source.get(PREVIOUS_JWT).is_some() {
        let problem = format!(
            "must be set with {PREVIOUS_JWT}: to the secret that signed sessions first, if it was \
             never set"
        );
        return Err(invalid(SEAL, problem));
    }
    Ok(secret)
}

fn admin(source: &Source) -> Result<Option<Admin>, ConfigError> {
    match (source.get("ATUMPAN_ADMIN_EMAIL"), source.get("ATUMPAN_ADMIN_PASSWORD")) {
        (Some(email), Some(password)) => Ok(Some(Admin { email, password })),
        (Some(_), None) => {
            Err(invalid("ATUMPAN_ADMIN_PASSWORD", "must be set with ATUMPAN_ADMIN_EMAIL"))
        }
        (None, _) => Ok(None),
    }
}

fn registration(source: &Source) -> Result<RegistrationRule, ConfigError> {
    match source.get(REGISTRATION).as_deref() {
        None | Some("open") => Ok(RegistrationRule::Open),
        Some("invited") => Ok(RegistrationRule::Invited),
        Some("closed") => Ok(RegistrationRule::Closed),
        Some(_) => Err(invalid(REGISTRATION, "must be open, invited or closed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "0123456789abcdef0123456789abcdef";
    const NEW: &str = "fedcba9876543210fedcba9876543210";

    fn read(pairs: &[(&str, &str)]) -> Result<Security, String> {
        let mut faults = Faults::default();
        let read = Security::read(&Source::of(pairs, ""), Environment::Production, &mut faults);
        faults.refuse(read).map_err(|faults| faults.to_string())
    }

    #[test]
    fn a_previous_secret_of_sessions_requires_the_secret_that_seals() {
        let both = [(JWT, NEW), (PREVIOUS_JWT, OLD)];
        let error = read(&both).unwrap_err();
        assert!(error.starts_with("ATUMPAN_SEAL_SECRET must be set with "), "{error}");
        assert!(!error.contains(OLD) && !error.contains(NEW), "{error}");

        let security = read(&[&both[..], &[(SEAL, OLD)]].concat()).unwrap();

        assert_eq!(security.jwt_secret.as_deref(), Some(NEW));
        assert_eq!(security.previous_jwt_secret.as_deref(), Some(OLD));
    }
}
