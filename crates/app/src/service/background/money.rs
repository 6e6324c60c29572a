//! Tasks for payments, invoices and wallets.

use std::{sync::Arc, time::Duration};

use usecases::{identity::spending::Spending, money::invoices::Statements};

use crate::{
    background::{Task, Turn, again_if_any, then_idle},
    service::{stores::BackgroundStores, wiring::Wiring},
};

/// Interval between looks for top-ups to ask the gateway about, and pause after a failure.
const RECONCILIATION: Duration = Duration::from_secs(5);
const RECONCILIATION_RETRY: Duration = Duration::from_secs(30);
/// Interval between looks for simulated payments to report to our webhook.
const SIMULATED_PAYMENTS: Duration = Duration::from_secs(2);
/// Interval between looks for months to state.
const STATEMENTS: Duration = Duration::from_secs(600);
/// Interval between looks for organizations whose wallets lack their spending rules.
const RULES: Duration = Duration::from_secs(20);

pub(super) fn tasks(wiring: &Wiring, stores: &BackgroundStores) -> Vec<Task> {
    let store = || Arc::clone(&stores.background);
    let (top_ups, checkouts) = (wiring.api.top_ups.clone(), &wiring.api.checkouts);
    let statements = Statements::new(store(), Arc::clone(&wiring.core.clock));
    let mut tasks = vec![
        // Payments on which the gateway has not reported.
        Task::every("reconciliation of top-ups", RECONCILIATION, top_ups, |top_ups| async move {
            again_if_any(top_ups.reconcile().await)
        })
        .retry_after(RECONCILIATION_RETRY),
        Task::every("monthly statements", STATEMENTS, statements, write_statements),
        Task::every("spending rules", RULES, Spending::new(store()), apply_spending_rules),
    ];
    if checkouts.are_open() {
        let (name, checkouts) = ("simulated payments", checkouts.clone());
        tasks.push(Task::every(name, SIMULATED_PAYMENTS, checkouts, |checkouts| async move {
            then_idle(checkouts.notify_pending().await)
        }));
    }
    tasks
}

/// Writes the statements of months that have ended.
async fn write_statements(statements: Statements) -> Turn {
    let written = statements.write_due().await;
    if let Ok(statements @ 1..) = written {
        tracing::info!(statements, "wrote monthly statements");
    }
    then_idle(written)
}

/// Applies spending rules to wallets for which that was cut short.
async fn apply_spending_rules(spending: Spending) -> Turn {
    let applied = spending.apply_left().await;
    if let Ok(organizations @ 1..) = applied {
        tracing::info!(organizations, "applied spending rules that wallets lacked");
    }
    then_idle(applied)
}
