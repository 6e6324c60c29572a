//! Texts written by rules and by a language model.

use std::time::Duration;

use acceptance::{Answer, Receiver, Reply, Tenant, World};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

const GENERATE: &str = "/content/generate";
const REWRITE: &str = "/content/rewrite";
const TRANSLATE: &str = "/content/translate";
/// Longer than any step here takes on a slow machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Starts a model that returns one text after the other, and then the last again.
async fn model(answers: &[&str]) -> Receiver {
    let answers: Vec<_> = answers.iter().map(ToString::to_string).collect();
    Receiver::start(move |_, calls| {
        let content = json!({"message": answers[calls.min(answers.len() - 1)]}).to_string();
        let message = json!({"role": "assistant", "content": content});
        let choice = json!({"index": 0, "finish_reason": "stop", "message": message});
        Reply::json(200, &json!({"choices": [choice]}))
    })
    .await
}

async fn world_with(url: &str) -> World {
    World::start_with(&[
        ("ATUMPAN_CONTENT_URL", url),
        ("ATUMPAN_CONTENT_MODEL", "llama3"),
        ("ATUMPAN_CONTENT_KEY", "s3cr3t"),
        // Longer than any test here waits.
        ("ATUMPAN_CONTENT_TIMEOUT", "300"),
    ])
    .await
}

async fn ask(tenant: &Tenant<'_>, path: &str, body: &Value) -> Answer {
    tenant.owner().post(path, body.clone()).await
}

fn translation() -> Value {
    json!({"message": "Welcome {{name}}", "targetLanguage": "Twi"})
}

#[tokio::test]
async fn rules_rewrite_a_text_and_are_named_as_the_writer() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let body = json!({
        "message": "Dear customer, kindly note that order {{order}} costs ₵{{amount}} – thank you!",
        "style": "professional", "channel": "SMS",
    });

    let written = ask(&tenant, REWRITE, &body).await.data(200).clone();

    let expected = json!({
        "message": "Dear customer, order {{order}} costs GHS {{amount}} - thank you.",
        "subject": null, "writer": "rules", "notes": [], "riskScore": 0, "issues": [],
        "requiresApproval": false, "segments": 1, "encoding": "GSM-7",
    });
    assert_eq!(written, expected);
}

#[tokio::test]
async fn rules_write_a_text_with_all_placeholders_and_a_check() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let body = json!({
        "goal": "Promote kente at our shop in Osu until {{end}}", "channel": "SMS",
        "category": "MARKETING", "tone": "friendly", "variables": ["firstName", "end"],
    });

    let written = ask(&tenant, GENERATE, &body).await.data(200).clone();

    assert_eq!(
        written["message"],
        "Hi {{firstName}}, discover kente at our shop in Osu until {{end}}. Reply STOP to opt out"
    );
    let check = json!({"message": written["message"], "category": "MARKETING", "channel": "SMS"});
    let checked = ask(&tenant, "/compliance/check-message", &check).await.data(200).clone();
    for field in ["riskScore", "issues", "requiresApproval", "segments", "encoding"] {
        assert_eq!(written[field], checked[field], "{field}");
    }
}

#[tokio::test]
async fn translation_and_other_languages_need_a_model() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let twi = json!({"goal": "Thank donors", "channel": "SMS", "language": "tw"});
    for (path, body) in [(TRANSLATE, translation()), (GENERATE, twi)] {
        let answer = ask(&tenant, path, &body).await;
        answer.fails(503, "CONTENT_WRITER_NOT_CONFIGURED");
        assert!(answer.body["error"]["message"].as_str().unwrap().contains("language model"));
    }
}

#[tokio::test]
async fn reports_every_fault_of_a_request_at_once() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let generate = json!({"channel": "FAX", "variables": ["a b"], "maxSegments": 0, "tone": 5});
    let rewrite = json!({"message": "Hi {{first name}}", "style": "rude", "x": 1});
    let translate = json!({"message": " ", "sourceLanguage": ""});
    for (path, body, faulty) in [
        (GENERATE, generate, vec!["channel", "goal", "maxSegments", "tone", "variables.0"]),
        (REWRITE, rewrite, vec!["message", "style", "x"]),
        (TRANSLATE, translate, vec!["message", "sourceLanguage", "targetLanguage"]),
    ] {
        let answer = ask(&tenant, path, &body).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
        assert_eq!(fields, faulty, "{}", answer.text);
    }
}

