//! Verification that the audit log is unchanged.

use std::fmt;

use domain::{
    identity::organization::Organization,
    platform::audit::{AuditHead, AuditLine},
    shared::{chain::Hash, id::Id},
};
use ports::shared::store::StoreError;

use super::Audit;
use crate::shared::digest;

/// Number of lines read at a time.
const READ_AT_ONCE: usize = 1_000;

/// Result of a verification of all chains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// Number of organizations with lines.
    pub organizations: u64,
    /// Number of lines verified.
    pub lines: u64,
    /// Chains that were changed after they were written.
    pub broken: Vec<BrokenChain>,
}

/// First place at which a chain was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenChain {
    /// Organization of the chain.
    pub organization: Id<Organization>,
    /// Description of the fault.
    pub fault: String,
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { organizations, lines, broken } = self;
        write!(f, "audit log: {lines} lines of {organizations} organizations; ")?;
        match broken.as_slice() {
            [] => f.write_str("every hash is right"),
            [first, ..] => {
                let (count, BrokenChain { organization, fault }) = (broken.len(), first);
                write!(f, "{count} broken, first that of organization {organization}: {fault}")
            }
        }
    }
}

impl Audit {
    /// Follows the chains of all organizations from their first line to their last.
    pub async fn verify(&self) -> Result<Verification, StoreError> {
        let mut found = Verification::default();
        let mut last = None;
        while let Some(organization) = self.log.organization_after(last).await? {
            found.organizations += 1;
            if let Some(fault) = self.fault_of(organization, &mut found.lines).await? {
                found.broken.push(BrokenChain { organization, fault });
            }
            last = Some(organization);
        }
        Ok(found)
    }

    /// Returns the fault of a chain, if any. Adds the number of its correct lines to `lines`.
    async fn fault_of(
        &self,
        organization: Id<Organization>,
        lines: &mut u64,
    ) -> Result<Option<String>, StoreError> {
        loop {
            let Some(head) = self.log.head(organization).await? else {
                return Ok(Some("its head is gone".to_owned()));
            };
            let mut place = Place { sequence: head.purged_sequence, hash: head.purged_hash };
            let fault = self.follow(organization, &head, &mut place).await?;
            // Lines may have been added meanwhile, or deleted for their age.
            if fault.is_none() || self.log.head(organization).await? == Some(head) {
                *lines += place.sequence - head.purged_sequence;
                return Ok(fault);
            }
        }
    }

    async fn follow(
        &self,
        organization: Id<Organization>,
        head: &AuditHead,
        place: &mut Place,
    ) -> Result<Option<String>, StoreError> {
        let first = self.log.lines_after(organization, 0, 1).await?;
        // Chains begin after the lines that were deleted.
        if let Some(line) = first.first().filter(|line| line.sequence <= place.sequence) {
            return Ok(Some(format!("line {} is there, and hidden by its head", line.sequence)));
        }
        while place.sequence < head.sequence {
            let lines = self.log.lines_after(organization, place.sequence, READ_AT_ONCE).await?;
            if lines.is_empty() {
                return Ok(Some(format!("line {} is gone", place.sequence + 1)));
            }
            for line in lines.iter().take_while(|line| line.sequence <= head.sequence) {
                if let Some(fault) = place.step(line) {
                    return Ok(Some(fault));
                }
            }
            if lines.iter().all(|line| line.sequence > head.sequence) {
                return Ok(Some(format!("line {} is gone", place.sequence + 1)));
            }
        }
        if (place.sequence, place.hash) != (head.sequence, head.hash) {
            return Ok(Some("its head is not that of its last line".to_owned()));
        }
        let beyond = self.log.lines_after(organization, head.sequence, 1).await?;
        Ok(beyond.first().map(|line| format!("line {} is beyond its head", line.sequence)))
    }
}

/// Last verified place in a chain.
struct Place {
    sequence: u64,
    hash: Hash,
}

impl Place {
    /// Advances to the next line. Returns a fault if it does not continue the chain.
    fn step(&mut self, line: &AuditLine) -> Option<String> {
        if line.sequence != self.sequence + 1 {
            return Some(format!("line {} is gone", self.sequence + 1));
        }
        if digest::of_bytes(&line.link(&self.hash)) != line.hash {
            return Some(format!("line {} is not as it was written", line.sequence));
        }
        (self.sequence, self.hash) = (line.sequence, line.hash);
        None
    }
}

#[cfg(test)]
mod tests;
