//! Limits on how far a client may run ahead of its answers.
//!
//! The HTTP library decodes all that it has read, and keeps every decoded request until its turn
//! comes. A client that sends thousands of requests at once would fill the memory with them, so its
//! connection is not read while it is [too far ahead](Pace::allowance).

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
    time::Instant,
};

use memchr::memchr;

/// Number of request heads that are passed on before their answers have been written.
pub(super) const HEADS_AHEAD: usize = 8;
/// Number of bytes that are passed on while the request being answered does not ask for its body.
const BYTES_AHEAD: usize = 32 * 1_024;

/// State that a connection and its requests share. Clones share it.
#[derive(Clone)]
pub(crate) struct Pace(Rc<State>);

struct State {
    /// Number of requests that are being answered: one, or none.
    answering: Cell<usize>,
    wants_body: Cell<bool>,
    heads: Cell<usize>,
    bytes: Cell<usize>,
    /// Time of the last answer, or of the first byte of the request that was begun since.
    waiting_since: Cell<Instant>,
    /// True if a request was begun since the last answer.
    has_begun: Cell<bool>,
    /// Waker of the reader, which reads on as soon as that is allowed again.
    reader: RefCell<Option<Waker>>,
    /// True if the client has hung up: nothing more comes from it.
    is_hung_up: Cell<bool>,
    /// Waker of the task that waits for the client to hang up.
    listener: RefCell<Option<Waker>>,
}

/// A request that is being answered, until this is dropped.
pub(crate) struct Answering(Pace);

impl Pace {
    pub(super) fn new() -> Self {
        Self(Rc::new(State {
            answering: Cell::new(0),
            wants_body: Cell::new(false),
            heads: Cell::new(0),
            bytes: Cell::new(0),
            waiting_since: Cell::new(Instant::now()),
            has_begun: Cell::new(false),
            reader: RefCell::default(),
            is_hung_up: Cell::new(false),
            listener: RefCell::default(),
        }))
    }

    /// Marks a request as being answered.
    pub(crate) fn begin(&self) -> Answering {
        self.0.answering.set(self.0.answering.get() + 1);
        self.0.heads.set(self.0.heads.get().saturating_sub(1));
        Answering(self.clone())
    }

    /// Sets if the request that is being answered waits for more of its body.
    pub(crate) fn want_body(&self, wants_body: bool) {
        self.0.wants_body.set(wants_body);
        if wants_body {
            self.wake();
        }
    }

    /// Returns the time since which a request is waited for, or its completion if it
    /// [was begun](Self::has_begun); `None` while one is answered.
    pub(super) fn waiting_since(&self) -> Option<Instant> {
        (self.0.answering.get() == 0).then(|| self.0.waiting_since.get())
    }

    /// Returns true if a part of a request has come since the last answer.
    pub(super) fn has_begun(&self) -> bool {
        self.0.has_begun.get()
    }

    /// Returns the number of heads that may be passed on now. `None` is none, until the
    /// [`reader`](Self::wait) is woken.
    pub(super) fn allowance(&self) -> Option<usize> {
        if self.0.answering.get() == 0 {
            // All that was passed on has been answered.
            self.0.heads.set(0);
            self.0.bytes.set(0);
        }
        if self.0.answering.get() == 0 || self.0.wants_body.get() {
            return Some(HEADS_AHEAD);
        }
        let heads = HEADS_AHEAD.saturating_sub(self.0.heads.get());
        (heads > 0 && self.0.bytes.get() < BYTES_AHEAD).then_some(heads)
    }

    pub(super) fn wait(&self, reader: &Waker) {
        *self.0.reader.borrow_mut() = Some(reader.clone());
    }

    pub(super) fn handed_on(&self, bytes: usize, heads: usize) {
        if bytes > 0 && !self.0.has_begun.replace(true) {
            self.0.waiting_since.set(Instant::now());
        }
        self.0.bytes.set(self.0.bytes.get().saturating_add(bytes));
        self.0.heads.set(self.0.heads.get().saturating_add(heads));
    }

