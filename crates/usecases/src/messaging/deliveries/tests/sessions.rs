//! Vendors that take free texts only in a messaging window.

use domain::content::template::FilledTemplate;
use ports::shared::mock::{MockCallbackRepository, MockDeviceTokens};

use super::*;

const WINDOW: TimeDelta = TimeDelta::hours(24);

/// Deliveries over two providers of which the first takes a free text only within [`WINDOW`] after
/// `received`, the time of the recipient's last text.
fn with_recipient_state(mut two: TwoProviders, received: Option<DateTime<Utc>>) -> Deliveries {
    two.first.expect_session_window().return_const(WINDOW);
    two.first.expect_can_be_answered().return_const(true);
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(|_| Ok(Recorded::Done));
    let mut callbacks = MockCallbackRepository::new();
    callbacks.expect_last_inbound().returning(move |_, _| Ok(received));
    let devices = Arc::new(MockDeviceTokens::new());
    let recipients = Recipients { callbacks: Arc::new(callbacks), devices };
    let deps = two.deps(jobs, clock());
    Deliveries::new(DeliveriesDeps { recipients: Some(recipients), ..deps })
}

fn as_template() -> Message {
    let mut message = ordinary();
    Arc::make_mut(&mut message.draft).vendor_template = Some(FilledTemplate {
        name: "order_code".into(),
        language: "en".into(),
        values: vec!["4711".into()],
        button: None,
    });
    message
}

#[tokio::test]
async fn a_free_text_after_the_window_fails_unsent() {
    for received in [None, Some(NOW - WINDOW)] {
        let deliveries = with_recipient_state(TwoProviders::default(), received);

        let message = deliveries.deliver(job(ordinary(), 0)).await.unwrap();

        assert_eq!(message.delivery.status(), Status::Failed);
        assert_eq!(message.delivery.failure().unwrap().code, FailureCode::SessionWindowClosed);
    }
}

#[tokio::test]
async fn a_free_text_within_the_window_is_sent() {
    let two = TwoProviders::default().first_answers(accepted(FollowUp::Report));
    let deliveries = with_recipient_state(two, Some(NOW - WINDOW + TimeDelta::seconds(1)));

    let message = deliveries.deliver(job(ordinary(), 0)).await.unwrap();

    assert_eq!(message.delivery.status(), Status::Sent);
}

#[test]
fn templates_with_different_values_never_share_a_call() {
    let (one, mut other) = (job(as_template(), 0), job(as_template(), 0));
    assert!(Deliveries::is_same_call(&one, &other));
    assert!(!Deliveries::is_same_call(&one, &job(ordinary(), 0)));

    let template = Arc::make_mut(&mut other.message.draft).vendor_template.as_mut();
    template.unwrap().values[0].push('!');
    assert!(!Deliveries::is_same_call(&one, &other));
}
