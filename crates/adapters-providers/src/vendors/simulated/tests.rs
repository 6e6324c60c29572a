//! Tests of the fate of simulated messages.

use domain::{
    messaging::attempt::Attempt, providers::provider::CheckStatus, shared::address::Address,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::*;
use crate::fixture::message;

struct Still;

impl Clock for Still {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }
}

struct Sink(UnboundedSender<Report>);

#[async_trait]
impl ReportSink for Sink {
    async fn report(&self, report: Report) {
        self.0.send(report).unwrap();
    }
}

fn simulated(latency: u64) -> (Simulated, UnboundedReceiver<Report>) {
    let (sender, reports) = unbounded_channel();
    let latency = Duration::from_millis(latency);
    (Simulated::new(Arc::new(Sink(sender)), Arc::new(Still), latency), reports)
}

fn to(channel: Channel, recipient: &str) -> Message {
    let mut message = message();
    Arc::make_mut(&mut message.draft).channel = channel;
    Arc::make_mut(&mut message.draft).recipient = Address::stored(recipient.into());
    message
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn the_end_of_the_recipient_selects_the_fate() {
    for (channel, recipient, fate) in [
        (Channel::Sms, "+233240000000", Some(Fate::Failed)),
        (Channel::Sms, "+233240000001", Some(Fate::Unreported)),
        (Channel::Sms, "+233240000010", None),
        (Channel::Email, "ama0000@example.com", Some(Fate::Failed)),
        (Channel::Email, "ama.0001@example.com", Some(Fate::Unreported)),
        (Channel::Email, "ama@example0000.com", None),
        (Channel::Push, "token0000", Some(Fate::Failed)),
        (Channel::Push, "token@0001", Some(Fate::Unreported)),
    ] {
        assert_eq!(Fate::of_recipient(&to(channel, recipient).draft), fate, "{recipient}");
    }
}

#[tokio::test]
async fn the_recipient_takes_precedence_over_the_shares() {
    let (provider, mut reports) = simulated(1);
    let provider = Simulated { failure_rates: FailureRates::new(1.0, 0.0, 7), ..provider };

    provider.send(&to(Channel::Sms, "+233240000001")).await;
    let unlucky = to(Channel::Sms, "+233241234567");
    provider.send(&unlucky).await;

    let report = reports.recv().await.unwrap();
    assert_eq!(report.message, unlucky.id);
    assert!(matches!(report.event, DeliveryEvent::Rejected { .. }));
    let looked_up = provider.look_up(&unlucky).await;
    assert!(matches!(looked_up, LookUp::Found(DeliveryEvent::Rejected { .. })));
    assert_eq!(provider.check().await.status, CheckStatus::Up);
}

#[tokio::test]
async fn a_message_is_accepted_at_once_and_reported_on_later() {
    let (provider, mut reports) = simulated(100);
    let mut message = to(Channel::Sms, "+233241234567");
    message.attempts = vec![Attempt::start("first", DateTime::UNIX_EPOCH)];

    let start = Instant::now();
    let outcome = provider.send(&message).await;
    let taken = start.elapsed();
    let report = reports.recv().await.unwrap();

    let reference = None;
    assert_eq!(outcome, Outcome::Accepted { reference, follow_up: FollowUp::Report });
    assert!(taken < Duration::from_millis(90), "{taken:?}");
    assert!(start.elapsed() >= Duration::from_millis(100));
    let event = DeliveryEvent::Confirmed { at: DateTime::UNIX_EPOCH };
    let expected =
        Report { message: message.id, provider: Some("first".to_owned()), event: event.clone() };
    assert_eq!(report, expected);
    assert_eq!(provider.look_up(&message).await, LookUp::Found(event));
}

#[tokio::test]
async fn some_fail_and_some_are_never_reported_on() {
    let (provider, mut reports) = simulated(1);
    let vanishing = to(Channel::Sms, "+233240000001");
    let failing = to(Channel::Sms, "+233240000000");

    provider.send(&vanishing).await;
    provider.send(&failing).await;

    let report = reports.recv().await.unwrap();
    assert_eq!(report.message, failing.id);
    assert!(matches!(report.event, DeliveryEvent::Rejected { .. }));
    assert!(reports.try_recv().is_err());
    assert_eq!(provider.look_up(&vanishing).await, LookUp::Waiting);
}

#[test]
fn a_runtime_that_ends_does_not_end_the_reports() {
    let (provider, mut reports) = simulated(1);
    for _ in 0..2 {
        let message = to(Channel::Sms, "+233241234567");
        runtime().block_on(async {
            provider.send(&message).await;
            assert_eq!(reports.recv().await.unwrap().message, message.id);
        });
    }
}

#[tokio::test]
async fn many_are_reported_without_falling_behind() {
    const MANY: usize = 20_000;
    let (provider, mut reports) = simulated(10);
    let provider = Arc::new(provider);
    let message = Arc::new(to(Channel::Sms, "+233241234567"));

    let start = Instant::now();
    for _ in 0..MANY {
        let (provider, message) = (Arc::clone(&provider), Arc::clone(&message));
        tokio::spawn(async move { provider.send(&message).await });
    }
    for _ in 0..MANY {
        reports.recv().await.unwrap();
    }

    let took = start.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    eprintln!("{MANY} reports in {took:?}");
}