    /// Notes that nothing more comes from the client.
    pub(super) fn hang_up(&self) {
        self.0.is_hung_up.set(true);
        if let Some(listener) = self.0.listener.borrow_mut().take() {
            listener.wake();
        }
    }

    /// Waits until the client has hung up.
    pub(crate) async fn hung_up(&self) {
        poll_fn(|cx| {
            if self.0.is_hung_up.get() {
                return Poll::Ready(());
            }
            *self.0.listener.borrow_mut() = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn wake(&self) {
        if let Some(reader) = self.0.reader.borrow_mut().take() {
            reader.wake();
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let state = &self.0.0;
        state.answering.set(state.answering.get().saturating_sub(1));
        state.wants_body.set(false);
        state.waiting_since.set(Instant::now());
        state.has_begun.set(false);
        self.0.wake();
    }
}

/// Counts the empty lines in what a client sends: every head ends with one.
#[derive(Default)]
pub(super) struct EmptyLines {
    line: Line,
}

/// Content of a line so far.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Line {
    #[default]
    Nothing,
    CarriageReturn,
    Text,
}

impl Line {
    /// Returns the content after these bytes, none of which ends the line.
    fn with(self, bytes: &[u8]) -> Self {
        match (self, bytes) {
            (line, []) => line,
            (Self::Nothing, b"\r") => Self::CarriageReturn,
            _ => Self::Text,
        }
    }
}

impl EmptyLines {
    /// Returns the number of bytes that hold at most `most` empty lines, and the number of these lines.
    pub(super) fn take(&mut self, bytes: &[u8], most: usize) -> (usize, usize) {
        let (mut found, mut taken) = (0, 0);
        while found < most
            && let Some(length) = memchr(b'\n', &bytes[taken..])
        {
            let line = self.line.with(&bytes[taken..taken + length]);
            found += usize::from(line != Line::Text);
            self.line = Line::Nothing;
            taken += length + 1;
        }
        if found < most {
            self.line = self.line.with(&bytes[taken..]);
            taken = bytes.len();
        }
        (taken, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_are_counted_however_the_bytes_are_cut() {
        let text =
            b"GET / HTTP/1.1\r\nA: b\r\n\r\nGET / HTTP/1.1\n\nPOST / HTTP/1.1\r\n\r\nabc\r\nd";
        for cut in 0..text.len() {
            let mut lines = EmptyLines::default();
            let (first, second) = text.split_at(cut);
            let found = lines.take(first, usize::MAX).1 + lines.take(second, usize::MAX).1;
            assert_eq!(found, 3, "cut at {cut}");
        }
    }

    #[test]
    fn takes_bytes_up_to_the_last_allowed_head() {
        let text = b"a\r\n\r\nb\r\n\r\nc\r\n\r\n";
        assert_eq!(EmptyLines::default().take(text, 2), (10, 2));
        assert_eq!(EmptyLines::default().take(text, 9), (15, 3));
    }

    #[test]
    fn a_client_may_run_ahead_a_little_while_it_waits_for_an_answer() {
        let pace = Pace::new();
        assert_eq!(pace.allowance(), Some(HEADS_AHEAD));
        pace.handed_on(100, 3);

        let answering = pace.begin();
        assert_eq!(pace.allowance(), Some(HEADS_AHEAD - 2));
        pace.handed_on(100, HEADS_AHEAD - 2);
        assert_eq!(pace.allowance(), None);

        pace.want_body(true);
        assert_eq!(pace.allowance(), Some(HEADS_AHEAD));
        pace.want_body(false);
        assert_eq!(pace.allowance(), None);

        drop(answering);
        assert_eq!(pace.allowance(), Some(HEADS_AHEAD));
    }

    #[test]
    fn a_body_that_is_not_read_is_not_taken_in() {
        let pace = Pace::new();
        let _answering = pace.begin();
        pace.handed_on(BYTES_AHEAD, 0);
        assert_eq!(pace.allowance(), None);
    }
}
