//! Second factors of users: codes of an authenticator app, and recovery codes.

use std::{net::IpAddr, sync::Arc};

use domain::{
    identity::{
        second_factor::{RECOVERY_CODES, RecoveryCode, TotpSecret},
        user::User,
    },
    shared::fault::Faults,
};
use ports::{
    identity::{
        auth::{PasswordHasher, UserRepository},
        second_factors::{SecondFactorRepository, StoredFactor},
    },
    shared::{
        clock::Clock,
        random::Random,
        sealer::{SealError, Sealer},
    },
};

use crate::{
    Error, Reason,
    identity::{
        login_attempts::count_attempt,
        required_text::{refuse_nul, required},
    },
    shared::digest,
};

/// The login needs a code beside the password.
pub const SECOND_FACTOR_REQUIRED: Reason = Reason::new(
    "SECOND_FACTOR_REQUIRED",
    "the password is right, and a code of the authenticator app is required as `code`, or a \
     recovery code as `recoveryCode`",
);
/// The code of a login is wrong.
pub const WRONG_SECOND_FACTOR: Reason =
    Reason::new("SECOND_FACTOR_REQUIRED", "the code is wrong, or was used before");
/// A platform administrator has no second factor.
pub const SECOND_FACTOR_MISSING: Reason = Reason::new(
    "SECOND_FACTOR_REQUIRED",
    "a platform administrator needs a second factor: set it up with `POST /auth/totp`",
);
/// The user has a second factor.
pub const SECOND_FACTOR_EXISTS: Reason = Reason::new(
    "SECOND_FACTOR_EXISTS",
    "there is a second factor already: remove it with `POST /auth/totp/remove`",
);

/// Fault of a wrong password, and of a wrong code.
const WRONG: &str = "is wrong";
const WRONG_CODE: &str = "is wrong, or was used before";
/// Name of the resource.
const SECOND_FACTOR: &str = "second factor";

/// Operations on the second factors of users.
#[derive(Clone)]
pub struct SecondFactors {
    deps: Arc<SecondFactorsDeps>,
}

/// Dependencies of [`SecondFactors`].
pub struct SecondFactorsDeps {
    /// Store of second factors.
    pub repository: Arc<dyn SecondFactorRepository>,
    /// Counters of failed sign-ins.
    pub users: Arc<dyn UserRepository>,
    /// Hasher of passwords.
    pub passwords: Arc<dyn PasswordHasher>,
    /// Sealer of the secrets.
    pub sealer: Arc<dyn Sealer>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of secrets.
    pub random: Arc<dyn Random>,
    /// True if platform administrators can do nothing else without a second factor.
    pub are_required: bool,
}

/// Proof that a person has the second factor. `code` takes precedence.
#[derive(Clone, Default)]
pub struct Proof {
    /// Code of the app.
    pub code: Option<String>,
    /// Recovery code.
    pub recovery_code: Option<String>,
}

/// Secret that the user enters into an app.
#[derive(Clone)]
pub struct Enrolment {
    /// Secret in base32.
    pub secret: String,
    /// Address with the secret that an app reads as a QR code.
    pub uri: String,
}

