//! Receiver of webhooks that takes as little processor time as possible: only the length of a
//! request is read, and each is answered at once on a connection that is kept.

use std::{
    io::{Error, ErrorKind},
    net::{SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use bytes::{Buf, BytesMut};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    runtime::Builder,
    task::{LocalSet, spawn_local},
};

const MAX_HEADERS: usize = 32;
const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

/// Receiver on a thread of its own, until the program ends.
pub(crate) struct Receiver {
    address: SocketAddr,
    received: Arc<AtomicU64>,
}

impl Receiver {
    /// Listens on this machine.
    pub(crate) fn start() -> Result<Self, Error> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let (address, received) = (listener.local_addr()?, Arc::<AtomicU64>::default());
        let counter = Arc::clone(&received);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        thread::spawn(move || {
            runtime.block_on(LocalSet::new().run_until(accept(listener, counter)))
        });
        Ok(Self { address, received })
    }

    /// Returns its address.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Returns the number of requests received so far.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
}

async fn accept(listener: TcpListener, received: Arc<AtomicU64>) -> Result<(), Error> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        // A broken connection does not affect the others.
        spawn_local(answer(stream, Arc::clone(&received)));
    }
}

async fn answer(mut stream: TcpStream, received: Arc<AtomicU64>) -> Result<(), Error> {
    let mut buffer = BytesMut::with_capacity(16 * 1_024);
    loop {
        match length(&buffer)? {
            Some(length) if buffer.len() >= length => {
                buffer.advance(length);
                received.fetch_add(1, Ordering::Relaxed);
                stream.write_all(ANSWER).await?;
            }
            _ => {
                if stream.read_buf(&mut buffer).await? == 0 {
                    return Ok(());
                }
            }
        }
    }
}

/// Returns the length of the request at the start of the bytes; `None` until its whole head is
/// there.
fn length(bytes: &[u8]) -> Result<Option<usize>, Error> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let malformed = |_| Error::from(ErrorKind::InvalidData);
    let httparse::Status::Complete(head) = request.parse(bytes).map_err(malformed)? else {
        return Ok(None);
    };
    let length = request.headers.iter().find(|it| it.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|it| std::str::from_utf8(it.value).ok()?.parse::<usize>().ok());
    Ok(Some(head + length.ok_or(ErrorKind::InvalidData)?))
}
