//! Work that continues after the request that began it.

use std::sync::Arc;

use tokio::{runtime::Handle, sync::watch, task::JoinHandle};
use tracing::Instrument;

/// Work that outlives its request. It runs where no thread of the server can end it, and a shutdown
/// of the service waits for it. Clones share it.
#[derive(Debug, Clone)]
pub struct BackgroundWork {
    runtime: Handle,
    under_way: Arc<watch::Sender<usize>>,
}

/// Counts a piece of work until it is dropped.
struct Piece(Arc<watch::Sender<usize>>);

impl BackgroundWork {
    /// Creates the work, to run on `runtime`.
    pub fn new(runtime: Handle) -> Self {
        Self { runtime, under_way: Arc::new(watch::Sender::new(0)) }
    }

    /// Waits until no work is in progress.
    pub async fn finished(&self) {
        // The sender is in `self`, so the channel cannot be closed.
        let _ = self.under_way.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Begins a piece of work.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.under_way.send_modify(|count| *count += 1);
        let piece = Piece(Arc::clone(&self.under_way));
        let counted = async move {
            let _piece = piece;
            work.await
        };
        self.runtime.spawn(counted.in_current_span())
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use actix_web::rt::System;
    use futures_util::FutureExt;
    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    #[tokio::test]
    async fn work_outlives_the_thread_that_began_it_and_is_waited_for() {
        let background = BackgroundWork::new(Handle::current());
        let (answer, provider) = oneshot::channel::<u8>();
        let (done, is_done) = oneshot::channel();
        let its = background.clone();
        let server = thread::spawn(move || {
            System::new().block_on(async move {
                its.spawn(async move { done.send(provider.await.unwrap()).unwrap() });
            });
        });
        tokio::task::spawn_blocking(|| server.join().unwrap()).await.unwrap();

        assert_eq!(background.finished().now_or_never(), None);
        answer.send(7).unwrap();
        timeout(Duration::from_secs(30), background.finished()).await.unwrap();
        assert_eq!(is_done.await.unwrap(), 7);
    }

    #[tokio::test]
    async fn work_that_panics_is_over() {
        let background = BackgroundWork::new(Handle::current());
        let panicked = background.spawn(async { panic!("it fell over") });
        assert!(panicked.await.is_err());
        timeout(Duration::from_secs(30), background.finished()).await.unwrap();
    }
}