impl SecondFactors {
    /// Creates the operations from their dependencies.
    pub fn new(deps: SecondFactorsDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Makes a secret for an app of the user. Logins need no code before it is
    /// [confirmed](Self::confirm). `found` holds the faults found so far.
    pub async fn propose(
        &self,
        user: &User,
        password: Option<String>,
        address: IpAddr,
        mut found: Faults,
    ) -> Result<Enrolment, Error> {
        let password = required("password", password, &mut found);
        let password = found.require(password)?;
        if user.second_factor_at.is_some() {
            return Err(Error::Conflict(SECOND_FACTOR_EXISTS));
        }
        let address = address.to_string();
        self.count_attempt(user, &address).await?;
        self.check_password(user, password).await?;
        self.deps.users.forget_logins(&user.email, &address).await?;
        let secret = TotpSecret::new(&self.deps.random.secret());
        let sealed = self.deps.sealer.seal(secret.as_bytes(), user.id.uuid().as_bytes())?;
        if !self.deps.repository.propose(user.id, &sealed, self.deps.clock.now()).await? {
            return Err(Error::Conflict(SECOND_FACTOR_EXISTS));
        }
        Ok(Enrolment { secret: secret.to_base32(), uri: secret.uri(&user.email) })
    }

    /// Confirms with its first code that an app has the secret, and returns the recovery codes.
    /// `found` holds the faults found so far.
    pub async fn confirm(
        &self,
        user: &User,
        code: Option<String>,
        address: IpAddr,
        mut found: Faults,
    ) -> Result<Vec<RecoveryCode>, Error> {
        let code = required("code", code, &mut found);
        let code = found.require(code)?;
        if user.second_factor_at.is_some() {
            return Err(Error::Conflict(SECOND_FACTOR_EXISTS));
        }
        let factor =
            self.deps.repository.find(user.id).await?.ok_or(Error::NotFound(SECOND_FACTOR))?;
        let address = address.to_string();
        self.count_attempt(user, &address).await?;
        let step = self.step(user, &factor, &code)?;
        let step = step.ok_or_else(|| Faults::field("code", WRONG_CODE))?;
        let codes: Vec<_> =
            (0..RECOVERY_CODES).map(|_| RecoveryCode::new(&self.deps.random.secret())).collect();
        let hashes: Vec<_> = codes.iter().map(|code| hash(user, code)).collect();
        let now = self.deps.clock.now();
        if !self.deps.repository.confirm(user.id, &factor, step, &hashes, now).await? {
            return Err(Error::Conflict(SECOND_FACTOR_EXISTS));
        }
        self.deps.users.forget_logins(&user.email, &address).await?;
        tracing::info!(user = %user.id, "a second factor was confirmed");
        Ok(codes)
    }

    /// Removes the second factor of a user who proves to have both. `found` holds the faults found so
    /// far.
    pub async fn remove(
        &self,
        user: &User,
        password: Option<String>,
        proof: &Proof,
        address: IpAddr,
        mut found: Faults,
    ) -> Result<(), Error> {
        let password = required("password", password, &mut found);
        if proof.is_missing() && !found.fields.contains_key("recoveryCode") {
            required("code", None, &mut found);
        }
        proof.check(&mut found);
        let password = found.require(password)?;
        if user.second_factor_at.is_none() {
            return Err(Error::NotFound(SECOND_FACTOR));
        }
        let address = address.to_string();
        self.count_attempt(user, &address).await?;
        self.check_password(user, password).await?;
        if !self.accepts(user, proof).await? {
            return Err(Faults::field(proof.field(), WRONG_CODE).into());
        }
        self.deps.repository.remove(user.id).await?;
        self.deps.users.forget_logins(&user.email, &address).await?;
        tracing::info!(user = %user.id, "a second factor was removed");
        Ok(())
    }

    /// Fails if the user is a platform administrator who needs a second factor and has none.
    pub fn require(&self, user: &User) -> Result<(), Error> {
        let is_missing = user.platform_role.is_some() && user.second_factor_at.is_none();
        if self.deps.are_required && is_missing {
            return Err(Error::Forbidden(SECOND_FACTOR_MISSING));
        }
        Ok(())
    }

    /// Checks the second factor of a login whose password is right. The attempt stays counted until
    /// the login is complete, or else a login without a code would reset the count of wrong codes.
    pub(crate) async fn check(&self, user: &User, proof: &Proof) -> Result<(), Error> {
        if user.second_factor_at.is_none() {
            return Ok(());
        }
        if proof.is_missing() {
            return Err(Error::Unauthenticated(SECOND_FACTOR_REQUIRED));
        }
        if self.accepts(user, proof).await? {
            Ok(())
        } else {
            Err(Error::Unauthenticated(WRONG_SECOND_FACTOR))
        }
    }

    /// True if the proof is right. It cannot be used again.
    async fn accepts(&self, user: &User, proof: &Proof) -> Result<bool, Error> {
        if let Some(code) = proof.code.as_deref().filter(|code| !code.is_empty()) {
            let Some(factor) = self.deps.repository.find(user.id).await? else { return Ok(false) };
            let Some(step) = self.step(user, &factor, code)? else { return Ok(false) };
            return Ok(self.deps.repository.use_step(user.id, &factor, step).await?);
        }
        let code = RecoveryCode::typed(proof.recovery_code.as_deref().unwrap_or_default());
        Ok(self.deps.repository.use_recovery_code(user.id, hash(user, &code)).await?)
    }

    /// Returns the unused step of a code; `None` if the code is wrong.
    fn step(&self, user: &User, factor: &StoredFactor, code: &str) -> Result<Option<i64>, Error> {
        let secret = self.deps.sealer.open(&factor.sealed_secret, user.id.uuid().as_bytes())?;
        Ok(TotpSecret::stored(secret).step(code, self.deps.clock.now(), factor.last_step))
    }

    /// Counts an attempt as those to sign in are counted.
    async fn count_attempt(&self, user: &User, address: &str) -> Result<(), Error> {
        count_attempt(&*self.deps.users, &user.email, address, self.deps.clock.now()).await
    }

    async fn check_password(&self, user: &User, password: String) -> Result<(), Error> {
        let hash = Some(user.password_hash.clone());
        if self.deps.passwords.verify(password, hash).await? {
            Ok(())
        } else {
            Err(Faults::field("password", WRONG).into())
        }
    }
}

impl Proof {
    fn is_missing(&self) -> bool {
        [&self.code, &self.recovery_code]
            .into_iter()
            .all(|code| code.as_ref().is_none_or(String::is_empty))
    }

    /// Adds the faults of codes that cannot be read.
    pub(crate) fn check(&self, found: &mut Faults) {
        for (field, code) in [("code", &self.code), ("recoveryCode", &self.recovery_code)] {
            refuse_nul(field, code.as_deref(), found);
        }
    }

    /// Returns the name of the field that counts.
    fn field(&self) -> &'static str {
        if self.code.as_ref().is_none_or(String::is_empty) { "recoveryCode" } else { "code" }
    }
}

/// Returns the stored hash of a recovery code. A code has 80 random bits, so it needs no slow hash; the
/// user is hashed with it, so that nobody can look for the codes of all users at once.
fn hash(user: &User, code: &RecoveryCode) -> [u8; 32] {
    digest::of_bytes(&[user.id.uuid().as_bytes().as_slice(), code.as_str().as_bytes()].concat())
}

impl From<SealError> for Error {
    fn from(error: SealError) -> Self {
        Self::Internal(error.into())
    }
}

#[cfg(test)]
mod tests;
