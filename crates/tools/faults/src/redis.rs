//! Redis that is killed and comes back.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process::Stdio,
    time::Duration,
};

use tokio::{
    net::TcpStream,
    process::{Child, Command},
};

use crate::{failure::Result, system::until};

const TIMEOUT: Duration = Duration::from_secs(10);

/// Server that keeps nothing on disk.
pub(crate) struct Redis {
    address: SocketAddr,
    server: Child,
}

impl Redis {
    pub(crate) async fn start() -> Result<Self> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        Ok(Self { address, server: serve(address).await? })
    }

    pub(crate) async fn kill(&mut self) -> Result<()> {
        Ok(self.server.kill().await?)
    }

    /// Serves at the same address again.
    pub(crate) async fn come_back(&mut self) -> Result<()> {
        self.server = serve(self.address).await?;
        Ok(())
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }
}

async fn serve(address: SocketAddr) -> Result<Child> {
    let program = test_harness::requires("redis-server").ok_or("redis-server is not installed")?;
    let server = Command::from(program)
        .args(["--bind", "127.0.0.1", "--save", "", "--port", &address.port().to_string()])
        .current_dir(std::env::temp_dir())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("redis-server: {error}"))?;
    until("Redis answers", TIMEOUT, async || Ok(TcpStream::connect(address).await.is_ok())).await?;
    Ok(server)
}
