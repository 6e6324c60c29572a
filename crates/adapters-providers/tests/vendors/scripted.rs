//! HTTP server that responds to one request after the other, and keeps them all.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{io::AsyncWriteExt, net::TcpListener, time::sleep};

use crate::{
    conformance::Canned,
    vendor_server::{Then, answer, read},
};

/// Delay before each response: long enough for other requests to arrive in the meantime.
const PAUSE: Duration = Duration::from_millis(30);

/// Server at `url`. A request whose path contains the text of one of the answers gets that answer;
/// the second such request the second answer, and so on; after the last, the last again.
pub(crate) struct Scripted {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub(crate) async fn start(answers: Vec<(&'static str, Canned)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, answers) = (Arc::clone(&requests), Arc::new(answers));
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (kept, answers) = (Arc::clone(&kept), Arc::clone(&answers));
                tokio::spawn(async move {
                    let request = read(&mut stream).await;
                    let canned = next(&answers, &kept, request);
                    sleep(PAUSE).await;
                    if let Then::Answer(text) = answer(canned.status, canned.headers, canned.body) {
                        let _ = stream.write_all(text.as_bytes()).await;
                    }
                });
            }
        });
        Self { url, requests }
    }

    /// Returns the requests so far whose path contains `part`, in the order of arrival.
    pub(crate) fn requests(&self, part: &str) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|request| path(request).contains(part)).cloned().collect()
    }
}

fn path(request: &str) -> &str {
    request.split(' ').nth(1).unwrap_or_default()
}

fn next(answers: &[(&'static str, Canned)], kept: &Mutex<Vec<String>>, request: String) -> Canned {
    let mut kept = kept.lock().unwrap();
    let fitting: Vec<_> =
        answers.iter().filter(|(part, _)| path(&request).contains(part)).collect();
    let (part, _) = fitting.first().unwrap();
    let before = kept.iter().filter(|request| path(request).contains(part)).count();
    let (_, canned) = fitting[before.min(fitting.len() - 1)];
    kept.push(request);
    Canned { ..*canned }
}
