//! Signals to the process.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Signals that end the process or make it read settings again. Signals that make other programs reopen
/// files would end it by default, and are ignored.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        for (name, kind) in
            [("SIGUSR1", SignalKind::user_defined1()), ("SIGUSR2", SignalKind::user_defined2())]
        {
            let mut ignored = signal(kind)?;
            tokio::spawn(async move {
                while ignored.recv().await.is_some() {
                    tracing::info!(signal = name, "ignored a signal");
                }
            });
        }
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal that ends the process.
    pub(super) async fn end(&mut self) {
        while !self.next().await.ends() {}
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> Received {
        tokio::select! {
            _ = self.terminate.recv() => Received::End,
            _ = self.interrupt.recv() => Received::End,
            _ = self.hangup.recv() => Received::Reload,
        }
    }
}

/// Meaning of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Received {
    /// The process is to end.
    End,
    /// The settings are to be read again.
    Reload,
}

impl Received {
    fn ends(self) -> bool {
        self == Self::End
    }
}
