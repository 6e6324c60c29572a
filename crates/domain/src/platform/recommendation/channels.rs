//! A channel that delivers a smaller share of its messages than another one.

use super::{DAYS_LOOKED_AT, Facts, Recommendation, RecommendationCode, share_of};
use crate::{platform::analytics::Figures, shared::channel::Channel};

/// Minimum number of ended messages for a meaningful delivery rate of a channel.
const LEAST_ENDED: u64 = 100;
/// Minimum advantage of the other channel, in per cent of all messages.
const LEAST_GAP: u64 = 10;

pub(super) fn recommend(facts: &Facts) -> Option<Recommendation> {
    let channels: Vec<_> = Channel::ALL
        .into_iter()
        .map(|channel| (channel, facts.of_channel(channel)))
        .filter(|(_, figures)| figures.ended() >= LEAST_ENDED)
        .collect();
    let pairs =
        channels.iter().flat_map(|worse| channels.iter().map(move |better| (worse, better)));
    let gains = pairs.filter_map(|(worse, better)| {
        let gain = gain(&worse.1, &better.1);
        (100 * gain >= LEAST_GAP * worse.1.ended() && gain > 0).then_some((gain, worse, better))
    });
    let (gain, (worse, figures), (better, other)) = gains.max_by_key(|(gain, ..)| *gain)?;
    let rate = |figures: &Figures| 100.0 * figures.delivery_rate().unwrap_or_default();
    Some(Recommendation {
        code: RecommendationCode::WorseChannel,
        title: format!("{worse} delivers less than {better}"),
        message: format!(
            "Of the messages of the last {DAYS_LOOKED_AT} days that have come to an end, {worse} \
             delivered {:.1} % and {better} {:.1} %. By {better} about {gain} more would have arrived. \
             Try {better} first, or as a fallback.",
            rate(figures),
            rate(other),
        ),
        value: figures.delivery_rate().unwrap_or_default(),
        messages_at_stake: gain,
    })
}

/// Returns the number of a channel's messages that another channel would have delivered in addition.
fn gain(worse: &Figures, better: &Figures) -> u64 {
    share_of(worse.ended(), better.delivered, better.ended()).saturating_sub(worse.delivered)
}
