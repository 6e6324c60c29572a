//! Natural batching: a writer takes all items that gathered while the last batch was written.

use tokio::sync::{mpsc, oneshot};

/// Item to write, and the channel for its answer.
pub(crate) struct Entry<T, R> {
    pub(crate) item: T,
    reply: oneshot::Sender<R>,
}

impl<T, R> Entry<T, R> {
    /// Creates an entry for an item, with the receiver of its answer.
    pub(crate) fn new(item: T) -> (Self, oneshot::Receiver<R>) {
        let (reply, answer) = oneshot::channel();
        (Self { item, reply }, answer)
    }

    /// Answers the caller, if it still waits.
    pub(crate) fn answer(self, reply: R) {
        let _ = self.reply.send(reply);
    }
}

/// Sender to a writer. Bounded.
pub(crate) struct BatchSender<T, R> {
    queue: mpsc::Sender<Entry<T, R>>,
}

/// Receiver of a writer: the items that wait to be written.
pub(crate) struct BatchReceiver<T, R> {
    queue: mpsc::Receiver<Entry<T, R>>,
    max_weight: usize,
}

/// Nothing was written: the writer has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WriterEnded;

/// Connects callers with a writer. At most `waiting` items wait; a batch ends at `max_weight`.
pub(crate) fn channel<T, R>(
    waiting: usize,
    max_weight: usize,
) -> (BatchSender<T, R>, BatchReceiver<T, R>) {
    let (sender, receiver) = mpsc::channel(waiting);
    (BatchSender { queue: sender }, BatchReceiver { queue: receiver, max_weight })
}

impl<T, R> BatchSender<T, R> {
    /// Hands `item` to the writer, after waiting for room, and waits for the answer.
    pub(crate) async fn write(&self, item: T) -> Result<R, WriterEnded> {
        let (entry, answer) = Entry::new(item);
        self.queue.send(entry).await.map_err(|_| WriterEnded)?;
        answer.await.map_err(|_| WriterEnded)
    }
}

impl<T, R> BatchReceiver<T, R> {
    /// Returns the next batch: `carried` and the waiting items, at least one. `None` if the channel
    /// is closed and empty.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_batch_takes_gathered_items_without_waiting() {
        let (sender, mut receiver) = channel::<u8, u8>(10, 3);
        let callers = async {
            let all = (1..=4).map(|item| sender.write(item));
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
}
