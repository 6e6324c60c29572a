//! Messages that are held back or cancelled.

use domain::messaging::message::CampaignId;
use domain::{
    messaging::{
        hold::CampaignHold,
        job::JobPostponed,
        message::Source,
        sending_window::{SendingWindow, SendingWindowRequest, Weekday},
    },
    shared::country::Country,
};
use ports::shared::{
    mock::{MockHeldCampaigns, MockSendingWindowRepository},
    nobody::Nobody,
};

use super::{attempts::planned, *};
use crate::shared::fixtures::organizations_suspended;

fn campaign() -> CampaignId {
    "018bcfe5-6800-7000-8000-0000000000c1".parse().unwrap()
}

/// The next day at eight: now it is after ten in the evening.
fn opening() -> DateTime<Utc> {
    "2023-11-15T08:00:00Z".parse().unwrap()
}

/// A window for marketing to Ghana from 08:00 to 19:00.
fn window() -> SendingWindow {
    let request = SendingWindowRequest {
        country: Some(Country::GH),
        category: Some(Category::Marketing),
        weekdays: Some(Weekday::ALL.to_vec()),
        opens: Some("08:00".parse().unwrap()),
        closes: Some("19:00".parse().unwrap()),
        utc_offset: None,
        source: Some("the law".into()),
        is_active: Some(true),
    };
    request.window(NOW).unwrap()
}

async fn holding(windows: Vec<SendingWindow>, campaigns: &[CampaignHold]) -> Holding {
    let mut repository = MockSendingWindowRepository::new();
    repository.expect_active().return_once(move || Ok(windows));
    let held: Vec<_> = campaigns.iter().map(|hold| (campaign(), *hold)).collect();
    let mut campaigns = MockHeldCampaigns::new();
    campaigns.expect_held().return_once(move || Ok(held));
    let organizations = Arc::new(organizations_suspended(&[]));
    let (repository, campaigns) = (Arc::new(repository), Arc::new(campaigns));
    let holding = Holding::new(repository, campaigns, organizations, Arc::new(Nobody));
    holding.refresh().await.unwrap();
    holding
}

async fn quiet() -> Holding {
    holding(vec![window()], &[]).await
}

fn of_campaign(message: Message) -> Message {
    Message { source: Some(Source::Campaign(campaign())), ..message }
}

/// The only step that working on these jobs writes.
async fn only_step(two: TwoProviders, jobs: Vec<Job>, holding: Holding) -> Step {
    let mut steps = steps(two, jobs, holding).await;
    assert_eq!(steps.len(), 1, "{steps:?}");
    steps.remove(0)
}

async fn steps(two: TwoProviders, jobs: Vec<Job>, holding: Holding) -> Vec<Step> {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&steps);
    let mut store = MockJobs::new();
    store.expect_record().returning(move |step| {
        written.lock().unwrap().push(step);
        Ok(Recorded::Done)
    });
    let deps = two.deps(store, clock());
    let deliveries = Deliveries::new(DeliveriesDeps { holding: Some(holding), ..deps });
    for worked in deliveries.deliver_group(jobs, AdmissionWait::None).await {
        assert!(matches!(worked, Ok(WorkResult::Done(_))), "{worked:?}");
    }
    let steps = steps.lock().unwrap();
    steps.clone()
}

fn postponed(step: Step) -> JobPostponed {
    let Step::JobPostponed(postponed) = step else { panic!("{step:?}") };
    postponed
}

#[tokio::test]
async fn a_promotion_waits_out_quiet_hours_with_full_validity() {
    let message = queued(Category::Marketing);
    let message = Message { attempts: vec![Attempt::plan("first", NOW)], ..message };
    let job = job(message.clone(), 0);

    let step = only_step(TwoProviders::default(), vec![job.clone()], quiet().await).await;

    assert_eq!((step.previous_status(), step.refund()), (Status::Queued, Money::ZERO));
    let put_off = postponed(step);
    assert_eq!((put_off.lease, put_off.due_in), (job.lease, Some(opening() - NOW)));
    let expected = Message {
        attempts: Vec::new(),
        valid_from: opening(),
        expires_at: opening() + message.draft.validity,
        ..message
    };
    assert_eq!(put_off.message, expected);
}

