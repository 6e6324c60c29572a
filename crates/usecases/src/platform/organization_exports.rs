//! Export of everything that an organization has, by the operator.

use std::io;

use domain::{
    identity::organization::Organization, platform::organization_export::ExportedList,
    shared::id::Id,
};
use ports::{
    platform::organization_exports::{ExportFiles, OrganizationSnapshot, OrganizationSnapshots},
    shared::store::StoreError,
};
use thiserror::Error;

/// Error of an export.
#[derive(Debug, Error)]
pub enum ExportError {
    /// No organization has the identifier.
    #[error("there is no organization {0}")]
    UnknownOrganization(Id<Organization>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The files cannot be written.
    #[error("failed to write the export")]
    Write(#[from] io::Error),
}

/// Number of rows of an exported list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportedCount {
    /// List.
    pub list: ExportedList,
    /// Number of its rows.
    pub rows: u64,
}

/// Writes all lists of an organization, as they are at one moment, and returns the number of rows of
/// each. A portion of rows is in memory at a time.
pub async fn export(
    snapshots: &dyn OrganizationSnapshots,
    organization: Id<Organization>,
    files: &mut dyn ExportFiles,
) -> Result<Vec<ExportedCount>, ExportError> {
    let snapshot = snapshots.open(organization).await?;
    let mut snapshot = snapshot.ok_or(ExportError::UnknownOrganization(organization))?;
    let mut counts = Vec::with_capacity(ExportedList::ALL.len());
    for list in ExportedList::ALL {
        let rows = export_list(&mut *snapshot, list, files).await?;
        counts.push(ExportedCount { list, rows });
    }
    Ok(counts)
}

async fn export_list(
    snapshot: &mut dyn OrganizationSnapshot,
    list: ExportedList,
    files: &mut dyn ExportFiles,
) -> Result<u64, ExportError> {
    snapshot.begin(list).await?;
    files.begin(list)?;
    let mut written = 0;
    loop {
        let rows = snapshot.next_rows().await?;
        if rows.is_empty() {
            files.end()?;
            return Ok(written);
        }
        for row in &rows {
            files.write(row)?;
            written += 1;
        }
    }
}

#[cfg(test)]
mod tests;
