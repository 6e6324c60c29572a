//! A wallet that is about to be empty.

use super::{Facts, Recommendation, RecommendationCode, days};
use crate::platform::analytics::{USUAL_DAYS, days_left, number};

/// Number of days for which a sufficient balance lasts.
const ENOUGH: u64 = 7;

pub(super) fn recommend(facts: &Facts) -> Option<Recommendation> {
    let spent = facts.spent_in(USUAL_DAYS);
    let left = days_left(facts.balance, spent)?;
    if left >= ENOUGH {
        return None;
    }
    Some(Recommendation {
        code: RecommendationCode::WalletRunsDry,
        title: format!("The wallet lasts for {}", days(left)),
        message: format!(
            "In the last {USUAL_DAYS} days {spent} were spent on messages. At that pace the {} in the \
             wallet last for {}; after that, messages are refused. Top up the wallet.",
            facts.balance,
            days(left),
        ),
        value: number(left),
        messages_at_stake: facts.sent_after(left),
    })
}
