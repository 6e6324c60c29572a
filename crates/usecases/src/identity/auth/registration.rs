//! Registration of users, and creation of organizations.

use domain::{
    identity::{
        open_session::Client,
        organization::{self, MAX_OWNED, Organization, Profile, Role, Settings},
        user::{Registration, RegistrationRule, User},
    },
    shared::{fault::Faults, id::Id},
};
use ports::{
    identity::{auth::EMAIL_TAKEN, identity_store::IdentityTransaction},
    shared::store::StoreError,
};

use super::{
    Auth, EMAIL_EXISTS, INVITATION_REQUIRED, REGISTRATION_CLOSED, Session, UNAUTHORIZED, required,
};
use crate::{Error, Reason};

impl Auth {
    /// Registers a user and, if one is named, creates an organization that the user owns. People with
    /// an invitation register by accepting it instead. `found` holds the faults found so far. If this fails after the user is created, [`login`](Self::login) works,
    /// and the organization is provisioned later.
    pub async fn register(
        &self,
        registration: Registration,
        client: impl Into<Client>,
        mut found: Faults,
    ) -> Result<(Session, Option<Organization>), Error> {
        let client = client.into();
        match self.deps.registration {
            RegistrationRule::Open => {}
            RegistrationRule::Invited => return Err(Error::Forbidden(INVITATION_REQUIRED)),
            RegistrationRule::Closed => return Err(Error::Forbidden(REGISTRATION_CLOSED)),
        }
        let registration = match registration.check() {
            Ok(registration) => found.or(registration)?,
            Err(faults) => {
                found.merge_new("", faults);
                return Err(found.into());
            }
        };
        let hash = self.deps.passwords.hash(registration.password.clone()).await?;
        let user = registration.user(hash, None, self.deps.clock.now());

        let mut tx = self.deps.identity.begin().await?;
        tx.insert_user(&user).await.map_err(taken_email)?;
        let organization = match registration.organization_name {
            Some(name) => Some(self.insert_organization(&mut *tx, name, &user).await?),
            None => None,
        };
        tx.commit().await?;
        if let Some(organization) = &organization {
            self.deps.provisioning.provision(organization.id).await?;
        }
        Ok((self.begin(user, &client).await?, organization))
    }

    /// Creates an organization that the user owns. `found` holds the faults found so far.
    pub async fn create_organization(
        &self,
        user: &User,
        name: Option<String>,
        mut found: Faults,
    ) -> Result<Organization, Error> {
        let name = required("name", name, &mut found);
        let name = name.and_then(|name| found.take("name", organization::checked_name(&name)));
        let name = found.require(name)?;
        let mut tx = self.deps.identity.begin().await?;
        // Concurrent requests must not count the same organizations.
        tx.lock_user(user.id).await?.ok_or(Error::Unauthenticated(UNAUTHORIZED))?;
        let memberships = tx.memberships(user.id).await?;
        let owned = memberships.iter().filter(|membership| membership.role == Role::Owner).count();
        if owned >= MAX_OWNED {
            let message = format!("a user owns at most {MAX_OWNED} organizations");
            return Err(Error::Forbidden(Reason::with_message("FORBIDDEN", message)));
        }
        let organization = self.insert_organization(&mut *tx, name, user).await?;
        tx.commit().await?;
        self.deps.provisioning.provision(organization.id).await?;
        Ok(organization)
    }

    async fn insert_organization(
        &self,
        tx: &mut dyn IdentityTransaction,
        name: String,
        owner: &User,
    ) -> Result<Organization, StoreError> {
        let now = self.deps.clock.now();
        let id = Id::new(now);
        let organization = Organization {
            id,
            name,
            profile: Profile::default(),
            settings: Settings::default(),
            created_at: now,
        };
        tx.insert_organization(&organization).await?;
        tx.put_member(id, owner.id, Role::Owner, now).await?;
        Ok(organization)
    }
}

fn taken_email(error: StoreError) -> Error {
    match error {
        StoreError::Conflict { constraint } if constraint == EMAIL_TAKEN => {
            Error::Conflict(EMAIL_EXISTS)
        }
        other => other.into(),
    }
}
