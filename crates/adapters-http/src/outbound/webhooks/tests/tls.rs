//! A receiver that does not prove who it is.

use std::{
    io::{self, Read},
    net::TcpListener,
    process::Command,
    thread,
};

use rustls::{
    ServerConfig, ServerConnection, Stream,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio::sync::oneshot;

use super::*;

#[tokio::test]
async fn who_vouches_for_itself_is_told_nothing() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = self_signed();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (heard, has_heard) = oneshot::channel();
    thread::spawn(move || heard.send(listen(&listener, config)).unwrap());
    let webhooks = webhooks(true, &["127.0.0.1"]);

    let outcome = webhooks.call(&call(format!("https://hooks.example.com:{port}/"))).await.outcome;

    assert_eq!(outcome, failed(CallFailure::TlsFailed));
    let error = has_heard.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("fatal alert"), "{error}");
}

/// Reads the first bytes that are sent under TLS.
fn listen(listener: &TcpListener, config: ServerConfig) -> io::Result<usize> {
    let (mut socket, _) = listener.accept()?;
    let mut connection = ServerConnection::new(Arc::new(config)).unwrap();
    Stream::new(&mut connection, &mut socket).read(&mut [0; 64])
}

/// A server with a certificate for `hooks.example.com`, signed by itself.
fn self_signed() -> ServerConfig {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-days", "2", "-nodes", "-subj", "/CN=hooks.example.com"])
        .args(["-addext", "subjectAltName=DNS:hooks.example.com"])
        .args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", "-"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let certificate = CertificateDer::from_pem_slice(&made.stdout).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&made.stdout).unwrap();
    let config = ServerConfig::builder().with_no_client_auth();
    config.with_single_cert(vec![certificate], key).unwrap()
}
