//! Fraud guard: limits on messages to phone numbers by destination. The limits do not depend on
//! anything a sender could choose freely, such as the category or the channel.
//!
//! ```
//! use domain::platform::fraud_guard::{PER_COUNTRY, TO_UNUSUAL_COUNTRIES};
//!
//! assert!(PER_COUNTRY < TO_UNUSUAL_COUNTRIES);
//! ```

mod settled;

use chrono::{DateTime, SecondsFormat, Utc};

pub use self::settled::SettledMessage;
use crate::{
    identity::{
        policy::Policy,
        traffic::{NumberBlock, TrafficStop},
    },
    messaging::{
        delivery::{Failure, FailureCode},
        message::Draft,
        priority::Origin,
    },
    shared::{category::Category, country::Country, rate::Rate},
};

/// Maximum number of messages within an hour to a country that is not usual for the organization.
pub const PER_COUNTRY: u32 = 200;
/// Maximum number of messages within an hour to all such countries together.
pub const TO_UNUSUAL_COUNTRIES: u32 = 400;
/// Country that is usual for every organization.
const HOME: Country = Country::GH;

/// Numbers whose messages are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VelocityScope {
    /// A thousand consecutive numbers.
    Block(NumberBlock),
    /// A country that is not usual for the organization.
    Country(Country),
    /// All countries that are not usual for the organization.
    UnusualCountries,
}

/// A limit on the messages to some numbers within an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VelocityLimit {
    /// Numbers that the limit applies to.
    pub scope: VelocityScope,
    /// Maximum number of messages, never zero.
    pub messages: u32,
}

/// Returns the refusal of a draft with a code to a stopped range; `None` otherwise. No stop applies
/// to campaigns: only the organization itself triggers them.
pub fn stop_refusal(
    draft: &Draft,
    policy: &Policy,
    origin: Origin,
    now: DateTime<Utc>,
) -> Option<Failure> {
    if draft.category != Category::Otp || origin == Origin::Campaign {
        return None;
    }
    let mut stops = policy.traffic.stops.iter().filter(|stop| stop.until > now);
    stops.find(|stop| stop.range.holds(&draft.recipient)).map(TrafficStop::failure)
}

/// Returns the refusal of a draft to a country that is not allowed; `None` otherwise.
pub fn country_refusal(draft: &Draft, policy: &Policy) -> Option<Failure> {
    let is_by_number = draft.channel.takes_phone_numbers();
    if !is_by_number || policy.settings.traffic.allows(draft.country) {
        return None;
    }
    let message = format!(
        "the organization does not write to {}: an owner or administrator can add it to the setting \
         allowedCountries",
        draft.country
    );
    Some(Failure::new(FailureCode::CountryNotAllowed, message))
}

/// Returns the limits that apply to a draft; none if it goes to no phone number. Campaigns go to
/// the organization's own contacts, at a time of its own choice, so that strangers cannot trigger
/// them.
pub fn velocity_limits(
    draft: &Draft,
    policy: &Policy,
    origin: Origin,
) -> [Option<VelocityLimit>; 3] {
    if !draft.channel.takes_phone_numbers() || origin == Origin::Campaign {
        return [None; 3];
    }
    let settings = &policy.settings.traffic;
    let block = NumberBlock::of(&draft.recipient).map(|block| VelocityLimit {
        scope: VelocityScope::Block(block),
        messages: settings.per_block(),
    });
    let country = draft.country;
    if country == HOME || settings.names(country) || policy.traffic.usual.contains(&country) {
        return [block, None, None];
    }
    let country = VelocityLimit { scope: VelocityScope::Country(country), messages: PER_COUNTRY };
    let countries =
        VelocityLimit { scope: VelocityScope::UnusualCountries, messages: TO_UNUSUAL_COUNTRIES };
    [block, Some(country), Some(countries)]
}

impl VelocityLimit {
    /// Returns the limit as a bucket, which holds the messages of an hour and fills up within one.
    pub const fn rate(self) -> Rate {
        Rate::per_hour(self.messages)
    }

    /// Returns the refusal of a message that exceeds the limit. It names the rule and the way to lift it.
    pub fn failure(self) -> Failure {
        let Self { scope, messages } = self;
        let message = match scope {
            VelocityScope::Block(block) => format!(
                "more than {messages} messages within an hour to the numbers {block}: an owner or \
                 administrator can raise the setting velocityLimit; campaigns are not limited"
            ),
            VelocityScope::Country(country) => format!(
                "more than {messages} messages within an hour to {country}, where the organization \
                 does not usually send: an owner or administrator can name it in the setting \
                 allowedCountries; campaigns are not limited"
            ),
            VelocityScope::UnusualCountries => format!(
                "more than {messages} messages within an hour to countries where the organization \
                 does not usually send: an owner or administrator can name them in the setting \
                 allowedCountries; campaigns are not limited"
            ),
        };
        Failure::new(FailureCode::VelocityLimit, message)
    }
}

impl TrafficStop {
    /// Returns the refusal of a code. It names the rule and the way to lift it.
    fn failure(&self) -> Failure {
        let Self { alert, range, until, recent } = self;
        let until = until.to_rfc3339_opts(SecondsFormat::Secs, true);
        let message = format!(
            "codes to {range} are stopped until {until}: of the last {}, {} arrived, far fewer than \
             usual. An owner or administrator lifts this by POST \
             /organizations/traffic-alerts/{alert}/lift",
            recent.codes, recent.delivered
        );
        Failure::new(FailureCode::TrafficStopped, message)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::*;
    use crate::{
        identity::{
            organization::PLATFORM,
            traffic::{CodeShare, OperatorRange},
        },
        messaging::message::MessageRequest,
        shared::{channel::Channel, id::Id},
    };

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);
    const NIGERIA: &str = "+2348031234567";

