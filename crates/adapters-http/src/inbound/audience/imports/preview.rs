//! Preview of an import of contacts.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode};
use domain::{
    audience::import::{Preview, PreviewColumn, PreviewRow},
    shared::address::Address,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::views::{ImportWithErrorsView, RowErrorView};
use crate::inbound::shared::{
    answers::{self, schema_of_one},
    endpoint::describe::{Describe, Description},
};

/// File that was imported: 201; or only looked at: 200.
pub(super) enum Uploaded {
    Preview(PreviewView),
    Import(ImportWithErrorsView),
}

impl Responder for Uploaded {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        match self {
            Self::Preview(view) => answers::success(StatusCode::OK, view),
            Self::Import(view) => answers::success(StatusCode::CREATED, view),
        }
    }
}

impl Describe for Uploaded {
    fn describe(description: &mut Description) {
        let preview = schema_of_one::<PreviewView>(&mut description.schemas);
        description.answers_json(200, preview).description =
            "With `dryRun`: the beginning of the file as it would be understood.";
        let import = schema_of_one::<ImportWithErrorsView>(&mut description.schemas);
        description.answers_json(201, import).description =
            "The import. It is processed in the background.";
    }
}

/// Beginning of a file of contacts, as an import would understand it.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportPreview)]
pub(super) struct PreviewView {
    /// Columns of the file, in its order.
    columns: Vec<ColumnView>,
    /// First ten rows that would be imported.
    rows: Vec<RowView>,
    /// Rows among the first 1,000 (fewer, if they have more than 2 MiB) that would fail, or be
    /// accepted without some of their cells.
    errors: Vec<RowErrorView>,
}

/// Column of a file.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportPreviewColumn)]
struct ColumnView {
    /// Name of the column in the file.
    #[schema(example = "Mobile No.")]
    header: String,
    /// Field of the contacts, or `attributes.` and a name; null if the column is ignored.
    #[schema(example = "phone")]
    field: Option<String>,
}

/// Row that would be imported.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportPreviewRow)]
#[serde(rename_all = "camelCase")]
struct RowView {
    /// Number of the row as in a spreadsheet: the header is row 1.
    #[schema(example = 2)]
    row: u32,
    #[schema(example = "Ama")]
    first_name: Option<String>,
    #[schema(example = "Mensah")]
    last_name: Option<String>,
    /// Number in E.164.
    #[schema(example = "+233241234567")]
    phone: Option<String>,
    #[schema(example = "ama@example.com")]
    email: Option<String>,
    /// Country of numbers without a calling code.
    #[schema(example = "GH")]
    country_code: String,
    #[schema(example = json!(["vip"]))]
    tags: Vec<String>,
    /// Push token of the device.
    #[schema(example = json!(null))]
    fcm_token: Option<String>,
    /// Further attributes, by name.
    #[schema(example = json!({ "city": "Kumasi" }))]
    attributes: BTreeMap<String, String>,
}

impl From<Preview> for PreviewView {
    fn from(Preview { columns, rows, errors }: Preview) -> Self {
        Self {
            columns: columns.into_iter().map(ColumnView::from).collect(),
            rows: rows.into_iter().map(RowView::from).collect(),
            errors: errors.into_iter().map(RowErrorView::from).collect(),
        }
    }
}

impl From<PreviewColumn> for ColumnView {
    fn from(PreviewColumn { header, field }: PreviewColumn) -> Self {
        Self { header, field }
    }
}

impl From<PreviewRow> for RowView {
    fn from(PreviewRow { row, contact }: PreviewRow) -> Self {
        let text = |address: Option<Address>| address.map(|it| it.as_str().to_owned());
        Self {
            row,
            first_name: contact.first_name,
            last_name: contact.last_name,
            phone: text(contact.phone),
            email: text(contact.email),
            country_code: contact.country.as_str().to_owned(),
            tags: contact.tags,
            fcm_token: text(contact.fcm_token),
            attributes: contact.attributes,
        }
    }
}