#[tokio::test]
async fn a_model_is_asked_again_after_changing_a_placeholder() {
    let server = model(&["Akwaaba {{din}}", "Akwaaba {{name}}"]).await;
    let world = world_with(&server.url).await;
    let tenant = world.tenant().await;

    let written = ask(&tenant, TRANSLATE, &translation()).await.data(200).clone();

    assert_eq!(
        (&written["writer"], &written["message"]),
        (&json!("model"), &json!("Akwaaba {{name}}"))
    );
    let requests = server.received();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].headers["authorization"], "Bearer s3cr3t");
    let second = &requests[1].body;
    assert!(second.contains("it lacks the placeholder {{name}}"), "{second}");
}

#[tokio::test]
async fn never_returns_a_model_text_that_lost_a_placeholder() {
    let server = model(&["Akwaaba"]).await;
    let world = world_with(&server.url).await;
    let tenant = world.tenant().await;
    let rewrite = json!({"message": "Dear {{name}}, welcome", "style": "friendly"});

    let written = ask(&tenant, REWRITE, &rewrite).await.data(200).clone();

    assert_eq!(
        (&written["writer"], &written["message"]),
        (&json!("rules"), &json!("Hi {{name}}, welcome"))
    );
    assert_eq!(written["notes"].as_array().unwrap().len(), 1);
    let answer = ask(&tenant, TRANSLATE, &translation()).await;
    answer.fails(503, "SERVICE_UNAVAILABLE");
    assert!(!answer.text.contains("Akwaaba"));
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test]
async fn passes_on_the_retry_time_of_a_busy_model() {
    let server = Receiver::start(|_, _| Reply::status(429).with("Retry-After", "17")).await;
    let world = world_with(&server.url).await;
    let tenant = world.tenant().await;

    let answer = ask(&tenant, TRANSLATE, &translation()).await;

    answer.fails(503, "SERVICE_UNAVAILABLE");
    assert_eq!(answer.header("retry-after"), "17");
}

/// Reads the next call to a silent model and returns its connection without an answer.
async fn next_call(silent: &TcpListener) -> TcpStream {
    let (mut stream, _) = timeout(TIMEOUT, silent.accept()).await.unwrap().unwrap();
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains("targetLanguage") {
        let mut buffer = [0; 4_096];
        let length = stream.read(&mut buffer).await.unwrap();
        assert!(length > 0, "the call is complete");
        read.extend_from_slice(&buffer[..length]);
    }
    stream
}

#[tokio::test]
async fn a_silent_model_delays_two_texts_per_organization_only() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let world = world_with(&format!("http://{}", silent.local_addr().unwrap())).await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let body = translation();
    let mut first = Box::pin(ask(&tenant, TRANSLATE, &body));
    let mut second = Box::pin(ask(&tenant, TRANSLATE, &body));
    let calls = async { (next_call(&silent).await, next_call(&silent).await) };
    let (mut call, mut other_call) = tokio::select! {
        calls = calls => calls,
        _ = &mut first => panic!("nobody has answered"),
        _ = &mut second => panic!("nobody has answered"),
    };

    let third = ask(&tenant, TRANSLATE, &body).await;
    third.fails(429, "RATE_LIMITED");
    assert_eq!(third.header("retry-after"), "2");
    assert_eq!(world.get("/health").await.status, 200);
    let goal = json!({"goal": "Thank donors", "channel": "SMS", "maxSegments": 11});
    ask(&other, GENERATE, &goal).await.fails(400, "VALIDATION_ERROR");

    // A disconnecting client ends the call and frees its place.
    drop(first);
    drop(second);
    for call in [&mut call, &mut other_call] {
        let rest = timeout(TIMEOUT, call.read_to_end(&mut Vec::new())).await;
        assert!(rest.is_ok(), "the call has ended");
    }
    let mut again = Box::pin(ask(&tenant, TRANSLATE, &body));
    let mut call = tokio::select! {
        call = next_call(&silent) => call,
        answer = &mut again => panic!("{}", answer.text),
    };
    let content = json!({"message": "Akwaaba {{name}}"}).to_string();
    let message = json!({"role": "assistant", "content": content});
    let text = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", text.len());
    call.write_all(format!("{head}{text}").as_bytes()).await.unwrap();
    assert_eq!(again.await.data(200)["writer"], "model");
}
