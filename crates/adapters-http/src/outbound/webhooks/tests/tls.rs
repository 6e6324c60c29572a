//! A receiver with an untrusted certificate.

use std::{
    io::{self, Read},
    net::TcpListener,
    thread,
};

use rcgen::generate_simple_self_signed;
use rustls::{ServerConfig, ServerConnection, Stream, pki_types::PrivateKeyDer};
use tokio::sync::oneshot;

use super::*;

#[tokio::test]
async fn sends_nothing_to_a_self_signed_receiver() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = self_signed();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, result) = oneshot::channel();
    thread::spawn(move || sender.send(listen(&listener, config)).unwrap());
    let webhooks = webhooks(true, &["127.0.0.1"]);

    let outcome = webhooks.call(&call(format!("https://hooks.example.com:{port}/"))).await.outcome;

    assert_eq!(outcome, failed(CallFailure::TlsFailed));
    let error = result.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("fatal alert"), "{error}");
}

/// Reads the first bytes that are sent under TLS.
fn listen(listener: &TcpListener, config: ServerConfig) -> io::Result<usize> {
    let (mut socket, _) = listener.accept()?;
    let mut connection = ServerConnection::new(Arc::new(config)).unwrap();
    Stream::new(&mut connection, &mut socket).read(&mut [0; 64])
}

/// Returns a server with a self-signed certificate for `hooks.example.com`.
fn self_signed() -> ServerConfig {
    let made = generate_simple_self_signed(["hooks.example.com".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::builder().with_no_client_auth();
    config.with_single_cert(vec![made.cert.into()], key).unwrap()
}
