//! Encrypted connections to a real server, with certificates made by the tests.

mod server;

use adapters_postgres::PgStore;

use self::server::{TlsServer, authority};

/// Connects with these parameters, and returns true if the connection is encrypted.
async fn is_encrypted(server: &TlsServer, parameters: &str) -> Result<bool, String> {
    let store = PgStore::connect_writers(&server.url(parameters), 1);
    let store = store.map_err(|error| error.to_string())?;
    store.has_settings_of_writers().await.map_err(|error| error.to_string())?;
    Ok(server.last_is_encrypted().await)
}

#[tokio::test]
async fn sslmode_selects_tls_as_in_libpq() {
    let authority = authority("Makola Authority");
    let server = TlsServer::start(&authority, "localhost").await;
    let right = format!("sslrootcert={}", server.file("right.pem", &authority.0.pem()));
    let stranger = self::authority("Somebody Else");
    let wrong = format!("sslrootcert={}", server.file("wrong.pem", &stranger.0.pem()));

    for (parameters, expected) in [
        ("sslmode=disable".to_owned(), false),
        (String::new(), true),
        ("sslmode=prefer".to_owned(), true),
        ("sslmode=require".to_owned(), true),
        (format!("sslmode=require&{right}"), true),
        (format!("sslmode=verify-ca&{right}"), true),
        (format!("sslmode=verify-full&{right}"), true),
    ] {
        assert_eq!(is_encrypted(&server, &parameters).await, Ok(expected), "{parameters}");
    }
    for parameters in [
        format!("sslmode=require&{wrong}"),
        format!("sslmode=verify-ca&{wrong}"),
        format!("sslmode=verify-full&{wrong}"),
        // The machine trusts no signer of it.
        "sslmode=verify-ca".to_owned(),
        "sslmode=verify-full".to_owned(),
        "sslrootcert=system".to_owned(),
    ] {
        let error = is_encrypted(&server, &parameters).await.unwrap_err();
        assert!(error.contains("UnknownIssuer"), "{parameters}: {error}");
    }
}

#[tokio::test]
async fn only_verify_full_checks_the_host_name() {
    let authority = authority("Makola Authority");
    let server = TlsServer::start(&authority, "db.example.com").await;
    let right = format!("sslrootcert={}", server.file("right.pem", &authority.0.pem()));

    assert_eq!(is_encrypted(&server, &format!("sslmode=verify-ca&{right}")).await, Ok(true));
    let error = is_encrypted(&server, &format!("sslmode=verify-full&{right}")).await.unwrap_err();

    assert!(error.contains("not valid for name"), "{error}");
}

#[tokio::test]
async fn prefer_accepts_a_server_without_tls_and_require_does_not() {
    let server = TlsServer::start_in_clear().await;

    assert_eq!(is_encrypted(&server, "sslmode=prefer").await, Ok(false));
    let error = is_encrypted(&server, "sslmode=require").await.unwrap_err();

    assert!(error.contains("server does not support TLS"), "{error}");
}
