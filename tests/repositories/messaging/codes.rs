//! The end of codes in messages without further reports.

use app::clock::SystemClock;
use domain::{
    messaging::{
        delivery::Delivery,
        job::Job,
        message::{Draft, Message, MessageRequest, Source, Terms},
        priority::Origin,
    },
    outreach::{
        event::Wait,
        trigger::{ChannelState, Trigger, TriggerChannel},
    },
    shared::{category::Category, channel::Channel, id::Id, money::Money},
};
use ports::{
    messaging::{
        delivery_logs::DeliveryLogRepository,
        messages::{Advance, Intake, Jobs, Submission},
    },
    outreach::events::TriggerRepository,
    shared::clock::Clock,
};

use crate::{messaging::intake_fixture::IntakeFixture, minutes};

const TEXT: &str = "Your code is 482913";
const MASKED: &str = "Your code is ••••••";

fn draft(category: Category) -> Draft {
    let request = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0241234567".into()),
        body: Some(TEXT.into()),
        category: Some(category),
        ..MessageRequest::default()
    };
    request.draft(None).unwrap()
}

impl IntakeFixture {
    /// A message that was accepted that many minutes ago.
    fn accepted_before(&self, category: Category, ago: i64) -> Message {
        let (cost, at) = (Money::ZERO, SystemClock.now() - minutes(ago));
        let terms = Terms { cost, refusal: None, is_sandbox: false, is_confidential: false };
        Message::queue(self.organization, draft(category), Origin::Single, terms, at)
    }

    /// Accepts a message, and hands it over if `is_sent`.
    async fn accept(&self, message: Message, is_sent: bool) -> Id<Message> {
        let id = message.id;
        let [job] = <[Job; 1]>::try_from(self.claim(&[message]).await).unwrap();
        if is_sent {
            let at = job.message.created_at;
            self.jobs.record(job.conclude(Delivery::Sent { at }).into()).await.unwrap();
        }
        id
    }

    /// Masks the codes that became due within the last two hours.
    async fn sweep(&self) {
        let back = "UPDATE code_sweep SET swept_until = now() - interval '2 hours'";
        self.world.sql(back).await;
        while self.world.store.mask_old_codes().await.unwrap() {}
    }

    async fn body(&self, id: Id<Message>) -> String {
        let store = &self.world.store;
        let found = DeliveryLogRepository::find(store, self.organization, id).await;
        found.unwrap().unwrap().draft.body.clone()
    }
}

#[tokio::test]
async fn a_code_is_masked_an_hour_after_it_was_accepted() {
    let fixture = IntakeFixture::open(Money::ZERO).await;
    let old = fixture.accept(fixture.accepted_before(Category::Otp, 70), true).await;
    let expired = fixture.accept(fixture.accepted_before(Category::Otp, 80), false).await;
    let young = fixture.accept(fixture.accepted_before(Category::Otp, 50), true).await;
    let held = fixture.accepted_before(Category::Otp, 70);
    let held = held.valid_from(SystemClock.now() + minutes(5));
    let held = fixture.accept(held, false).await;
    let other = fixture.accept(fixture.accepted_before(Category::Alert, 70), true).await;

    fixture.sweep().await;

    for (id, body) in [(old, MASKED), (expired, MASKED), (young, TEXT), (held, TEXT), (other, TEXT)]
    {
        assert_eq!(fixture.body(id).await, body);
    }
}

#[tokio::test]
async fn a_fallback_with_a_code_ends_after_an_hour() {
    let fixture = IntakeFixture::open(Money::ZERO).await;
    for (category, is_left) in [(Category::Otp, false), (Category::Alert, true)] {
        let message = fixture.accepted_before(category, 70);
        let id = Id::new_in(message.created_at, fixture.organization);
        let message = Message { source: Some(Source::Trigger(id)), ..message };
        let channel = |state| TriggerChannel { channel: Channel::Sms, state };
        let trigger = Trigger {
            id,
            organization: fixture.organization,
            event: "login".into(),
            is_sandbox: false,
            channels: vec![channel(ChannelState::Tried(message.id)), channel(ChannelState::Left)],
            left: vec![draft(category)],
            wait: Wait::default(),
        };
        let advance = Some(Advance::Trigger(trigger.clone()));
        let submission = Submission { advance, ..fixture.submission(&[message]) };
        fixture.intake.accept(submission).await.unwrap();
        let begun = "UPDATE triggers SET expires_at = now() + interval '14 days' - interval '70 minutes' \
                     WHERE ended_at IS NULL";
        fixture.world.sql(begun).await;

        fixture.sweep().await;

        let found = TriggerRepository::find(&fixture.world.store, fixture.organization, id).await;
        assert_eq!(!found.unwrap().unwrap().left.is_empty(), is_left, "{category}");
    }
}
