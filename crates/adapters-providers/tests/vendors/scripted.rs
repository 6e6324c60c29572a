//! HTTP server that responds to one request after the other, and keeps them all.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use testkit::{Receiver, Reply};

use crate::conformance::Canned;

/// Delay before each response: long enough for other requests to arrive in the meantime.
const PAUSE: Duration = Duration::from_millis(30);

/// Server at `url`. A request whose path contains the text of one of the answers gets that answer;
/// the second such request the second answer, and so on; after the last, the last again.
pub(crate) struct Scripted {
    pub(crate) url: String,
    receiver: Receiver,
}

impl Scripted {
    pub(crate) async fn start(answers: Vec<(&'static str, Canned)>) -> Self {
        let told: Vec<_> = answers.iter().map(|_| AtomicUsize::new(0)).collect();
        let receiver = Receiver::start(move |call, _| {
            let is_fitting = |at: &usize| call.path.contains(answers[*at].0);
            let fitting: Vec<_> = (0..answers.len()).filter(is_fitting).collect();
            let before = told[fitting[0]].fetch_add(1, Ordering::SeqCst);
            reply(&answers[fitting[before.min(fitting.len() - 1)]].1).after(PAUSE)
        })
        .await;
        Self { url: receiver.url.clone(), receiver }
    }

    /// Returns the requests so far whose path contains `part`, in the order of arrival.
    pub(crate) fn requests(&self, part: &str) -> Vec<String> {
        let requests = self.receiver.received();
        let fitting = requests.iter().filter(|request| request.path.contains(part));
        fitting.map(testkit::Received::text).collect()
    }
}

fn reply(canned: &Canned) -> Reply {
    let status = canned.status.split(' ').next().unwrap().parse().unwrap();
    let headers = canned.headers.lines().filter_map(|line| line.split_once(": "));
    headers.fold(Reply::text(status, canned.body), |reply, (name, value)| reply.with(name, value))
}
