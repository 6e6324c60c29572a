//! Natural batching: a writer takes whatever gathered while the last batch was written.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Mutex, Notify, mpsc, oneshot};

/// What is to be written, and where the answer goes.
pub(crate) struct Entry<T, R> {
    pub(crate) item: T,
    reply: oneshot::Sender<R>,
}

impl<T, R> Entry<T, R> {
    /// Answers whoever waits, if they still do.
    pub(crate) fn answer(self, reply: R) {
        let _ = self.reply.send(reply);
    }
}

/// The way in to a writer. Bounded.
pub(crate) struct BatchSender<T, R> {
    queue: mpsc::Sender<Entry<T, R>>,
}

/// The writer's side: what waits to be written.
pub(crate) struct BatchReceiver<T, R> {
    queue: mpsc::Receiver<Entry<T, R>>,
    max_weight: usize,
}

/// Why nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotWritten {
    /// As much waits as may wait.
    Full,
    /// The writer has ended.
    Closed,
}

/// Connects callers with a writer. At most `waiting` items wait; a batch ends at `max_weight`.
pub(crate) fn channel<T, R>(
    waiting: usize,
    max_weight: usize,
) -> (BatchSender<T, R>, BatchReceiver<T, R>) {
    let (sender, receiver) = mpsc::channel(waiting);
    (BatchSender { queue: sender }, BatchReceiver { queue: receiver, max_weight })
}

impl<T, R> BatchSender<T, R> {
    /// Hands `item` to the writer unless too much waits already, and waits for the answer.
    pub(crate) async fn try_write(&self, item: T) -> Result<R, NotWritten> {
        let (reply, answer) = oneshot::channel();
        self.queue.try_send(Entry { item, reply }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => NotWritten::Full,
            mpsc::error::TrySendError::Closed(_) => NotWritten::Closed,
        })?;
        answer.await.map_err(|_| NotWritten::Closed)
    }

    /// Hands `item` to the writer, if need be after others, and waits for the answer.
    pub(crate) async fn write(&self, item: T) -> Result<R, NotWritten> {
        let (reply, answer) = oneshot::channel();
        let sent = self.queue.send(Entry { item, reply }).await;
        sent.map_err(|_| NotWritten::Closed)?;
        answer.await.map_err(|_| NotWritten::Closed)
    }
}

impl<T, R> BatchReceiver<T, R> {
    /// The next batch: `carried` and what waits, but one item at least. `None` when nothing will
    /// come any more.
    pub(crate) async fn next(
        &mut self,
        carried: Vec<Entry<T, R>>,
        weight: impl Fn(&T) -> usize,
    ) -> Option<Vec<Entry<T, R>>> {
        let mut batch = carried;
        if batch.is_empty() {
            batch.push(self.queue.recv().await?);
        }
        let mut total: usize = batch.iter().map(|entry| weight(&entry.item)).sum();
        while total < self.max_weight
            && let Ok(entry) = self.queue.try_recv()
        {
            total += weight(&entry.item);
            batch.push(entry);
        }
        Some(batch)
    }
}

/// What several writers share. One of them writes; another begins beside it only with a large batch,
/// for many small ones cost more than they gain.
pub(crate) struct SharedReceiver<T, R> {
    receiver: Mutex<BatchReceiver<T, R>>,
    large: usize,
    writing: AtomicUsize,
    written: Notify,
}

impl<T, R> SharedReceiver<T, R> {
    /// A batch of that weight is `large`.
    pub(crate) fn new(receiver: BatchReceiver<T, R>, large: usize) -> Self {
        let writing = AtomicUsize::new(0);
        Self { receiver: Mutex::new(receiver), large, writing, written: Notify::new() }
    }

    /// The next batch, which counts as being written until its turn is dropped. `None` when nothing
    /// will come any more.
    pub(crate) async fn next(
        &self,
        weight: impl Fn(&T) -> usize,
    ) -> Option<(Vec<Entry<T, R>>, BatchPermit<'_>)> {
        let mut receiver = self.receiver.lock().await;
        let mut batch = Vec::new();
        loop {
            batch = receiver.next(batch, &weight).await?;
            let total: usize = batch.iter().map(|entry| weight(&entry.item)).sum();
            if total >= self.large || self.writing.load(Ordering::Acquire) == 0 {
                break;
            }
            let more = receiver.queue.recv();
            tokio::select! {
                () = self.written.notified() => {}
                entry = more => match entry {
                    Some(entry) => batch.push(entry),
                    None => break,
                }
            }
        }
        self.writing.fetch_add(1, Ordering::AcqRel);
        Some((batch, BatchPermit { writing: &self.writing, written: &self.written }))
    }
}

/// A batch is being written. A writer that panics ends its turn too, or small batches would wait for
/// it for ever.
pub(crate) struct BatchPermit<'s> {
    writing: &'s AtomicUsize,
    written: &'s Notify,
}

impl Drop for BatchPermit<'_> {
    fn drop(&mut self) {
        self.writing.fetch_sub(1, Ordering::AcqRel);
        self.written.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, future::Either};

    use super::*;

    #[tokio::test]
    async fn a_batch_takes_what_gathered_and_waits_for_nothing() {
        let (sender, mut receiver) = channel::<u8, u8>(10, 3);
        let callers = async {
            let all = (1..=4).map(|item| sender.try_write(item));
            futures_util::future::join_all(all).await
        };
        let writer = async {
            let mut sizes = Vec::new();
            while sizes.iter().sum::<usize>() < 4 {
                let batch = receiver.next(Vec::new(), |_| 1).await.unwrap();
                sizes.push(batch.len());
                for entry in batch {
                    let reply = entry.item * 10;
                    entry.answer(reply);
                }
            }
            sizes
        };

        let (answers, sizes) = futures_util::future::join(callers, writer).await;

        assert_eq!(sizes, [3, 1]);
        assert_eq!(answers, [Ok(10), Ok(20), Ok(30), Ok(40)]);
    }

    #[tokio::test]
    async fn another_batch_begins_beside_one_only_if_it_is_large() {
        let (sender, receiver) = channel::<u8, u8>(10, 100);
        let shared = SharedReceiver::new(receiver, 2);
        let hand_in = |items: std::ops::Range<u8>| {
            items.map(|item| Box::pin(sender.try_write(item)).now_or_never()).for_each(drop);
        };
        hand_in(0..1);
        let (one, first) = shared.next(|_| 1).await.unwrap();
        assert_eq!(one.len(), 1, "nothing else is written");

        hand_in(1..2);
        assert!(Box::pin(shared.next(|_| 1)).now_or_never().is_none(), "it is small");
        hand_in(2..4);
        let (two, second) = shared.next(|_| 1).await.unwrap();
        assert_eq!(two.len(), 2, "it is large");

        hand_in(4..5);
        drop((first, second));
        assert_eq!(shared.next(|_| 1).await.unwrap().0.len(), 1, "all others are written");
    }

    #[tokio::test]
    async fn what_finds_no_room_is_refused_at_once() {
        let (sender, _gathering) = channel::<u8, u8>(1, 1);
        let waiting = std::pin::pin!(sender.try_write(1));
        let refused = std::pin::pin!(sender.try_write(2));

        let first = futures_util::future::select(waiting, refused).await;

        let Either::Right((refused, _)) = first else { panic!("nobody writes") };
        assert_eq!(refused, Err(NotWritten::Full));
    }
}
