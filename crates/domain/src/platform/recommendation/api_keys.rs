//! An API key that expires soon.

use chrono::TimeDelta;

use super::{Facts, Recommendation, RecommendationCode, days};
use crate::{identity::api_key::ApiKey, platform::analytics::number};

/// Time before its expiry from which a key is reported.
const NOTICE: TimeDelta = TimeDelta::days(14);

pub(super) fn recommend(facts: &Facts) -> Option<Recommendation> {
    let expiring = facts.api_keys.iter().filter_map(|key| {
        let left = key.expires_at? - facts.now;
        (left > TimeDelta::zero() && left <= NOTICE).then_some((key, left))
    });
    let (key, left) = expiring.min_by_key(|(key, left)| (key.is_sandbox, *left))?;
    let left = u64::try_from(left.num_days()).unwrap_or_default();
    Some(Recommendation {
        code: RecommendationCode::ApiKeyExpires,
        title: format!("API key {} expires in {}", key.name, days(left)),
        message: format!(
            "The API key {} ({}…) expires in {}. After that, requests with it are answered 401. Make \
             another one, and use that in its place.",
            key.name,
            key.prefix,
            days(left),
        ),
        value: number(left),
        messages_at_stake: at_stake(facts, key, left),
    })
}

/// Returns the number of messages that one of the live keys sends after its expiry, if all send
/// alike. Sandbox keys send none.
fn at_stake(facts: &Facts, key: &ApiKey, days_left: u64) -> u64 {
    if key.is_sandbox || key.last_used_at.is_none() {
        return 0;
    }
    let is_used = |key: &&ApiKey| {
        !key.is_sandbox
            && key.last_used_at.is_some()
            && key.expires_at.is_none_or(|expiry| expiry > facts.now)
    };
    let used = facts.api_keys.iter().filter(is_used).count();
    facts.sent_after(days_left) / u64::try_from(used).unwrap_or(u64::MAX).max(1)
}
