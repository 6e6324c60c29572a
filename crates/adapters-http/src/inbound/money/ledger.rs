//! `/billing/ledger`

use actix_web::web::Data;
use domain::money::{
    ledger::Movement,
    wallet::{ContraAccount, LedgerKind},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::Paginated,
        caller::Member,
        endpoint::{Area, get},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        query::{Query, ShortPage},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Ledger",
        about: "Movements of the wallet.",
        endpoints: vec![
            get("/billing/ledger", "listLedger", list)
                .extension()
                .summary("List the movements of the wallet.")
                .description(
                    "Newest first; the sum is the balance. Payments for messages within an hour \
                     form one movement, and so do their refunds; both grow until the hour ends. A \
                     movement is entered into the ledger some seconds (credits) or minutes (hours) \
                     later. From then on it never changes, and has a `sequence`, which counts \
                     without gaps from 1, and a `hash`: the SHA-256 of the 32 bytes of the \
                     previous hash (zeros for the first entry) and the entry, as described in \
                     docs/ledger.md.",
                )
                .answers("The movements."),
        ],
    }
}

type LedgerKindName = Names<LedgerKind>;
type ContraAccountName = Names<ContraAccount>;

impl Vocabulary for LedgerKind {
    const TITLE: &'static str = "LedgerKind";
    const DESCRIPTION: &'static str = "The reason for a movement.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for ContraAccount {
    const TITLE: &'static str = "LedgerAccount";
    const DESCRIPTION: &'static str = "The account on the other side of a movement.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// A movement of the wallet.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerMovement)]
#[serde(rename_all = "camelCase")]
struct MovementView {
    /// Identifier; null for payments of messages in the last minutes.
    id: Option<Uuid>,
    /// Reason for the movement.
    #[schema(value_type = LedgerKindName)]
    kind: &'static str,
    /// Change of the balance, in GHS.
    #[schema(example = -0.35)]
    amount: f64,
    /// Account on the other side, which changed by the opposite amount.
    #[schema(value_type = ContraAccountName)]
    account: &'static str,
    /// Number of messages.
    #[schema(example = 10)]
    messages: i32,
    /// Reference to the purpose of the movement.
    #[schema(example = json!(null))]
    reference: Option<String>,
    /// Time of the movement; for messages, the last time.
    created_at: Timestamp,
    /// Number of the entry in the ledger; null until it is entered.
    #[schema(example = 42)]
    sequence: Option<i64>,
    /// Hash of the entry, 64 hexadecimal digits; null until it is entered.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    hash: Option<String>,
}

impl From<Movement> for MovementView {
    fn from(movement: Movement) -> Self {
        let (sequence, hash) = movement.link.map(|link| (link.sequence, hex(&link.hash))).unzip();
        Self {
            id: movement.id.map(Uuid::from),
            kind: movement.kind.as_str(),
            amount: movement.amount.to_number(),
            account: movement.kind.contra_account().as_str(),
            messages: movement.messages,
            reference: movement.reference,
            created_at: movement.created_at.into(),
            sequence,
            hash,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<MovementView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.ledger.page(&caller, page).await?))
}
