//! Bounds of the text of a request.

use std::collections::BTreeMap;

use super::*;

fn mail(body: String, value: String) -> MessageRequest {
    MessageRequest {
        channel: Some(Channel::Email),
        to: Some("ama@example.com".into()),
        body: Some(body),
        variables: BTreeMap::from([("a".to_owned(), value)]),
        ..MessageRequest::default()
    }
}

#[tokio::test]
async fn a_value_repeated_beyond_the_bound_is_a_fault() {
    for (value, paths) in [(500_000, &["variables", "variables.a"][..]), (10_000, &["body"])] {
        let request = mail("{{a}}".repeat(100_000), "x".repeat(value));

        let error = TestPorts::closed().messages().send(&owner(), send(request)).await.unwrap_err();

        assert_eq!(faults(error).fields.keys().collect::<Vec<_>>(), paths);
    }
}

#[tokio::test]
async fn the_filled_texts_of_a_request_are_bounded_together() {
    let long = mail("{{a}}".repeat(45), "x".repeat(10_000));
    let command = SendBulk { messages: vec![long; 10], ..SendBulk::default() };

    let error = TestPorts::closed().messages().send_bulk(&owner(), command).await.unwrap_err();

    assert_eq!(faults(error).form, [TOO_MUCH_TEXT]);
}
