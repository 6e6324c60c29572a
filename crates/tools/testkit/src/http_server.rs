//! HTTP server of a test.

mod received;
mod reply;

use std::{io, net::SocketAddr, sync::Arc};

use tokio::{
    io::BufReader,
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

pub use received::Received;
pub use reply::Reply;

type Answers = dyn Fn(Received) -> Reply + Send + Sync;

/// Server that answers each call as scripted. It ends when it is dropped, with its connections.
pub struct HttpServer {
    /// Address on this machine.
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl HttpServer {
    /// Starts a server.
    pub async fn start(answers: impl Fn(Received) -> Reply + Send + Sync + 'static) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        Self::start_at(any, answers).await.expect("a port is free")
    }

    /// Starts a server at that address.
    pub async fn start_at(
        address: SocketAddr,
        answers: impl Fn(Received) -> Reply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(serve(listener, Arc::new(answers)));
        Ok(Self { address, task })
    }

    /// Returns its URL, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, answers: Arc<Answers>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        // A broken connection does not affect the others.
        connections.spawn(converse(stream, Arc::clone(&answers)));
        while connections.try_join_next().is_some() {}
    }
}

async fn converse(stream: TcpStream, answers: Arc<Answers>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(call) = Received::read(&mut stream).await? {
        let reply = answers(call);
        reply.write(&mut stream).await?;
    }
    Ok(())
}
