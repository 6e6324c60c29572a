//! Redis that is reached by TLS alone.

use std::{
    fs,
    net::TcpStream,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use testkit::{free_port, requires, skipped, until};

use crate::program::{command, folder, serve_with};

const TIMEOUT: Duration = Duration::from_secs(20);

/// Writes the certificate of an authority, and one for `127.0.0.1` that it signed, with its key.
fn write_certificates(folder: &Path) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "Makola Authority");
    let key = KeyPair::generate().unwrap();
    fs::write(folder.join("ca.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    fs::write(folder.join("redis.pem"), params.signed_by(&key, &issuer).unwrap().pem()).unwrap();
    fs::write(folder.join("redis.key"), key.serialize_pem()).unwrap();
}

/// Redis with such certificates. It ends when this is dropped.
struct TlsRedis {
    port: u16,
    process: Child,
}

impl TlsRedis {
    /// Starts Redis; returns `None` if the program is not installed or lacks TLS.
    fn start(folder: &Path) -> Option<Self> {
        write_certificates(folder);
        let port = free_port();
        let process = requires("redis-server")?
            .current_dir(folder)
            .args(["--bind", "127.0.0.1", "--port", "0", "--save", ""])
            .args(["--tls-port", &port.to_string(), "--tls-auth-clients", "no"])
            .args(["--tls-cert-file", "redis.pem", "--tls-key-file", "redis.key"])
            .args(["--tls-ca-cert-file", "ca.pem"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut redis = Self { port, process };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if redis.process.try_wait().unwrap().is_some() {
                skipped("this redis-server knows no TLS");
                return None;
            }
            assert!(began.elapsed() < TIMEOUT, "redis-server does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        Some(redis)
    }
}

impl Drop for TlsRedis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_is_reached_by_tls_with_a_trusted_certificate() {
    let (certificates, folder) = (folder(), folder());
    let Some(redis) = TlsRedis::start(certificates.path()) else { return };
    let url = format!("rediss://127.0.0.1:{}", redis.port);
    let mut command = command(folder.path());
    command.env("REDIS_URL", url).env("ATUMPAN_RATE_LIMITS", "on");

    let program = serve_with(&mut command);
    assert_eq!(program.status("/health").await, 503, "nobody whom the machine trusts signed it");
    program.crash();

    command.env("SSL_CERT_FILE", certificates.path().join("ca.pem"));
    let program = serve_with(&mut command);
    until("Redis answers", async || program.status("/health").await == 200).await;
}
