//! The connection of a client, read no faster than the client takes its answers.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::web::{Buf, BytesMut};
use metrics::Counter;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep, sleep_until},
};

use super::{
    connections::Place,
    pace::{EmptyLines, HEADS_AHEAD, Pace},
};

/// Reasons to give a connection up, as the metrics count them.
const REQUEST_NOT_COMPLETED: &str = "REQUEST_NOT_COMPLETED";
const ANSWER_NOT_TAKEN: &str = "ANSWER_NOT_TAKEN";

/// Times for which a client may keep the server waiting.
#[derive(Clone, Copy)]
pub(super) struct Timeouts {
    /// Time within which a request is completed, or an answer taken.
    pub(super) client: Duration,
    /// Time without a request, after which the server closes the connection.
    pub(super) idle: Duration,
}

/// A client's connection. It is not read while answers wait to be taken. It ends when no answer is
/// taken, or a request that was begun is not completed, within the timeout.
pub(super) struct ClientStream<S> {
    inner: S,
    pace: Pace,
    lines: EmptyLines,
    /// Number of heads that were passed on since the reader last had to wait.
    heads: usize,
    /// Bytes that were read and not passed on yet.
    kept: BytesMut,
    /// True if the client left no room for the answer that is being written.
    is_blocked: bool,
    /// True if a read was put off meanwhile.
    is_read_put_off: bool,
    timeouts: Timeouts,
    write_deadline: Option<Pin<Box<Sleep>>>,
    request_deadline: Option<Pin<Box<Sleep>>>,
    _place: Place,
}

impl<S> ClientStream<S> {
    pub(super) fn new(inner: S, timeouts: Timeouts, place: Place) -> Self {
        Self {
            inner,
            pace: Pace::new(),
            lines: EmptyLines::default(),
            heads: 0,
            kept: BytesMut::new(),
            is_blocked: false,
            is_read_put_off: false,
            timeouts,
            write_deadline: None,
            request_deadline: None,
            _place: place,
        }
    }

    /// Returns the state that the requests on this connection share with it.
    pub(super) fn pace(&self) -> Pace {
        self.pace.clone()
    }

    /// Fails if no request was completed for too long. The server closes a connection without any
    /// byte of a request earlier.
    fn check_request_deadline(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let Some(since) = self.pace.waiting_since() else { return Ok(()) };
        let Timeouts { client, idle } = self.timeouts;
        let most = if self.pace.has_begun() { client } else { idle.saturating_add(client) };
        let ends = Instant::from_std(since) + most;
        let deadline = self.request_deadline.get_or_insert_with(|| Box::pin(sleep_until(ends)));
        if deadline.deadline() > ends {
            deadline.as_mut().reset(ends);
        }
        while deadline.as_mut().poll(cx).is_ready() {
            if ends <= Instant::now() {
                return Err(given_up(REQUEST_NOT_COMPLETED, "no request was completed in time"));
            }
            deadline.as_mut().reset(ends);
        }
        Ok(())
    }
}

fn given_up(reason: &'static str, text: &'static str) -> io::Error {
    connections(reason).increment(1);
    io::Error::new(io::ErrorKind::TimedOut, text)
}

/// Registers the counters of connections that are given up, so that they exist before the first.
pub(super) fn register() {
    for reason in [REQUEST_NOT_COMPLETED, ANSWER_NOT_TAKEN] {
        connections(reason).increment(0);
    }
}

