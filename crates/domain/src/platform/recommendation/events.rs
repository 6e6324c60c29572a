//! An event whose messages fail, and that has no other channel to try.

use super::{Facts, NewMessage, Recommendation, RecommendationCode};
use crate::{
    messaging::delivery::Status, outreach::event::Event, platform::analytics::number,
    shared::channel::Channel,
};

/// Minimum number of failed messages of an event.
const LEAST_FAILED: u64 = 10;
/// Minimum share of failed messages of an event, in per cent.
const LEAST_SHARE: u64 = 5;

pub(super) fn recommend(facts: &Facts) -> Option<Recommendation> {
    let failing = facts.events.iter().filter_map(|event| failing(facts, event));
    let worst = failing.max_by_key(|failing| failing.failed)?;
    let Failing { event, channel, sent, failed } = worst;
    let (name, slug) = (&event.name, &event.slug);
    Some(Recommendation {
        code: RecommendationCode::EventWithoutFallback,
        title: format!("Event {slug} has no fallback"),
        message: format!(
            "The event {name} ({slug}) knows no channel but {channel}. Of its {sent} messages among the \
             newest ones {failed} failed. Give it another channel in `channelPriority` or in \
             `fallbackRules`, so that the news arrives all the same.",
        ),
        value: number(failed),
        messages_at_stake: facts.scaled(failed),
    })
}

/// An event without a fallback, and the outcomes of its newest messages.
struct Failing<'f> {
    event: &'f Event,
    channel: Channel,
    sent: u64,
    failed: u64,
}

fn failing<'f>(facts: &'f Facts, event: &'f Event) -> Option<Failing<'f>> {
    let channels = event.channels();
    let [channel] = channels.as_slice() else { return None };
    let template = event.template_of(*channel)?;
    let is_own = |message: &&NewMessage| {
        message.template == Some(template) && message.channel == *channel && !message.is_of_campaign
    };
    let (mut sent, mut failed) = (0, 0);
    for message in facts.newest.iter().filter(is_own) {
        sent += 1;
        failed += u64::from(message.status == Status::Failed);
    }
    let is_failing =
        event.is_active && failed >= LEAST_FAILED && 100 * failed >= LEAST_SHARE * sent;
    is_failing.then_some(Failing { event, channel: *channel, sent, failed })
}
