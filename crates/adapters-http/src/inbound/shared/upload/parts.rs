//! Parts of a form before its file.

use std::collections::BTreeMap;

use actix_multipart::Field;
use domain::{
    audience::{contact::MAX_CONSENT_SOURCE, import::Mapping},
    shared::fault::Faults,
};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::Instant;
use usecases::audience::imports::FileRequest;

use super::{refused, within};
use crate::inbound::shared::{endpoint::schemas::MARK, error::ApiError};

/// Name of the part with the mapping of the columns of the file.
const MAPPING: &str = "mapping";
/// Maximum size of that part, in bytes.
const MAX_MAPPING: usize = 256 * 1_024;
/// Name of the part with the source of the consent of the contacts.
const CONSENT_SOURCE: &str = "consentSource";
/// Maximum size of that part, in bytes.
const MAX_CONSENT_SOURCE_BYTES: usize = 1_024;
/// Name of the part that asks for a preview.
const DRY_RUN: &str = "dryRun";
/// Name of the part that refuses known files.
const ONCE: &str = "once";
/// Maximum size of a part with a boolean, in bytes.
const MAX_BOOLEAN: usize = 16;

/// Parts of a form that were read, each of which is there at most once.
#[derive(Default)]
pub(super) struct Parts {
    mapping: Option<Mapping>,
    consent_source: Option<String>,
    is_dry_run: Option<bool>,
    is_once: Option<bool>,
}

impl Parts {
    /// Reads a part. Returns it unread if it is another one, or was there before.
    pub(super) async fn read(
        &mut self,
        part: Field,
        ends: Instant,
    ) -> Result<Option<Field>, ApiError> {
        match part.name() {
            Some(MAPPING) if self.mapping.is_none() => {
                self.mapping = Some(read_mapping(part, ends).await?);
            }
            Some(CONSENT_SOURCE) if self.consent_source.is_none() => {
                self.consent_source = Some(read_consent_source(part, ends).await?);
            }
            Some(DRY_RUN) if self.is_dry_run.is_none() => {
                self.is_dry_run = Some(read_boolean(DRY_RUN, part, ends).await?);
            }
            Some(ONCE) if self.is_once.is_none() => {
                self.is_once = Some(read_boolean(ONCE, part, ends).await?);
            }
            _ => return Ok(Some(part)),
        }
        Ok(None)
    }

    /// Returns the request for the file of that name.
    pub(super) fn request(self, name: Option<String>) -> FileRequest {
        FileRequest {
            name,
            mapping: self.mapping.unwrap_or_default(),
            consent_source: self.consent_source,
            is_dry_run: self.is_dry_run.unwrap_or_default(),
            is_once: self.is_once.unwrap_or_default(),
        }
    }
}

/// True if a part of that name may stand before the file.
pub(super) fn is_known(name: &str) -> bool {
    [MAPPING, CONSENT_SOURCE, DRY_RUN, ONCE].contains(&name)
}

/// Returns the schemas of the parts.
pub(super) fn properties() -> Value {
    json!({
        MAPPING: {
            "type": "string", "contentMediaType": "application/json", "maxLength": MAX_MAPPING,
            "description": "The fields of the columns, before the file: a JSON object of headers \
                            and fields; null ignores a column.",
            "example": "{\"WhatsApp\": \"phone\", \"Notes\": null}",
            MARK: true,
        },
        CONSENT_SOURCE: {
            "type": "string", "maxLength": MAX_CONSENT_SOURCE,
            "description": "The occasion or form by which all contacts of the file consented, \
                            before the file.",
            "example": "Fair in Tamale",
            MARK: true,
        },
        DRY_RUN: {
            "type": "boolean",
            "description": "True to see how the file would be understood, and to import nothing; \
                            before the file. Only for contacts.",
            "example": false,
            MARK: true,
        },
        ONCE: {
            "type": "boolean",
            "description": "True to refuse the file if the same bytes were imported within 24 \
                            hours; before the file.",
            "example": false,
            MARK: true,
        },
    })
}

/// Reads the mapping of the columns of a file from its form: an object of headers and fields, or nulls.
async fn read_mapping(mut part: Field, ends: Instant) -> Result<Mapping, ApiError> {
    let Some(text) = read_part(&mut part, ends, MAX_MAPPING).await? else {
        return Err(Faults::field(MAPPING, "must have at most 256 KiB").into());
    };
    let mapping: BTreeMap<String, Option<String>> =
        serde_json::from_slice(&text).map_err(|_| {
            Faults::field(MAPPING, "must be a JSON object of headers and fields, or nulls")
        })?;
    Ok(Mapping(mapping))
}

/// Reads the source of the consent of all contacts of a file from its form.
async fn read_consent_source(mut part: Field, ends: Instant) -> Result<String, ApiError> {
    let Some(text) = read_part(&mut part, ends, MAX_CONSENT_SOURCE_BYTES).await? else {
        let fault = format!("must have at most {MAX_CONSENT_SOURCE} characters");
        return Err(Faults::field(CONSENT_SOURCE, fault).into());
    };
    String::from_utf8(text).map_err(|_| Faults::field(CONSENT_SOURCE, "must be UTF-8").into())
}

async fn read_boolean(name: &str, mut part: Field, ends: Instant) -> Result<bool, ApiError> {
    match read_part(&mut part, ends, MAX_BOOLEAN).await?.as_deref() {
        Some(b"true") => Ok(true),
        Some(b"false") => Ok(false),
        _ => Err(Faults::field(name, "must be true or false").into()),
    }
}

/// Reads a short part of a form; `None` if it has more than `most` bytes.
async fn read_part(
    part: &mut Field,
    ends: Instant,
    most: usize,
) -> Result<Option<Vec<u8>>, ApiError> {
    let mut text = Vec::new();
    while let Some(bytes) = within(ends, part.next()).await? {
        text.extend_from_slice(&bytes.map_err(|error| refused(&error))?);
        if text.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(text))
}
