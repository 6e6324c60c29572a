//! HTTP server that keeps the calls.

use std::sync::{Arc, Mutex};

use crate::{HttpServer, Received, Reply};

/// Running receiver, stopped when dropped.
pub struct Receiver {
    /// URL of the receiver, without a path.
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    _server: HttpServer,
}

impl Receiver {
    /// Starts a receiver; `answers` takes each call and the number of calls before it.
    pub async fn start(
        answers: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let received = Arc::new(Mutex::new(Vec::<Received>::new()));
        let kept = Arc::clone(&received);
        let server = HttpServer::start(move |call| {
            let earlier = {
                let mut kept = kept.lock().expect("nobody panicked");
                kept.push(call.clone());
                kept.len() - 1
            };
            answers(&call, earlier)
        })
        .await;
        Self { url: server.url(), received, _server: server }
    }

    /// Starts a receiver that accepts every call.
    pub async fn taking_everything() -> Self {
        Self::start(|_, _| Reply::status(204)).await
    }

    /// Returns the calls received so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("nobody panicked").clone()
    }
}
