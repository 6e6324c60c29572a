//! Invoices.

mod statement_row;
mod statements;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    money::{
        invoice::{Invoice, InvoiceDraft, InvoiceNumber, InvoiceRefused, InvoiceStatus},
        wallet::{Credit, LedgerKind},
    },
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};
use ports::{
    money::invoices::{Advance, CreditOutcome, InvoiceRepository},
    shared::store::StoreError,
};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    money::billing::{credit_wallet, credited_as},
    shared::audit_entries,
    shared::{
        database::{connection::Connection, session::PgStore},
        error::{corrupt, store_error},
        query::{run_query::RunQueryDsl, sql::sql},
        schema::{invoice_numbers, invoices},
    },
};

#[derive(HasQuery)]
#[diesel(table_name = invoices)]
struct InvoiceRow {
    organization_id: Uuid,
    id: Uuid,
    number: i64,
    status: String,
    amount_micros: i64,
    issued_at: DateTime<Utc>,
    due_at: Option<DateTime<Utc>>,
    paid_at: Option<DateTime<Utc>>,
    is_credited: bool,
    month: Option<NaiveDate>,
    statement: Option<Value>,
}

#[async_trait]
impl InvoiceRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<Invoice>, StoreError> {
        let mut session = self.session().await?;
        let last: QueryResult<i64> = invoice_numbers::table
            .find(organization.uuid())
            .select(invoice_numbers::last_number)
            .first(session.conn())
            .await;
        let total = last.optional().map_err(store_error)?.unwrap_or_default();
        let query = InvoiceRow::query()
            .filter(invoices::organization_id.eq(organization.uuid()))
            .order(invoices::number.desc())
            .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .limit(page.limit().into());
        let rows = query.load(session.conn()).await.map_err(store_error)?;
        let items: Result<_, _> = rows.into_iter().map(Invoice::try_from).collect();
        Ok(Paged::counted(items?, page, total.unsigned_abs()))
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Invoice>,
    ) -> Result<Option<Invoice>, StoreError> {
        let query = InvoiceRow::query()
            .filter(invoices::organization_id.eq(organization.uuid()))
            .filter(invoices::id.eq(id.uuid()));
        let row = query.first(self.session().await?.conn()).await.optional();
        row.map_err(store_error)?.map(Invoice::try_from).transpose()
    }

    async fn count_open(&self, organization: Id<Organization>) -> Result<usize, StoreError> {
        let open: QueryResult<i64> = invoices::table
            .filter(invoices::organization_id.eq(organization.uuid()))
            .filter(invoices::status.eq(InvoiceStatus::Open.as_str()))
            .count()
            .get_result(self.session().await?.conn())
            .await;
        Ok(usize::try_from(open.map_err(store_error)?).unwrap_or_default())
    }

    async fn issue(
        &self,
        draft: &InvoiceDraft,
        advance: Option<Advance>,
    ) -> Result<Invoice, StoreError> {
        let Some(Advance { credit, limit }) = advance else {
            return insert(self.session().await?.conn(), draft).await;
        };
        let mut session = self.transaction().await?;
        // From here to the commit no other invoice is issued to the organization.
        let invoice = insert(session.conn(), draft).await?;
        let owed = owed(session.conn(), invoice.organization).await?;
        if owed.micros().saturating_add(invoice.amount.micros()) > limit.micros() {
            session.commit().await?;
            return Ok(invoice);
        }
        let credit = Credit {
            id: credit,
            organization: invoice.organization,
            kind: LedgerKind::ManualCredit,
            reference: invoice.number.to_string(),
            amount: invoice.amount,
            at: invoice.issued_at,
        };
        if !credit_wallet(session.conn(), &credit).await?.is_new {
            let number = invoice.number;
            return Err(StoreError::Internal(format!("{number} was credited before").into()));
        }
        let invoice = Invoice { is_credited: true, ..invoice };
        update(session.conn(), &invoice).await?;
        session.commit().await?;
        Ok(invoice)
    }

    async fn credit(
        &self,
        credit: &Credit,
        entry: &AuditEntry,
    ) -> Result<CreditOutcome, StoreError> {
        let mut session = self.transaction().await?;
        let invoice = match credit.reference.parse() {
            Ok(number) => {
                let found = lock_numbered(session.conn(), credit.organization, number).await?;
                let Some(invoice) = found else { return Ok(CreditOutcome::UnknownInvoice) };
                Some(invoice)
            }
            Err(_) => None,
        };
        if let Some(paid) = credited_as(session.conn(), LedgerKind::TopUp, credit).await? {
            return Ok(CreditOutcome::OtherAmount(paid));
        }
        let credited = credit_wallet(session.conn(), credit).await?;
        if !credited.is_new {
            let known = credited_amount(session.conn(), credit).await?;
            if known != credit.amount {
                return Ok(CreditOutcome::OtherAmount(known));
            }
            // The money arrived when the invoice was issued, and is paid now.
            let invoice = match invoice {
                Some(owed) if owed.status == InvoiceStatus::Open => {
                    match owed.pay(credit.amount, credit.at) {
                        Ok(paid) => {
                            audit_entries::insert(session.conn(), entry).await?;
                            update(session.conn(), &paid).await?;
                            session.commit().await?;
                            Some(paid)
                        }
                        Err(refused) => return Ok(CreditOutcome::Refused(refused)),
                    }
                }
                other => other,
            };
            let (is_new, invoice) = (false, invoice.map(Box::new));
            return Ok(CreditOutcome::Credited { is_new, balance: credited.balance, invoice });
        }
        let paid = match invoice.map(|invoice| invoice.pay(credit.amount, credit.at)) {
            Some(Ok(paid)) => Some(Box::new(paid)),
            Some(Err(refused)) => return Ok(CreditOutcome::Refused(refused)),
            None => None,
        };
        if let Some(paid) = &paid {
            update(session.conn(), paid).await?;
        }
        audit_entries::insert(session.conn(), entry).await?;
        session.commit().await?;
        Ok(CreditOutcome::Credited { is_new: true, balance: credited.balance, invoice: paid })
    }

    async fn withdraw(
        &self,
        organization: Id<Organization>,
        id: Id<Invoice>,
    ) -> Result<Option<Result<Invoice, InvoiceRefused>>, StoreError> {
        let mut session = self.transaction().await?;
        let query = InvoiceRow::query()
            .filter(invoices::organization_id.eq(organization.uuid()))
            .filter(invoices::id.eq(id.uuid()))
            .for_update();
        let row = query.get_result(session.conn()).await.optional().map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let withdrawn = Invoice::try_from(row)?.withdraw();
        if let Ok(invoice) = &withdrawn {
            update(session.conn(), invoice).await?;
            session.commit().await?;
        }
        Ok(Some(withdrawn))
    }
}

