//! Texts of messages that a provider requests.

use super::*;

const NOTHING: &str = "nothing";

/// Answer to the vendor of `first` when it requests the text of `id`.
async fn answer(id: Id<Message>, known: Option<Message>) -> CallbackAnswer {
    let mut jobs = MockJobs::new();
    jobs.expect_find().with(eq(id)).return_once(move |_| Ok(known));
    let answer = CallbackAnswer::Text("text/plain", NOTHING.into());
    let asked = Received { asks_for: Some(id), answer, ..Received::default() };
    let callbacks = callbacks(Ok(asked), jobs, MockCallbackRepository::new());
    callbacks.receive("first", &callback()).await.unwrap()
}

fn text(text: &str) -> CallbackAnswer {
    CallbackAnswer::Text("text/plain", text.into())
}

#[tokio::test]
async fn the_text_of_a_message_of_another_provider_is_not_returned() {
    let theirs = sent_by("second");
    assert_eq!(answer(theirs.id, Some(theirs)).await, text(NOTHING));

    let mut called = sent_by("first");
    Arc::make_mut(&mut called.draft).channel = Channel::Voice;
    assert_eq!(answer(called.id, Some(called)).await, text(NOTHING));
}

#[tokio::test]
async fn an_unknown_message_has_no_text() {
    assert_eq!(answer(sent_by("first").id, None).await, text(NOTHING));
}
