//! The ledger, as organizations see it, and its verification. The journal writes it.

mod books;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    money::ledger::{Link, Movement},
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};
use ports::{money::ledger::LedgerRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::corrupt,
    query::{row::row, sql::sql},
};

#[async_trait]
impl LedgerRepository for PgStore {
    /// Entries have numbers without gaps and never change. So they are found by their numbers,
    /// after the movements that are not entered yet, regardless of concurrent entries.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<Movement>, StoreError> {
        let mut session = self.session().await?;
        let (unentered, last) = session.unentered_movements(organization).await?;
        let waiting = u64::try_from(unentered.len()).unwrap_or(u64::MAX);
        let total = waiting + last.unsigned_abs();
        let mut items = page.cut(unentered);
        let shown = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let passed = i64::try_from(page.offset().saturating_sub(waiting)).unwrap_or(i64::MAX);
        let from = last.saturating_sub(passed);
        let room = i64::from(page.limit()) - shown;
        if from > 0 && room > 0 {
            items.extend(session.entries_down_from(organization, from, room).await?);
        }
        Ok(Paged::counted(items, page, total))
    }
}

impl PgSession {
    /// Returns the movements that are not entered yet, newest first, and the number of the last
    /// entry.
    async fn unentered_movements(
        &mut self,
        organization: Id<Organization>,
    ) -> Result<(Vec<Movement>, i64), StoreError> {
        let unentered = sql!(
            "SELECT head.last, movement.id, movement.kind, movement.amount_micros, \
                movement.messages, movement.reference, movement.created_at \
             FROM (SELECT coalesce((SELECT sequence FROM ledger_heads \
                WHERE organization_id = {organization}), 0) AS last) AS head \
             LEFT JOIN unentered_movements_of({organization}) AS movement ON true \
             ORDER BY movement.created_at DESC, movement.kind, movement.id",
            organization,
        );
        let rows: Vec<UnenteredRow> = unentered.rows(self.conn()).await?;
        let last = rows.as_slice().first().map_or(0, |row| row.last);
        let mut movements = Vec::with_capacity(rows.len());
        for row in rows {
            if let Some(row) = row.movement() {
                movements.push(row.read(organization)?);
            }
        }
        Ok((movements, last))
    }

    /// Returns the entry with the given number and those before it, `count` in all.
    async fn entries_down_from(
        &mut self,
        organization: Id<Organization>,
        from: i64,
        count: i64,
    ) -> Result<Vec<Movement>, StoreError> {
        let entries = sql!(
            "SELECT id, kind, amount_micros, messages, reference, created_at, sequence, hash \
             FROM ledger_entries \
             WHERE organization_id = {organization} AND sequence <= {from} AND sequence > {before} \
             ORDER BY sequence DESC",
            organization,
            from,
            before = from - count,
        );
        let rows: Vec<EntryRow> = entries.rows(self.conn()).await?;
        let read = |row: EntryRow| {
            let link = Link { sequence: row.sequence, hash: row.hash };
            let movement = MovementRow {
                id: Some(row.id),
                kind: row.kind,
                amount: row.amount_micros,
                messages: row.messages,
                reference: row.reference,
                created_at: row.created_at,
            };
            Ok(Movement { link: Some(link), ..movement.read(organization)? })
        };
        rows.into_iter().map(read).collect()
    }
}

row! {
    /// Number of the last entry, and a movement; `None` if none waits.
    struct UnenteredRow {
        last: i64,
        id: Option<Uuid>,
        kind: Option<String>,
        amount_micros: Option<Money>,
        messages: Option<i32>,
        reference: Option<String>,
        created_at: Option<DateTime<Utc>>,
    }
}

row! {
    struct EntryRow {
        id: Uuid,
        kind: String,
        amount_micros: Money,
        messages: i32,
        reference: Option<String>,
        created_at: DateTime<Utc>,
        sequence: i64,
        hash: Vec<u8>,
    }
}

struct MovementRow {
    id: Option<Uuid>,
    kind: String,
    amount: Money,
    messages: i32,
    reference: Option<String>,
    created_at: DateTime<Utc>,
}

impl UnenteredRow {
    fn movement(self) -> Option<MovementRow> {
        Some(MovementRow {
            id: self.id,
            kind: self.kind?,
            amount: self.amount_micros?,
            messages: self.messages?,
            reference: self.reference,
            created_at: self.created_at?,
        })
    }
}

impl MovementRow {
    fn read(self, organization: Id<Organization>) -> Result<Movement, StoreError> {
        Ok(Movement {
            id: self.id.map(Id::of),
            kind: self.kind.parse().map_err(|_| corrupt("ledger of", organization))?,
            amount: self.amount,
            messages: self.messages,
            reference: self.reference,
            created_at: self.created_at,
            link: None,
        })
    }
}
