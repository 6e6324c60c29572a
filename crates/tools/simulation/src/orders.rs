//! Requests of clients, and the answers that they got.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{identity::organization::Organization, messaging::message::Message, shared::id::Id};

/// Request of a client.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// Organization that made the request.
    pub organization: Id<Organization>,
    /// True if the request has an idempotency key, so that it can be repeated.
    pub is_keyed: bool,
    /// Recipients of its messages; no other request has one of them.
    pub recipients: Vec<String>,
    /// Messages of each accepting answer.
    pub accepted: Vec<Vec<Id<Message>>>,
    /// Reason of a permanent refusal; `None` if there was none.
    pub refused: Option<&'static str>,
}

/// Identifier of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OrderId(usize);

/// All orders. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Orders(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    orders: Vec<Order>,
    recipients: u32,
}

impl Orders {
    /// Adds an order of that number of messages.
    pub(crate) fn place(
        &self,
        organization: Id<Organization>,
        is_keyed: bool,
        messages: usize,
    ) -> (OrderId, Vec<String>) {
        let mut book = self.book();
        let first = book.recipients;
        book.recipients += u32::try_from(messages).unwrap_or_default();
        let recipients: Vec<_> =
            (first..book.recipients).map(|number| format!("+23324{number:07}")).collect();
        let order = Order {
            organization,
            is_keyed,
            recipients: recipients.clone(),
            accepted: Vec::new(),
            refused: None,
        };
        book.orders.push(order);
        (OrderId(book.orders.len() - 1), recipients)
    }

    pub(crate) fn accept(&self, order: OrderId, messages: Vec<Id<Message>>) {
        if let Some(order) = self.book().orders.get_mut(order.0) {
            order.accepted.push(messages);
        }
    }

    pub(crate) fn refuse(&self, order: OrderId, code: &'static str) {
        if let Some(order) = self.book().orders.get_mut(order.0) {
            order.refused = Some(code);
        }
    }

    pub(crate) fn all(&self) -> Vec<Order> {
        self.book().orders.clone()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
