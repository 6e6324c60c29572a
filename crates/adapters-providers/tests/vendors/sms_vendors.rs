//! SMS vendors: groups, lookups and callbacks.

use std::sync::Arc;

use adapters_providers::Declaration;
use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        attempt::Attempt,
        callback::{Callback, CallbackMethod, MessageRef, Received},
        delivery::{DeliveryEvent, FailureCode as Code},
        message::Message,
        outcome::{FollowUp, LookUp, Outcome},
    },
    shared::channel::Channel,
};
use ports::providers::provider::MessagingProvider;

use crate::{
    support::{credentials, declaration, kind, made, message},
    vendor_server::{VendorServer, answer},
};

fn declared(kind: &str, base_url: &str) -> Declaration {
    let credentials = match kind {
        "hubtel" => credentials([("client_id", "id"), ("client_secret", "s3cr3t")]),
        _ => credentials([("api_key", "s3cr3t")]),
    };
    Declaration {
        sender: Some("SHOP".into()),
        credentials,
        ..declaration(kind, Channel::Sms, base_url)
    }
}

fn provider(kind: &str, base_url: &str) -> Arc<dyn MessagingProvider> {
    made(&declared(kind, base_url))
}

fn two() -> [Message; 2] {
    ["+233244123456", "+233204123456"].map(|to| message(Channel::Sms, to, "Akwaaba ₵"))
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

/// Returns the message after the provider under test accepted it with `reference`.
fn taken(reference: &str) -> Message {
    let [mut message, _] = two();
    let reference = Some(reference.to_owned());
    let outcome = Outcome::Accepted { reference, follow_up: FollowUp::Report };
    message.attempts.push(Attempt::start("under-test", now()).end(now(), &outcome));
    message
}

/// Returns the first line of a request, and its body.
fn parts(request: &str) -> (&str, &str) {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap(), body)
}

#[tokio::test]
async fn arkesel_takes_a_group_in_one_call_and_names_each_message() {
    let body = r#"{"status":"success","data":[{"recipient":"233204123456","id":"b"},
        {"invalid numbers":["233244123456"]},{"recipient":"233574123456","id":"c"}]}"#;
    let server = VendorServer::start(answer("200 OK", "", body)).await;
    let provider = provider("arkesel", &server.url);
    assert!(provider.group_limit() >= 50);

    let messages = ["+233574123456", "+233244123456", "+233204123456", "+233204123456"]
        .map(|to| message(Channel::Sms, to, "Akwaaba ₵"));
    let outcomes = provider.send_group(&messages).await;

    let accepted = |id: &str| Outcome::Accepted {
        reference: Some(id.to_owned()),
        follow_up: FollowUp::Report,
    };
    assert_eq!(outcomes[0], accepted("c"));
    assert_eq!(kind(&outcomes[1]), ('R', Some(Code::InvalidRecipient)));
    assert_eq!(outcomes[2], accepted("b"));
    // The vendor mentions only one message to that number.
    assert_eq!(kind(&outcomes[3]), ('U', Some(Code::UnknownOutcome)));
    let request = server.request.await.unwrap();
    let (line, body) = parts(&request);
    assert_eq!(line, "POST /api/v2/sms/send HTTP/1.1");
    let recipients =
        r#""recipients":["233574123456","233244123456","233204123456","233204123456"]"#;
    assert!(body.contains(recipients), "{body}");
    // One address serves all messages, so it contains no identifier.
    assert!(body.contains("/callbacks/providers/under-test?token="), "{body}");
    assert!(!body.contains("&message="), "{body}");
}

