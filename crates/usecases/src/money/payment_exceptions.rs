//! Payments that could not be credited, for platform administrators to resolve.

use std::{collections::BTreeMap, sync::Arc};

use derive_more::Constructor;
use domain::{
    identity::{caller::Administrator, organization::PLATFORM},
    money::payment::{PaymentException, Resolution, checked_comment},
    platform::audit::{AuditAction, AuditEntry},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    money::payments::PaymentRepository, platform::audit_log::AuditLog, shared::clock::Clock,
};

use crate::{Error, shared::refusals::ALREADY_DECIDED};

/// Operations on payments that could not be credited.
#[derive(Clone, Constructor)]
pub struct PaymentExceptions {
    repository: Arc<dyn PaymentRepository>,
    audit_log: Arc<dyn AuditLog>,
    clock: Arc<dyn Clock>,
}

impl PaymentExceptions {
    /// Returns a page of payment exceptions, newest first: resolved ones, open ones, or all.
    pub async fn page(
        &self,
        _: &Administrator,
        resolved: Option<bool>,
        page: Page,
    ) -> Result<Paged<PaymentException>, Error> {
        Ok(self.repository.exceptions(resolved, page).await?)
    }

    /// Returns a payment exception.
    pub async fn get(
        &self,
        _: &Administrator,
        id: Id<PaymentException>,
    ) -> Result<PaymentException, Error> {
        let found = self.repository.find_exception(id).await?;
        found.ok_or(Error::NotFound("payment exception"))
    }

    /// Records the resolution of a payment exception. `faults` holds the faults found so far. The audit
    /// log is written first: it may contain a change that then failed, but never lacks one that was
    /// made.
    pub async fn resolve(
        &self,
        admin: &Administrator,
        id: Id<PaymentException>,
        comment: Option<String>,
        faults: Faults,
    ) -> Result<PaymentException, Error> {
        let comment = faults.check(checked_comment(comment))?;
        let exception = self.get(admin, id).await?;
        if exception.resolution.is_some() {
            return Err(Error::Conflict(ALREADY_DECIDED));
        }
        let now = self.clock.now();
        let organization = exception.organization.unwrap_or(PLATFORM);
        let details = BTreeMap::from([
            ("reference", exception.reference.clone()),
            ("reason", exception.reason.as_str().to_owned()),
            ("comment", comment.clone()),
        ]);
        let action = AuditAction::PaymentExceptionResolved;
        let entry = AuditEntry::of(organization, now, admin.actor(), action)
            .on("PAYMENT_EXCEPTION", id.uuid())
            .with(details);
        self.audit_log.record(&entry).await?;
        let resolution = Resolution { at: now, by: admin.id, comment };
        if !self.repository.resolve_exception(id, &resolution).await? {
            return Err(Error::Conflict(ALREADY_DECIDED));
        }
        Ok(PaymentException { resolution: Some(resolution), ..exception })
    }
}