#[tokio::test]
async fn held_messages_leave_their_group_and_the_others_share_a_call() {
    let mut two = TwoProviders::default();
    two.first.expect_group_limit().return_const(10_usize);
    two.first.expect_session_window().return_const(None);
    let send = two.first.expect_send_group().once().withf(|messages| messages.len() == 2);
    send.return_once(|_| vec![accepted(FollowUp::Nothing); 2]);
    let to = |recipient: u8, message: Message| {
        let mut message = message;
        let number = format!("+23324123456{recipient}");
        Arc::make_mut(&mut message.draft).recipient =
            domain::shared::address::Address::stored(number);
        job(message, 0)
    };
    let group = vec![
        to(0, of_campaign(planned("first"))),
        to(1, planned("first")),
        to(2, of_campaign(planned("first"))),
        to(3, planned("first")),
    ];

    let paused = holding(Vec::new(), &[CampaignHold::Paused]).await;
    let steps = steps(two, group, paused).await;

    let is_held = |step: &&Step| matches!(step, Step::JobPostponed(_));
    assert_eq!(steps.iter().filter(is_held).count(), 2);
    let sent = steps.iter().filter(|it| it.message().delivery.status() == Status::Sent);
    assert_eq!(sent.count(), 2);
}

/// A message of the campaign to which the first provider gave no clear answer.
fn in_doubt() -> Message {
    let attempts = vec![Attempt::start("first", NOW).end(NOW, &unknown())];
    of_campaign(Message { attempts, ..doubted_by("first") })
}

#[tokio::test]
async fn a_held_message_in_doubt_is_not_sent_again() {
    for (holding, answer, due_in) in [
        (
            holding(Vec::new(), &[CampaignHold::Paused]).await,
            LookUp::NotFound,
            TimeDelta::minutes(10),
        ),
        (
            holding(Vec::new(), &[CampaignHold::Cancelled]).await,
            LookUp::Unavailable,
            REPORT_TIMEOUT_OF_FIRST,
        ),
    ] {
        let two = TwoProviders::default().first_knows(answer);
        let step = concluded(only_step(two, vec![job(in_doubt(), 1)], holding).await);
        assert_eq!(step.message.delivery.status(), Status::Pending);
        assert_eq!(step.due_in, Some(due_in));
    }
    let mut night = in_doubt();
    Arc::make_mut(&mut night.draft).category = Category::Marketing;
    let two = TwoProviders::default().first_knows(LookUp::NotFound);
    let step = concluded(only_step(two, vec![job(night, 1)], quiet().await).await);
    assert_eq!(step.message.delivery.status(), Status::Pending);
    assert_eq!(step.due_in, Some(opening() - NOW));
}

#[tokio::test]
async fn an_undelivered_message_of_a_cancelled_campaign_is_refunded() {
    let cancelled = holding(Vec::new(), &[CampaignHold::Cancelled]).await;
    let two = TwoProviders::default().first_knows(LookUp::NotFound);

    let step = only_step(two, vec![job(in_doubt(), 1)], cancelled).await;

    assert_eq!(step.refund(), PRICE);
    let message = concluded(step).message;
    assert_eq!(message.delivery.failure().unwrap().code, FailureCode::Cancelled);
}

#[tokio::test]
async fn a_scheduled_message_that_was_released_before_its_time_waits_for_it() {
    let message = queued(Category::Transactional).scheduled(opening(), false);

    let free = holding(Vec::new(), &[]).await;
    let step = only_step(TwoProviders::default(), vec![job(message, 0)], free).await;

    let put_off = postponed(step);
    assert_eq!(put_off.due_in, Some(opening() - NOW));
    assert_eq!(put_off.message.valid_from, opening());
}

#[tokio::test]
async fn a_scheduled_message_that_may_not_go_any_more_fails_and_is_refunded() {
    let failure = Failure::new(FailureCode::RecipientSuppressed, "it is on the list");
    let delivery = Delivery::Pending { doubt: Some(failure) };
    let message = queued(Category::Transactional).scheduled(NOW, false);
    let message = Message { delivery, cost: PRICE, ..message };

    let free = holding(Vec::new(), &[]).await;
    let step = only_step(TwoProviders::default(), vec![job(message, 0)], free).await;

    assert_eq!((step.previous_status(), step.refund()), (Status::Pending, PRICE));
    let failure = step.message().delivery.failure().map(|failure| failure.code);
    assert_eq!(failure, Some(FailureCode::RecipientSuppressed));
}

#[tokio::test]
async fn a_message_that_its_sender_cancels_is_refunded_and_was_attempted_by_nobody() {
    let (jobs, steps) = recording_jobs();
    let deliveries = TwoProviders::default().deliveries(jobs, clock());

    let withdrawn = deliveries.withdraw(job(planned("first"), 0)).await.unwrap().unwrap();

    assert_eq!(withdrawn.delivery.failure(), Some(&Failure::withdrawn()));
    assert_eq!(withdrawn.attempts, []);
    let step = concluded(steps.lock().unwrap().pop().unwrap());
    assert_eq!(refund(&step), PRICE);
}