    fn draft(channel: Channel, to: &str, category: Category) -> Draft {
        let request = MessageRequest {
            channel: Some(channel),
            to: Some(to.into()),
            body: Some("4711".into()),
            category: Some(category),
            ..MessageRequest::default()
        };
        request.draft(None).unwrap()
    }

    fn allowing(countries: &[&str]) -> Policy {
        let mut policy = Policy::default();
        let countries = countries.iter().map(|country| country.parse().unwrap());
        policy.settings.traffic.allowed_countries = Some(countries.collect());
        policy
    }

    fn stopped() -> Policy {
        let mut policy = Policy::default();
        policy.traffic.stops.push(TrafficStop {
            alert: Id::new_in(NOW, PLATFORM),
            range: OperatorRange::stored(23_324),
            until: NOW + TimeDelta::minutes(20),
            recent: CodeShare { codes: 80, delivered: 12 },
        });
        policy
    }

    fn scopes(draft: &Draft, policy: &Policy) -> Vec<VelocityScope> {
        let limits = velocity_limits(draft, policy, Origin::Single);
        limits.into_iter().flatten().map(|limit| limit.scope).collect()
    }

    #[test]
    fn messages_to_other_countries_are_refused_on_every_channel() {
        let policy = allowing(&["GH"]);
        for channel in [Channel::Sms, Channel::Voice, Channel::WhatsApp] {
            let refused = |to| {
                let draft = draft(channel, to, Category::Marketing);
                country_refusal(&draft, &policy).map(|failure| failure.code)
            };
            assert_eq!(refused(NIGERIA), Some(FailureCode::CountryNotAllowed));
            assert_eq!(refused("0241234567"), None);
        }
        let mail = draft(Channel::Email, "ama@example.com", Category::Otp);
        let only_nigeria = allowing(&["NG"]);
        assert_eq!(country_refusal(&mail, &only_nigeria), None);
        assert_eq!(velocity_limits(&mail, &only_nigeria, Origin::Single), [None; 3]);
    }

    #[test]
    fn a_stop_refuses_codes_to_its_range_until_it_ends_and_nothing_else() {
        let policy = stopped();
        let code = draft(Channel::Sms, "0241234567", Category::Otp);
        let refused = stop_refusal(&code, &policy, Origin::Single, NOW).unwrap();
        assert_eq!(refused.code, FailureCode::TrafficStopped);
        assert!(refused.message.contains("of the last 80, 12 arrived"), "{}", refused.message);
        assert!(refused.message.chars().count() <= 255, "{}", refused.message);

        let later = NOW + TimeDelta::minutes(20);
        assert_eq!(stop_refusal(&code, &policy, Origin::Single, later), None);
        assert_eq!(stop_refusal(&code, &policy, Origin::Campaign, NOW), None);
        for other in [
            draft(Channel::Sms, "0201234567", Category::Otp),
            draft(Channel::Sms, "0241234567", Category::Transactional),
        ] {
            assert_eq!(stop_refusal(&other, &policy, Origin::Single, NOW), None);
        }
    }

    #[test]
    fn countries_are_limited_until_they_are_usual_or_named() {
        let foreign = draft(Channel::Sms, NIGERIA, Category::Otp);
        let block = VelocityScope::Block(NumberBlock::of(&foreign.recipient).unwrap());
        let nigeria = foreign.country;
        let expected = [block, VelocityScope::Country(nigeria), VelocityScope::UnusualCountries];
        assert_eq!(scopes(&foreign, &Policy::default()), expected);

        let mut usual = Policy::default();
        usual.traffic.usual.push(nigeria);
        for policy in [usual, allowing(&["NG"])] {
            assert_eq!(scopes(&foreign, &policy), [block]);
        }
        let home = draft(Channel::Sms, "0241234567", Category::Otp);
        assert_eq!(scopes(&home, &Policy::default()).len(), 1);
    }

    #[test]
    fn campaigns_are_not_limited() {
        let foreign = draft(Channel::Sms, NIGERIA, Category::Marketing);
        let limits = velocity_limits(&foreign, &Policy::default(), Origin::Campaign);
        assert_eq!(limits, [None; 3]);
    }

    #[test]
    fn each_limit_says_how_to_lift_it() {
        let policy = Policy::default();
        let foreign = draft(Channel::Sms, NIGERIA, Category::Otp);
        for limit in velocity_limits(&foreign, &policy, Origin::Single).into_iter().flatten() {
            let failure = limit.failure();
            assert!(failure.code.refuses() && failure.message.contains("an owner"));
            assert!(failure.message.contains(&format!("more than {} ", limit.messages)));
            assert!(failure.message.chars().count() <= 255, "{}", failure.message);
        }
    }

    proptest! {
        /// A sender cannot choose its way around the limits.
        #[test]
        fn limits_ignore_category_kind_of_request_and_channel(
            category in proptest::sample::select(Category::ALL.to_vec()),
            channel in proptest::sample::select(vec![Channel::Sms, Channel::Voice, Channel::WhatsApp]),
            origin in proptest::sample::select(vec![Origin::Single, Origin::Bulk]),
            foreign: bool,
        ) {
            let to = if foreign { NIGERIA } else { "0241234567" };
            let policy = Policy::default();
            let usual = draft(Channel::Sms, to, Category::Otp);
            prop_assert_eq!(
                velocity_limits(&draft(channel, to, category), &policy, origin),
                velocity_limits(&usual, &policy, Origin::Single)
            );
        }
    }
}
