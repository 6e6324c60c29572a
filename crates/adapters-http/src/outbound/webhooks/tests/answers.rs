//! Calls to receivers that answer oddly, or not at all.

use tokio::{io::AsyncWriteExt, net::TcpListener};

use super::*;

/// Long enough to connect on a busy machine, short enough to be waited for.
const SHORT: Duration = Duration::from_secs(2);
/// Longest time that a call may take until its timeout is reported.
const LONGEST: TimeDelta = TimeDelta::seconds(10);

async fn outcome_of(answer: &str) -> CallOutcome {
    let receiver = Receiver::answering(answer).await;
    local(SHORT).call(&call(receiver.url("/"))).await.outcome
}

/// Calls a machine that answers each connection with `bytes` and closes it, and returns the outcome.
async fn outcome_of_closing(scheme: &str, bytes: &'static [u8]) -> CallOutcome {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("{scheme}://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(bytes).await;
            let _ = stream.shutdown().await;
        }
    });
    local(TIMEOUT).call(&call(url)).await.outcome
}

#[tokio::test]
async fn reports_every_status_and_only_2xx_as_success() {
    for (answer, status, is_success) in [
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, true),
        ("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", 200, true),
        ("HTTP/1.1 299 Fine\r\ncontent-length: 0\r\n\r\n", 299, true),
        ("HTTP/1.1 304 Not Modified\r\n\r\n", 304, false),
        ("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n", 410, false),
        ("HTTP/1.1 500 Oops\r\ncontent-length: 5\r\n\r\nstack", 500, false),
    ] {
        let outcome = outcome_of(answer).await;
        assert_eq!((outcome, outcome.is_success()), (answered(status), is_success), "{answer}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let other = Receiver::answering(OK).await;
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let location = other.url("/");
        let answer =
            format!("HTTP/1.1 {status}\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");

        let outcome = outcome_of(&answer).await;

        assert_eq!(outcome, answered(status[..3].parse().unwrap()));
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_receiver_may_ask_to_be_left_alone() {
    for (status, header, seconds) in [
        (429, "retry-after: 30", Some(30)),
        (502, "Retry-After: 30", Some(30)),
        (503, "retry-after: 999999", Some(86_400)),
        // The time of the call is 2024-11-15 21:12:01.
        (504, "retry-after: Fri, 15 Nov 2024 21:13:01 GMT", Some(60)),
        (503, "retry-after: soon", None),
        (503, "x-other: 30", None),
        (500, "retry-after: 30", None),
        (200, "retry-after: 30", None),
    ] {
        let answer = format!("HTTP/1.1 {status} Status\r\n{header}\r\ncontent-length: 0\r\n\r\n");
        let retry_after = seconds.map(TimeDelta::seconds);
        let expected = CallOutcome::Answered { status, retry_after };
        assert_eq!(outcome_of(&answer).await, expected, "{answer}");
    }
}

#[tokio::test]
async fn waits_for_an_answer_until_the_timeout() {
    for answer in
        ["", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"]
    {
        let receiver = Receiver::answering(answer).await;

        let result = local(SHORT).call(&call(receiver.url("/"))).await;

        assert_eq!(result.outcome, failed(CallFailure::TimedOut), "{answer}");
        assert!(result.took < LONGEST, "{}", result.took);
    }
}

#[tokio::test]
async fn the_status_counts_of_an_answer_that_does_not_end() {
    let silent = "HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\npart";
    let receiver = Receiver::answering(silent).await;
    let result = local(SHORT).call(&call(receiver.url("/"))).await;
    assert_eq!(result.outcome, answered(202));
    assert!(result.took < LONGEST, "{}", result.took);

    // The repetitions are the body of the first answer.
    let endless = b"HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n".repeat(100);
    let receiver = Receiver::never_ending(endless).await;
    let result = local(TIMEOUT).call(&call(receiver.url("/"))).await;
    assert_eq!(result.outcome, answered(200));
    assert!(result.took < LONGEST, "{}", result.took);
}

#[tokio::test]
async fn an_answer_that_was_not_read_to_its_end_costs_its_connection() {
    let body = "x".repeat(64 * MAX_ANSWER);
    let large = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let receiver = Receiver::answering(large).await;
    let webhooks = local(TIMEOUT);

    for _ in 0..2 {
        assert_eq!(webhooks.call(&call(receiver.url("/"))).await.outcome, answered(200));
    }

    assert_eq!(receiver.connections(), 2);
}

#[tokio::test]
async fn reports_an_answer_that_is_not_http_as_broken() {
    let broken = failed(CallFailure::Broken);
    for bytes in
        [&b""[..], b"SSH-2.0-OpenSSH_9.2p1\r\n", b"\x00\xff\x00\xff\r\n\r\n", b"HTTP/9.9 200\r\n"]
    {
        assert_eq!(outcome_of_closing("http", bytes).await, broken, "{bytes:?}");
    }
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x-header: value\r\n".repeat(70_000));
    assert_eq!(outcome_of(&many).await, broken);
    let long = format!("HTTP/1.1 200 OK\r\nx-header: {}\r\n\r\n", "v".repeat(1_048_576));
    assert_eq!(outcome_of(&long).await, broken);
}

#[tokio::test]
async fn distinguishes_failures_of_tls_and_of_connections() {
    let tls_failed = failed(CallFailure::TlsFailed);
    assert_eq!(outcome_of_closing("https", b"").await, tls_failed);
    assert_eq!(outcome_of_closing("https", b"HTTP/1.1 400 Bad Request\r\n\r\n").await, tls_failed);

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let outcome = local(TIMEOUT).call(&call(url)).await.outcome;
    assert_eq!(outcome, failed(CallFailure::NotConnected));
}
