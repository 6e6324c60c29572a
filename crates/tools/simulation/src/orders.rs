//! What clients asked for, and what they were answered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{identity::organization::Organization, messaging::message::Message, shared::id::Id};

/// A request of a client.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// Who made it.
    pub organization: Id<Organization>,
    /// Whether it names itself, so that it can be repeated.
    pub is_keyed: bool,
    /// The recipients of its messages; nobody else asks for a message to one of them.
    pub recipients: Vec<String>,
    /// The messages of each answer that said that it was accepted.
    pub accepted: Vec<Vec<Id<Message>>>,
    /// How it was refused for good, if so.
    pub refused: Option<&'static str>,
}

/// Which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OrderId(usize);

/// All orders. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Orders(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    orders: Vec<Order>,
    recipients: u32,
}

impl Orders {
    /// An order of so many messages.
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