/// Inserts an invoice under the next number of its organization.
async fn insert(conn: &mut Connection, draft: &InvoiceDraft) -> Result<Invoice, StoreError> {
    let insert = sql!(
        "WITH counted AS ( \
            INSERT INTO invoice_numbers AS counter (organization_id, last_number) \
            VALUES ({organization}, 1) \
            ON CONFLICT (organization_id) DO UPDATE SET last_number = counter.last_number + 1 \
            RETURNING organization_id, last_number \
         ) \
         INSERT INTO invoices (organization_id, id, number, kind, status, amount_micros, \
            issued_at, due_at) \
         SELECT organization_id, {id}::uuid, last_number, 'TOP_UP', 'OPEN', {amount}::bigint, \
            {issued_at}::timestamptz, {due_at}::timestamptz FROM counted \
         RETURNING number",
        organization = draft.organization,
        id = draft.id,
        amount = draft.amount,
        issued_at = draft.issued_at,
        due_at = draft.due_at(),
    );
    let number: i64 = insert.only(conn).await?;
    Ok(draft.numbered(InvoiceNumber(number)))
}

/// Finds the invoice with the given number and locks it until commit.
async fn lock_numbered(
    conn: &mut Connection,
    organization: Id<Organization>,
    number: InvoiceNumber,
) -> Result<Option<Invoice>, StoreError> {
    let query = InvoiceRow::query()
        .filter(invoices::organization_id.eq(organization.uuid()))
        .filter(invoices::number.eq(number.0))
        .for_update();
    let row = query.get_result(conn).await.optional().map_err(store_error)?;
    row.map(Invoice::try_from).transpose()
}

/// Updates the state of an invoice.
async fn update(conn: &mut Connection, invoice: &Invoice) -> Result<(), StoreError> {
    let own = invoices::table.find((invoice.organization.uuid(), invoice.id.uuid()));
    let update = diesel::update(own).set((
        invoices::status.eq(invoice.status.as_str()),
        invoices::paid_at.eq(invoice.paid_at),
        invoices::is_credited.eq(invoice.is_credited),
    ));
    update.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Returns the sum that an organization still owes.
async fn owed(conn: &mut Connection, organization: Id<Organization>) -> Result<Money, StoreError> {
    let owed = sql!(
        "SELECT coalesce(sum(amount_micros), 0)::bigint FROM invoices \
         WHERE organization_id = {organization} AND status = 'OPEN' AND is_credited",
        organization,
    );
    owed.only(conn).await
}

/// Returns the amount credited for the same reference.
async fn credited_amount(conn: &mut Connection, credit: &Credit) -> Result<Money, StoreError> {
    let credited = sql!(
        "SELECT amount_micros FROM wallet_credits \
         WHERE organization_id = {organization} AND kind = {kind} AND reference = {reference}",
        organization = credit.organization,
        kind = credit.kind.as_str(),
        reference = credit.reference.as_str(),
    );
    credited.only(conn).await
}

impl TryFrom<InvoiceRow> for Invoice {
    type Error = StoreError;

    fn try_from(row: InvoiceRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("invoices", row.id);
        let statement = match (row.month, row.statement) {
            (Some(month), Some(json)) => {
                Some(statement_row::read(month, json).ok_or_else(corrupt)?)
            }
            _ => None,
        };
        Ok(Self {
            id: row.id.into(),
            organization: Id::of(row.organization_id),
            number: InvoiceNumber(row.number),
            status: row.status.parse().map_err(|_| corrupt())?,
            amount: Money::from_micros(row.amount_micros),
            issued_at: row.issued_at,
            due_at: row.due_at,
            paid_at: row.paid_at,
            is_credited: row.is_credited,
            statement,
        })
    }
}