fn connections(reason: &'static str) -> Counter {
    metrics::counter!("atumpan_http_connections_given_up_total", "reason" => reason)
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.is_blocked {
            this.is_read_put_off = true;
            return Poll::Pending;
        }
        let Some(allowance) = this.pace.allowance() else {
            this.heads = 0;
            this.pace.wait(cx.waker());
            return Poll::Pending;
        };
        if this.heads >= HEADS_AHEAD {
            // All that was passed on is answered first.
            this.heads = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let most = allowance.min(HEADS_AHEAD - this.heads);
        let filled = buffer.filled().len();
        let (taken, heads) = if this.kept.is_empty() {
            let has_room = buffer.remaining() > 0;
            match Pin::new(&mut this.inner).poll_read(cx, buffer) {
                Poll::Ready(Ok(())) => {
                    if has_room && buffer.filled().len() == filled {
                        this.pace.hang_up();
                    }
                }
                Poll::Ready(Err(error)) => {
                    this.pace.hang_up();
                    return Poll::Ready(Err(error));
                }
                Poll::Pending => {
                    this.heads = 0;
                    this.check_request_deadline(cx)?;
                    return Poll::Pending;
                }
            }
            let fresh = &buffer.filled()[filled..];
            let (taken, heads) = this.lines.take(fresh, most);
            this.kept.extend_from_slice(&fresh[taken..]);
            buffer.set_filled(filled + taken);
            (taken, heads)
        } else {
            let room = buffer.remaining().min(this.kept.len());
            let (taken, heads) = this.lines.take(&this.kept[..room], most);
            buffer.put_slice(&this.kept[..taken]);
            this.kept.advance(taken);
            (taken, heads)
        };
        if this.kept.is_empty() && this.kept.capacity() > 0 {
            this.kept = BytesMut::new();
        }
        this.heads += heads;
        this.pace.handed_on(taken, heads);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.inner).poll_write(cx, bytes) {
            Poll::Ready(result) => {
                this.is_blocked = false;
                this.write_deadline = None;
                if std::mem::take(&mut this.is_read_put_off) {
                    cx.waker().wake_by_ref();
                }
                Poll::Ready(result)
            }
            Poll::Pending => {
                this.is_blocked = true;
                let timeout = this.timeouts.client;
                let deadline = this.write_deadline.get_or_insert_with(|| Box::pin(sleep(timeout)));
                match deadline.as_mut().poll(cx) {
                    Poll::Ready(()) => Poll::Ready(Err(given_up(
                        ANSWER_NOT_TAKEN,
                        "an answer was not taken in time",
                    ))),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        time::timeout,
    };

    use super::*;
    use crate::{TrustedProxies, server::connections::Connections};

    const HEAD: &[u8] = b"GET / HTTP/1.1\r\n\r\n";
    /// Time to wait for something that must not happen.
    const WHILE: Duration = Duration::from_millis(100);

    fn connection(room: usize, client: Duration) -> (DuplexStream, ClientStream<DuplexStream>) {
        let (near, far) = duplex(room);
        let place = Connections::new(1, 1, TrustedProxies::default()).enter(None).unwrap();
        let timeouts = Timeouts { client, idle: Duration::from_secs(60) };
        (near, ClientStream::new(far, timeouts, place))
    }

    /// Returns the number of heads that are passed on until the reader has to wait.
    async fn heads(stream: &mut ClientStream<DuplexStream>) -> usize {
        let mut bytes = 0;
        let mut buffer = [0; 8_192];
        while let Ok(read) = timeout(WHILE, stream.read(&mut buffer)).await {
            bytes += read.unwrap();
        }
        assert_eq!(bytes % HEAD.len(), 0);
        bytes / HEAD.len()
    }

    #[tokio::test]
    async fn requests_wait_while_one_is_answered() {
        let (mut client, mut stream) = connection(100_000, Duration::from_secs(60));
        client.write_all(&HEAD.repeat(40)).await.unwrap();
        let pace = stream.pace();

        let first = pace.begin();
        assert_eq!(heads(&mut stream).await, HEADS_AHEAD);
        let second = pace.begin();
        drop(first);
        assert_eq!(heads(&mut stream).await, 1);
        drop(second);

        assert_eq!(heads(&mut stream).await, 40 - HEADS_AHEAD - 1);
    }

    #[tokio::test]
    async fn a_waiting_reader_goes_on_when_the_answer_is_made() {
        let (mut client, mut stream) = connection(100_000, Duration::from_secs(60));
        let pace = stream.pace();
        let answering = pace.begin();
        client.write_all(&HEAD.repeat(10)).await.unwrap();
        assert_eq!(heads(&mut stream).await, HEADS_AHEAD);

        let read = async { stream.read(&mut [0; 100]).await };
        let (read, ()) = tokio::join!(timeout(Duration::from_secs(30), read), async {
            tokio::time::sleep(WHILE).await;
            drop(answering);
        });
        assert_eq!(read.unwrap().unwrap(), 2 * HEAD.len());
    }

    #[tokio::test]
    async fn nothing_is_read_while_answers_wait_to_be_taken() {
        let (mut client, mut stream) = connection(1_000, Duration::from_secs(60));
        client.write_all(HEAD).await.unwrap();
        assert!(timeout(WHILE, stream.write_all(&[0; 3_000])).await.is_err());
        assert_eq!(heads(&mut stream).await, 0);

        client.read_exact(&mut [0; 1_000]).await.unwrap();
        stream.write_all(&[0; 1_000]).await.unwrap();
        assert_eq!(heads(&mut stream).await, 1);
    }

    #[tokio::test]
    async fn gives_up_a_client_that_takes_no_answer() {
        let (_client, mut stream) = connection(1_000, Duration::from_millis(200));
        let written = timeout(Duration::from_secs(30), stream.write_all(&[0; 2_000])).await;
        assert_eq!(written.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn gives_up_a_client_that_completes_no_request() {
        let (mut client, mut stream) = connection(1_000, Duration::from_millis(200));
        drop(stream.pace().begin());
        client.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
        let mut text = String::new();
        let read = timeout(Duration::from_secs(30), stream.read_to_string(&mut text)).await;
        assert_eq!(read.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_client_may_rest_before_it_begins_a_request_but_not_within_it() {
        let (mut client, mut stream) = connection(1_000, 5 * WHILE);
        drop(stream.pace().begin());
        let mut buffer = [0; 100];
        assert!(timeout(6 * WHILE, stream.read(&mut buffer)).await.is_err(), "it rests");

        let part = b"GET / HTTP/1.1\r\n";
        client.write_all(part).await.unwrap();
        assert_eq!(stream.read(&mut buffer).await.unwrap(), part.len());
        assert!(
            timeout(WHILE, stream.read(&mut buffer)).await.is_err(),
            "it has time for the rest"
        );
        let read = timeout(Duration::from_secs(30), stream.read(&mut buffer)).await;
        assert_eq!(read.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
