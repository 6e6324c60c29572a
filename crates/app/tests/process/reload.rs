//! Settings that a running service reads again.

use std::{path::Path, sync::Mutex};

use serde_json::{Value, json};
use testkit::{HttpServer, Reply, Service, until};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::program::{command, folder, json_lines, serve_json};

const OLD: &str = "the older secret of all sessions";
const NEW: &str = "the newer secret of all sessions";
const SEALING: &str = "the secret that seals all others";

/// True if the log has a line with this message.
fn has_logged(log: &Path, message: &str) -> bool {
    json_lines(log).iter().any(|line| line["message"] == message)
}

/// Makes the service read its settings again, and waits until it has, for the `times`th time.
async fn reload(program: &Service, log: &Path, times: usize) {
    program.signal("HUP");
    let done = "read the providers and the secrets again";
    until("the settings are read again", async || {
        json_lines(log).iter().filter(|line| line["message"] == done).count() == times
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_outlives_the_secret_that_signed_it_while_that_is_the_previous_one() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let log = path("log");
    std::fs::write(path("jwt"), OLD).unwrap();
    let mut start = command(folder.path());
    start.env("ATUMPAN_JWT_SECRET_FILE", path("jwt")).env("ATUMPAN_SEAL_SECRET", SEALING);
    let program = serve_json(&mut start, &log);
    let tenant = program.tenant().await;
    let status = async || {
        let request = tenant.http.get(format!("{}/billing/wallet", program.url));
        let request = request.bearer_auth(&tenant.token);
        let request = request.header("X-Organization-Id", &tenant.organization);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(status().await, 200);

    std::fs::write(path("jwt"), NEW).unwrap();
    std::fs::write(path("atumpan.toml"), format!("jwt_secret_previous = \"{OLD}\"\nworkers = 7\n"))
        .unwrap();
    reload(&program, &log, 1).await;
    assert_eq!(status().await, 200, "the previous secret still verifies");
    let lines = json_lines(&log);
    let warned = lines.iter().find(|line| line["settings"].is_string()).unwrap();
    assert_eq!(warned["settings"], "ATUMPAN_WORKERS");

    std::fs::remove_file(path("atumpan.toml")).unwrap();
    reload(&program, &log, 2).await;
    assert_eq!(status().await, 401, "the secret is forgotten");

    std::fs::write(path("jwt"), "short").unwrap();
    program.signal("HUP");
    let refused = "failed to read the settings again; those of before hold";
    until("the fault is logged", async || has_logged(&log, refused)).await;
    assert_eq!(program.status("/health/live").await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_outlives_a_reload() {
    let folder = folder();
    let log = folder.path().join("log");
    let program = serve_json(&mut command(folder.path()), &log);
    let address = program.url.trim_start_matches("http://");
    let mut connection = TcpStream::connect(address).await.unwrap();
    assert_eq!(ask(&mut connection).await, "HTTP/1.1 200 OK");

    reload(&program, &log, 1).await;

    assert_eq!(ask(&mut connection).await, "HTTP/1.1 200 OK", "it was not closed");
}

/// Sends a request on a connection, and returns the first line of the response.
async fn ask(connection: &mut TcpStream) -> String {
    connection.write_all(b"GET /health/live HTTP/1.1\r\nHost: service\r\n\r\n").await.unwrap();
    let mut response = [0; 4096];
    let length = connection.read(&mut response).await.unwrap();
    let text = String::from_utf8_lossy(&response[..length]);
    text.lines().next().unwrap_or_default().to_owned()
}

fn declaration(url: &str, secret_file: &Path, more: &str) -> String {
    let secret_file = secret_file.display();
    format!(
        "[[provider]]\nname = \"sms\"\nkind = \"africas-talking\"\nchannel = \"SMS\"\n\
         base_url = \"{url}\"\ncredentials.username = \"kente\"\n\
         credentials.api_key = {{ file = \"{secret_file}\" }}\n{more}\n\
         [[provider.route]]\ncountry = \"*\"\n"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_is_called_with_the_new_key_after_a_reload() {
    let keys: &'static Mutex<Vec<String>> = Box::leak(Box::default());
    let vendor = HttpServer::start(move |call| {
        if call.method == "POST" {
            keys.lock().unwrap().push(call.headers.get("apikey").cloned().unwrap_or_default());
        }
        let recipient = json!({
            "statusCode": 101, "number": "+233241234567", "status": "Success", "messageId": "AT_1",
        });
        Reply::json(201, &json!({"SMSMessageData": {"Message": "Sent", "Recipients": [recipient]}}))
    })
    .await;
    let folder = folder();
    let (file, key) = (folder.path().join("providers.toml"), folder.path().join("key"));
    let log = folder.path().join("log");
    std::fs::write(&key, "old-key\n").unwrap();
    std::fs::write(&file, declaration(&vendor.url(), &key, "")).unwrap();
    let mut start = command(folder.path());
    let program = serve_json(start.env("ATUMPAN_PROVIDERS", "providers.toml"), &log);
    let tenant = program.tenant().await;
    let send = async || {
        let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
        let (status, answer) = tenant.post(&program, "/messages/send", message).await;
        assert_eq!(status, 201, "{answer}");
    };
    send().await;

    std::fs::write(&key, "new-key\n").unwrap();
    std::fs::write(&file, declaration(&vendor.url(), &key, "max_per_second = 5")).unwrap();
    reload(&program, &log, 1).await;
    send().await;

    assert_eq!(*keys.lock().unwrap(), ["old-key", "new-key"]);
    let lines = json_lines(&log);
    let lasting: Vec<&Value> = lines.iter().filter(|line| line["keys"].is_string()).collect();
    assert_eq!(lasting.len(), 1);
    assert_eq!(
        (&lasting[0]["provider"], &lasting[0]["keys"]),
        (&json!("sms"), &json!("max_per_second"))
    );

    std::fs::write(&file, "[[provider]]\n").unwrap();
    program.signal("HUP");
    let refused = "failed to read the providers again; those of before hold";
    until("the fault is logged", async || has_logged(&log, refused)).await;
    send().await;
    assert_eq!(keys.lock().unwrap().last().unwrap(), "new-key");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_language_model_is_called_with_the_new_key_after_a_reload() {
    let keys: &'static Mutex<Vec<String>> = Box::leak(Box::default());
    let model = HttpServer::start(move |call| {
        let key = call.headers.get("authorization").cloned().unwrap_or_default();
        keys.lock().unwrap().push(key);
        let message = json!({"role": "assistant", "content": r#"{"message": "Akwaaba"}"#});
        Reply::json(200, &json!({"choices": [{"finish_reason": "stop", "message": message}]}))
    })
    .await;
    let folder = folder();
    let (key, log) = (folder.path().join("key"), folder.path().join("log"));
    std::fs::write(&key, "old-key\n").unwrap();
    let mut start = command(folder.path());
    start.env("ATUMPAN_CONTENT_URL", model.url()).env("ATUMPAN_CONTENT_MODEL", "llama3");
    let program = serve_json(start.env("ATUMPAN_CONTENT_KEY_FILE", &key), &log);
    let tenant = program.tenant().await;
    let generate = async || {
        let wanted = json!({"goal": "Welcome customers", "channel": "SMS"});
        let (status, answer) = tenant.post(&program, "/content/generate", wanted).await;
        assert_eq!(status, 200, "{answer}");
    };
    generate().await;

    std::fs::write(&key, "new-key\n").unwrap();
    reload(&program, &log, 1).await;
    generate().await;

    assert_eq!(*keys.lock().unwrap(), ["Bearer old-key", "Bearer new-key"]);
}