#[tokio::test]
async fn mnotify_takes_a_group_in_one_call_under_one_reference() {
    let body = r#"{"status":"success","code":"2000","summary":{"_id":"A5","total_sent":2,
        "total_rejected":0,"numbers_sent":[]}}"#;
    let server = VendorServer::start(answer("200 OK", "", body)).await;

    let outcomes = provider("mnotify", &server.url).send_group(&two()).await;

    let accepted = Outcome::Accepted { reference: Some("A5".into()), follow_up: FollowUp::Report };
    assert_eq!(outcomes, [accepted.clone(), accepted]);
    let request = server.request.await.unwrap();
    let recipients = r#"{"recipient":["0244123456","0204123456"],"#;
    assert!(parts(&request).1.starts_with(recipients), "{request}");
}

#[tokio::test]
async fn hubtel_takes_a_group_in_one_call_and_names_each_message() {
    let body = r#"{"batchId":"165949ee","status":0,"data":[
        {"recipient":"233204123456","content":"Akwaaba \u20B5","messageId":"b"},
        {"recipient":"233501431586","content":"Akwaaba \u20B5","messageId":"c"}]}"#;
    let server = VendorServer::start(answer("201 Created", "", body)).await;
    let provider = provider("hubtel", &server.url);
    assert!(provider.group_limit() >= 50);

    let outcomes = provider.send_group(&two()).await;

    assert_eq!(kind(&outcomes[0]), ('U', Some(Code::UnknownOutcome)), "it is not mentioned");
    let accepted = Outcome::Accepted { reference: Some("b".into()), follow_up: FollowUp::Report };
    assert_eq!(outcomes[1..], [accepted]);
    let request = server.request.await.unwrap();
    let (line, body) = parts(&request);
    assert_eq!(line, "POST /v1/messages/batch/simple/send HTTP/1.1");
    let expected = r#"{"From":"SHOP","Recipients":["233244123456","233204123456"],"#;
    assert!(body.starts_with(expected), "{body}");
    assert!(body.contains(r#""Content":"Akwaaba ₵""#), "{body}");
}

#[tokio::test]
async fn hubtel_takes_long_texts_one_by_one() {
    let texts = two().map(|mut message| {
        Arc::make_mut(&mut message.draft).body = "x".repeat(10_000);
        message
    });

    // No server listens there.
    let outcomes = provider("hubtel", "http://127.0.0.1:1").send_group(&texts).await;

    let not_as_a_group = ('N', Some(Code::ProviderRejected));
    assert_eq!(outcomes.iter().map(kind).collect::<Vec<_>>(), [not_as_a_group; 2]);
}

#[tokio::test]
async fn infobip_takes_a_group_in_one_call_by_our_identifiers() {
    // Two messages to one number.
    let messages = ["+233244123456"; 2].map(|to| message(Channel::Sms, to, "Akwaaba ₵"));
    let [first, second] = &messages.each_ref().map(|message| message.id.internal());
    let body = format!(
        r#"{{"messages":[
            {{"messageId":"{second}","status":{{"groupName":"REJECTED","id":10}}}},
            {{"messageId":"{first}","status":{{"groupName":"PENDING","id":26}}}}]}}"#
    );
    let server = VendorServer::start(answer("200 OK", "", &body)).await;

    let outcomes = provider("infobip", &server.url).send_group(&messages).await;

    let reference = Some(first.clone());
    assert_eq!(outcomes[0], Outcome::Accepted { reference, follow_up: FollowUp::Report });
    assert_eq!(kind(&outcomes[1]), ('R', Some(Code::RecipientOptedOut)));
    let request = server.request.await.unwrap();
    let destinations = format!(
        r#""destinations":[{{"to":"233244123456","messageId":"{first}"}},{{"to":"233244123456","messageId":"{second}"}}]"#
    );
    assert!(parts(&request).1.contains(&destinations), "{request}");
}

