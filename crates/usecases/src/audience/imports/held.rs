//! Files that are held, so that their columns can be looked at before they are imported.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    audience::import::{
        Chunk, Import, ImportKind, MAX_BYTES, MAX_WAITING, Preview, PreviewColumn, columns_of,
    },
    identity::{
        caller::Caller,
        organization::{Holding, Organization},
    },
    shared::{fault::Faults, id::Id},
};
use ports::audience::imports::{HELD_ROW, ImportRepository};

use super::{FileRequest, Imports, Incoming, PAYLOAD_TOO_LARGE, blank};
use crate::{Error, Reason};

/// Size at which a chunk of a held file ends, in bytes.
const CHUNK: usize = 256 * 1_024;
const NOT_FOUND: Error = Error::NotFound("file");

/// Beginning of a held file of contacts, as an import would understand it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldPreview {
    /// Name of the file; `None` if it had none.
    pub name: Option<String>,
    /// Columns of the file, in its order; none if it has no header.
    pub columns: Vec<PreviewColumn>,
    /// First rows, or the faults for which the file cannot be imported so.
    pub rows: Result<Preview, Faults>,
}

impl Imports {
    /// Holds a file for at most an hour, and returns the identifier by which it can be looked at and
    /// imported. It counts as an import that waits. An incomplete file leaves nothing behind.
    pub async fn hold(
        &self,
        caller: &Caller,
        kind: ImportKind,
        name: Option<String>,
        file: impl Incoming,
    ) -> Result<Id<Import>, Error> {
        self.authorize(caller, kind)?;
        self.bounds.find_room(caller.organization, &[Holding::DailyImports]).await?;
        let import = Import { file_name: name, ..blank(caller, kind, self.clock.now()) };
        self.begin(&import, MAX_WAITING).await?;
        match self.store_held(&import, file).await {
            Ok(()) => Ok(import.id),
            Err(refusal) => {
                self.abandon(&import).await;
                Err(refusal)
            }
        }
    }

    async fn store_held(&self, import: &Import, mut file: impl Incoming) -> Result<(), Error> {
        let (mut bytes, mut number, mut size) = (Vec::new(), 0, 0);
        while let Some(piece) = file.next().await? {
            size += piece.len();
            if size > MAX_BYTES {
                let limit = "the file must have at most 20 MiB";
                return Err(Error::TooLarge(Reason::new(PAYLOAD_TOO_LARGE, limit)));
            }
            bytes.extend_from_slice(&piece);
            if bytes.len() >= CHUNK {
                self.add_held(import, number, std::mem::take(&mut bytes)).await?;
                number += 1;
            }
        }
        if size == 0 {
            return Err(Faults::field("file", "is empty").into());
        }
        if !bytes.is_empty() {
            self.add_held(import, number, bytes).await?;
        }
        Ok(())
    }

    async fn add_held(&self, import: &Import, number: u32, bytes: Vec<u8>) -> Result<(), Error> {
        let chunk = Chunk { number, first_row: HELD_ROW, rows: 0, bytes };
        Ok(self.repository.add_chunk(import, &chunk).await?)
    }

    /// Returns the beginning of a held file of contacts as an import would understand it.
    pub async fn preview_held(
        &self,
        caller: &Caller,
        id: Id<Import>,
        request: FileRequest,
    ) -> Result<HeldPreview, Error> {
        self.authorize(caller, ImportKind::Contacts)?;
        let (name, mut file) = self.open_held(caller, ImportKind::Contacts, id).await?;
        let columns = columns_of(&file.chunk(0).await?, &request.mapping).unwrap_or_default();
        let read = self.preview(caller, ImportKind::Contacts, request, &mut file).await;
        let rows = match file.outcome(read) {
            Ok(preview) => Ok(preview),
            Err(Error::Invalid(faults)) => Err(faults),
            Err(error) => return Err(error),
        };
        Ok(HeldPreview { name, columns, rows })
    }

    /// Imports a held file, as [`upload`](Self::upload) does, and holds it no more. If it is refused, it
    /// is held on. Its name is that with which it came.
    pub async fn import_held(
        &self,
        caller: &Caller,
        kind: ImportKind,
        id: Id<Import>,
        request: FileRequest,
    ) -> Result<Import, Error> {
        self.authorize(caller, kind)?;
        let (name, mut file) = self.open_held(caller, kind, id).await?;
        // The file itself is one of those that wait.
        let (request, most) = (FileRequest { name, ..request }, MAX_WAITING + 1);
        let uploaded = self.upload_among(caller, kind, request, &mut file, most).await;
        let (import, _) = file.outcome(uploaded)?;
        if let Err(error) = self.repository.abandon(caller.organization, id).await {
            // It is purged later.
            tracing::warn!(%error, import = %id, "failed to delete a held file");
        }
        Ok(import)
    }

    /// Holds a file no more. Nothing happens if it is not held.
    pub async fn release(
        &self,
        caller: &Caller,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<(), Error> {
        self.authorize(caller, kind)?;
        if self.repository.held(caller.organization, kind, id).await?.is_some() {
            self.repository.abandon(caller.organization, id).await?;
        }
        Ok(())
    }

    async fn open_held(
        &self,
        caller: &Caller,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<(Option<String>, HeldChunks), Error> {
        let held = self.repository.held(caller.organization, kind, id).await?.ok_or(NOT_FOUND)?;
        let chunks = HeldChunks {
            repository: Arc::clone(&self.repository),
            organization: caller.organization,
            id,
            next: 0,
            count: held.chunks,
            failure: None,
        };
        Ok((held.name, chunks))
    }
}

/// Held file, read chunk by chunk. No connection is held in between.
struct HeldChunks {
    repository: Arc<dyn ImportRepository>,
    organization: Id<Organization>,
    id: Id<Import>,
    /// Number of the next chunk.
    next: u32,
    /// Number of all chunks.
    count: u32,
    /// Failure that ended the file too early.
    failure: Option<Error>,
}

impl HeldChunks {
    /// Returns a chunk. Fails if it was deleted meanwhile: a part of the file must not pass for all of
    /// it.
    async fn chunk(&self, number: u32) -> Result<Vec<u8>, Error> {
        let chunk = self.repository.held_chunk(self.organization, self.id, number).await?;
        chunk.ok_or(NOT_FOUND)
    }

    /// Returns the result of an operation that read the file, or the failure that ended the file.
    fn outcome<T>(self, result: Result<T, Error>) -> Result<T, Error> {
        match self.failure {
            Some(failure) => Err(failure),
            None => result,
        }
    }
}

#[async_trait]
impl Incoming for &mut HeldChunks {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Faults> {
        if self.next == self.count {
            return Ok(None);
        }
        match self.chunk(self.next).await {
            Ok(bytes) => {
                self.next += 1;
                Ok(Some(bytes))
            }
            Err(failure) => {
                self.failure = Some(failure);
                Err(Faults::field("file", "could not be read"))
            }
        }
    }
}

#[cfg(test)]
mod tests;
