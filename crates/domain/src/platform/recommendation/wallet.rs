//! A wallet that is about to be empty.

use super::{Facts, Recommendation, RecommendationCode, days};
use crate::platform::analytics::number;

/// Number of days over which the usual spending is measured.
const USUAL: u64 = 7;
/// Number of days for which a sufficient balance lasts.
const ENOUGH: u64 = 7;

pub(super) fn recommend(facts: &Facts) -> Option<Recommendation> {
    let spent = u64::try_from(facts.spent_in(USUAL).micros()).ok().filter(|spent| *spent > 0)?;
    let balance = u64::try_from(facts.balance.micros()).unwrap_or_default();
    let left = super::share_of(balance, USUAL, spent);
    if left >= ENOUGH {
        return None;
    }
    Some(Recommendation {
        code: RecommendationCode::WalletRunsDry,
        title: format!("The wallet lasts for {}", days(left)),
        message: format!(
            "In the last {USUAL} days {} were spent on messages. At that pace the {} in the wallet \
             last for {}; after that, messages are refused. Top up the wallet.",
            facts.spent_in(USUAL),
            facts.balance,
            days(left),
        ),
        value: number(left),
        messages_at_stake: facts.sent_after(left),
    })
}