#[tokio::test]
async fn messages_are_looked_up_at_every_vendor() {
    let id = taken("r-1").id.internal();
    let infobip = format!(
        r#"{{"results":[{{"messageId":"{id}","status":{{"groupName":"DELIVERED","id":5}}}}]}}"#
    );
    for (kind, line, body) in [
        ("hubtel", "GET /v1/messages/r-1 HTTP/1.1", r#"{"messageId":"r-1","status":"Delivered"}"#),
        (
            "mnotify",
            "GET /api/campaign/r-1?key=s3cr3t HTTP/1.1",
            r#"{"status":"success","report":[{"recipient":"0244123456","status":"DELIVERED"}]}"#,
        ),
        (
            "arkesel",
            "GET /api/v2/sms/r-1 HTTP/1.1",
            r#"{"status":"success","data":{"ID":"r-1","status":"DELIVERED"}}"#,
        ),
        (
            "termii",
            "GET /api/sms/inbox?api_key=s3cr3t&message_id=r-1 HTTP/1.1",
            r#"[{"message_id":"r-1","status":"Delivered"}]"#,
        ),
        ("infobip", "GET /sms/3/logs?messageId=msg_", infobip.as_str()),
    ] {
        let server = VendorServer::start(answer("200 OK", "", body)).await;

        let found = provider(kind, &server.url).look_up(&taken("r-1")).await;

        assert_eq!(found, LookUp::Found(DeliveryEvent::Confirmed { at: now() }), "{kind}");
        let request = server.request.await.unwrap();
        assert!(parts(&request).0.starts_with(line), "{kind}: {request}");
    }
}

#[tokio::test]
async fn a_failed_lookup_is_unavailable() {
    let [never_taken, _] = two();
    for kind in ["hubtel", "mnotify", "arkesel", "termii"] {
        let provider = provider(kind, "http://127.0.0.1:1");
        assert_eq!(provider.look_up(&never_taken).await, LookUp::Unavailable, "{kind}");
        assert_eq!(provider.look_up(&taken("r-1")).await, LookUp::Unavailable, "{kind}");
    }
    let server = VendorServer::start(answer("200 OK", "", r#"{"results":[]}"#)).await;
    let infobip = provider("infobip", &server.url);
    assert_eq!(infobip.look_up(&never_taken).await, LookUp::NotFound);
}

/// Calls the address that Arkesel and Infobip were given, with `body` and additions to the query.
fn call(
    provider: &dyn MessagingProvider,
    url: &str,
    more: &[(&str, &str)],
    body: &str,
) -> Received {
    let query = url.split_once('?').unwrap().1;
    let pair = |(key, text): (&str, &str)| (key.to_owned(), text.to_owned());
    let told = query.split('&').map(|field| pair(field.split_once('=').unwrap()));
    let callback = Callback {
        method: CallbackMethod::Post,
        url: url.to_owned(),
        query: told.chain(more.iter().copied().map(pair)).collect(),
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    };
    provider.receive(&callback).unwrap()
}

/// Returns the address under `key` in a request's body.
fn told(request: &str, key: &str) -> String {
    let (_, rest) = request.split_once(&format!(r#""{key}":""#)).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn the_submitted_callback_address_accepts_reports() {
    let [message, _] = two();
    let id = message.id.internal();

    let server = VendorServer::start(answer("200 OK", "", "{}")).await;
    let arkesel = provider("arkesel", &server.url);
    arkesel.send(&message).await;
    let url = told(&server.request.await.unwrap(), "callback_url");
    let of_arkesel = call(&*arkesel, &url, &[("sms_id", "9b75"), ("status", "DELIVERED")], "");

    let server = VendorServer::start(answer("200 OK", "", "{}")).await;
    let infobip = provider("infobip", &server.url);
    infobip.send(&message).await;
    let url = told(&server.request.await.unwrap(), "url");
    let body = format!(
        r#"{{"results":[{{"messageId":"{id}","status":{{"groupName":"DELIVERED","id":5}}}}]}}"#
    );
    let of_infobip = call(&*infobip, &url, &[], &body);

    for received in [of_arkesel, of_infobip] {
        let [report] = received.reports.as_slice() else { panic!("{received:?}") };
        assert_eq!(report.about, MessageRef::Ours(message.id));
        assert_eq!(report.event, DeliveryEvent::Confirmed { at: now() });
    }
}
