//! Money of the demonstration: top-ups in every state, and invoices.

use domain::{
    identity::caller::Administrator,
    money::{
        payment::PaymentStatus,
        top_up::{PaymentMethod, TopUpReference, TopUpRequest, TopUpStatus},
    },
    shared::{fault::Faults, money::Money},
};
use ports::{
    money::{payments::SimulatedPaymentRepository, top_ups::TopUpRepository},
    shared::clock::Clock,
};
use usecases::money::top_ups::Payer;

use super::{past_clock::PastClock, tenant::Tenant};
use crate::service::{PastService, StartError};

/// Movement of money.
#[derive(Debug, Clone, Copy)]
pub(super) enum Movement {
    /// A top-up that is left in a state.
    TopUp(PaymentMethod, TopUpStatus),
    /// An invoice, with its end.
    Invoice(InvoiceEnd),
}

/// End of an invoice.
#[derive(Debug, Clone, Copy)]
pub(super) enum InvoiceEnd {
    /// It is paid.
    Paid,
    /// It is withdrawn.
    Withdrawn,
    /// It is still to be paid.
    Open,
}

/// Enters what was posted so far into the ledger, so that a later credit follows it in the chain.
pub(super) async fn enter(service: &PastService) -> Result<(), StartError> {
    service.books.post_journal().await?;
    while service.books.close_ledger_hours().await? > 0 {}
    Ok(())
}

/// Makes a movement of an organization at the time of the clock.
pub(super) async fn make(
    service: &PastService,
    clock: &PastClock,
    tenant: &Tenant,
    admin: &Administrator,
    (movement, amount): (Movement, Money),
) -> Result<(), StartError> {
    enter(service).await?;
    match movement {
        Movement::TopUp(method, status) => {
            top_up(service, clock, tenant, (method, amount), status).await?;
        }
        Movement::Invoice(end) => invoice(service, tenant, admin, amount, end).await?,
    }
    while service.books.enter_credits().await? > 0 {}
    Ok(())
}

async fn top_up(
    service: &PastService,
    clock: &PastClock,
    tenant: &Tenant,
    (method, amount): (PaymentMethod, Money),
    status: TopUpStatus,
) -> Result<(), StartError> {
    let top_ups = &service.api.top_ups;
    let payer = Payer {
        user: tenant.owner.clone(),
        organization: tenant.caller.organization,
        member: Some(tenant.caller.clone()),
        administrator: None,
    };
    let request =
        TopUpRequest { amount: Some(amount), method: Some(method), ..TopUpRequest::default() };
    let receipt = top_ups.top_up(&payer, request, Faults::default()).await?;
    let reference: TopUpReference = receipt.reference.parse()?;
    let paid = match status {
        TopUpStatus::Pending => return Ok(()),
        TopUpStatus::Credited => PaymentStatus::Succeeded,
        TopUpStatus::Failed | TopUpStatus::Abandoned => PaymentStatus::Failed,
    };
    // The gateway would call a service that does not serve yet.
    let payments = &*service.store;
    let decided = payments.decide(&reference, paid, clock.now()).await?;
    if let Some((payment, _)) = decided {
        payments.mark_notified(&payment).await?;
    }
    if status == TopUpStatus::Credited {
        let reference = Some(receipt.reference);
        top_ups.verify(&tenant.caller, reference, Faults::default()).await?;
    } else if let Some(top_up) = TopUpRepository::find(payments, &reference).await? {
        payments.close(&top_up, status).await?;
    }
    Ok(())
}

async fn invoice(
    service: &PastService,
    tenant: &Tenant,
    admin: &Administrator,
    amount: Money,
    end: InvoiceEnd,
) -> Result<(), StartError> {
    let invoices = &service.api.invoices;
    let invoice = invoices.issue(&tenant.caller, amount).await?;
    match end {
        InvoiceEnd::Open => {}
        InvoiceEnd::Withdrawn => drop(invoices.withdraw(&tenant.caller, invoice.id).await?),
        InvoiceEnd::Paid => {
            let number = invoice.number.to_string();
            let payment = (number.as_str(), Some(amount));
            let organization = tenant.caller.organization;
            invoices.credit_manually(admin, organization, payment, Faults::default()).await?;
        }
    }
    Ok(())
}
