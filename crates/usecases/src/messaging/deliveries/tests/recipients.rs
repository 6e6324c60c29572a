//! Feedback of vendors on recipients.

use domain::{
    audience::suppression::{OptOut, SuppressionSource},
    shared::{address::Address, channel::Channel},
};
use mockall::predicate::eq;
use ports::shared::mock::{MockCallbackRepository, MockDeviceTokens};

use super::*;
use crate::shared::fixtures::{away, tenant};

const TOKEN: &str = "device-token";

/// A push that was sent by `first`.
fn push() -> Message {
    let mut message = sent_by("first");
    Arc::make_mut(&mut message.draft).channel = Channel::Push;
    Arc::make_mut(&mut message.draft).recipient = Address::stored(TOKEN.into());
    message
}

fn rejected(code: FailureCode) -> DeliveryEvent {
    DeliveryEvent::Rejected { at: NOW, failure: failure(code) }
}

/// Devices that forget [`TOKEN`] once.
fn forgetting() -> MockDeviceTokens {
    let mut devices = MockDeviceTokens::new();
    let forget = devices.expect_forget_device_token().once();
    forget.with(eq(tenant()), eq(Address::stored(TOKEN.into()))).returning(|_, _| Ok(()));
    devices
}

/// A repository that suppresses `recipient` once.
fn suppressing(channel: Channel, recipient: Address) -> MockCallbackRepository {
    let mut callbacks = MockCallbackRepository::new();
    let suppress = callbacks.expect_suppress().once();
    let opt_out = OptOut {
        organization: tenant(),
        channel,
        address: recipient,
        source: SuppressionSource::Vendor,
        at: NOW,
    };
    suppress.with(eq(opt_out)).returning(|_| Ok(()));
    callbacks
}

/// An adapter that answers a message with `outcome`.
fn answering(outcome: Outcome) -> MockMessagingProvider {
    TwoProviders::default().first_answers(outcome).first
}

fn asked(event: DeliveryEvent) -> MockMessagingProvider {
    TwoProviders::default().first_knows(LookUp::Found(event)).first
}

/// Deliveries of `message` through `adapter`, with the state of recipients.
fn with_recipient_state(
    mut adapter: MockMessagingProvider,
    message: &Message,
    callbacks: MockCallbackRepository,
    devices: MockDeviceTokens,
) -> Deliveries {
    adapter.expect_session_window().return_const(None);
    adapter.expect_can_be_answered().return_const(false);
    let channel = message.draft.channel;
    let provider = Provider { channel, ..provider("first", 1, REPORT_TIMEOUT_OF_FIRST) };
    let configured = vec![ConfiguredProvider { provider, adapter: Arc::new(adapter) }];
    let providers = Providers::new(configured, Arc::new(MockMessagingProvider::new()), None);
    let mut jobs = MockJobs::new();
    let found = message.clone();
    jobs.expect_find().returning(move |_| Ok(Some(found.clone())));
    jobs.expect_record().returning(|_| Ok(Recorded::Done));
    let recipients = Recipients { callbacks: Arc::new(callbacks), devices: Arc::new(devices) };
    let deps = delivering(Arc::new(jobs), Arc::new(providers), clock());
    Deliveries::new(DeliveriesDeps { recipients: Some(recipients), ..deps })
}

#[tokio::test]
async fn a_gone_device_is_forgotten_after_an_answer_report_or_query() {
    let gone = FailureCode::DeviceUnregistered;

    let sent = push();
    let deliveries = |adapter, message| {
        with_recipient_state(adapter, message, MockCallbackRepository::new(), forgetting())
    };

    let fresh = push().as_accepted();
    let refused = answering(Outcome::Rejected(failure(gone)));
    let failed = deliveries(refused, &fresh).deliver(job(fresh.clone(), 0)).await.unwrap();
    assert_eq!(failed.delivery.failure().unwrap().code, gone);

    let reported = deliveries(MockMessagingProvider::new(), &sent);
    reported.report(report(&sent, rejected(gone))).await.unwrap();

    let failed = deliveries(asked(rejected(gone)), &sent).deliver(job(sent, 1)).await.unwrap();
    assert_eq!(failed.delivery.failure().unwrap().code, gone);
}

#[tokio::test]
async fn an_opt_out_suppresses_after_an_answer_report_or_query() {
    let stopped = FailureCode::RecipientOptedOut;
    let (fresh, sent) = (ordinary(), sent_by("first"));
    let deliveries = |adapter, message: &Message| {
        let suppressing = suppressing(Channel::Sms, message.draft.recipient.clone());
        with_recipient_state(adapter, message, suppressing, MockDeviceTokens::new())
    };

    let refused = answering(Outcome::Rejected(failure(stopped)));
    deliveries(refused, &fresh).deliver(job(fresh.clone(), 0)).await.unwrap();

    let reported = deliveries(MockMessagingProvider::new(), &sent);
    reported.report(report(&sent, rejected(stopped))).await.unwrap();

    deliveries(asked(rejected(stopped)), &sent).deliver(job(sent, 1)).await.unwrap();
}

#[tokio::test]
async fn other_failures_do_not_change_recipients() {
    let sent = push();
    let delivered = Delivery::Delivered { sent_at: None, at: NOW };
    let delivered = Message { delivery: delivered, ..push() };
    for (message, code) in [
        (&sent, FailureCode::Undelivered),
        (&sent, FailureCode::InvalidRecipient),
        (&delivered, FailureCode::DeviceUnregistered),
        (&delivered, FailureCode::RecipientOptedOut),
    ] {
        let (callbacks, devices) = (MockCallbackRepository::new(), MockDeviceTokens::new());
        let deliveries =
            with_recipient_state(MockMessagingProvider::new(), message, callbacks, devices);

        deliveries.report(report(message, rejected(code))).await.unwrap();
    }
}

#[tokio::test]
async fn a_message_fails_even_if_its_token_cannot_be_forgotten() {
    let sent = push();
    let mut devices = MockDeviceTokens::new();
    devices.expect_forget_device_token().once().returning(|_, _| Err(away()));
    let asked = asked(rejected(FailureCode::DeviceUnregistered));
    let deliveries = with_recipient_state(asked, &sent, MockCallbackRepository::new(), devices);

    let failed = deliveries.deliver(job(sent, 1)).await.unwrap();

    assert_eq!(failed.delivery.status(), Status::Failed);
}
