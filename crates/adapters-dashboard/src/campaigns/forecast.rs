//! Forecasts of campaigns: who gets the text, what it costs, and what the wallet lacks.

use domain::{
    messaging::message::CampaignId, outreach::campaign::CampaignPreview, shared::money::Money,
};
use usecases::Error;

use crate::formats::{Formats, beginning};
use crate::frame::Visit;

/// Maximum length of a text on a page, in characters: it may be as long as a book.
pub(super) const LONGEST_TEXT: usize = 2_000;
/// Micros in a pesewa, the smallest amount that can be paid.
const PESEWA: i64 = 10_000;

/// Forecast of a campaign, if it were sent now.
pub(super) struct Forecast {
    /// Its texts are shortened.
    pub(super) preview: CampaignPreview,
    pub(super) messages: u64,
    pub(super) balance: Money,
    /// Money that the wallet lacks.
    pub(super) shortfall: Option<Money>,
    /// Contacts without a recorded consent, if it is promotion and there are some.
    pub(super) without_consent: Option<u64>,
    pub(super) needs_approval: bool,
    /// Words on the button that sends it.
    pub(super) button: String,
}

impl Forecast {
    /// Returns the forecast of a campaign. Fails if it has no text.
    pub(super) async fn of(visit: &Visit, id: CampaignId) -> Result<Self, Error> {
        let mut preview = visit.api().campaigns.preview(&visit.caller, id).await?;
        let balance = visit.api().billing.wallet(&visit.caller).await?.balance;
        for sample in &mut preview.samples {
            sample.draft.body = beginning(&sample.draft.body, LONGEST_TEXT);
        }
        let (total, is_estimate) = (preview.total, preview.is_estimate);
        let messages = total.audience.saturating_sub(total.unreachable + total.refused);
        Ok(Self {
            messages,
            balance,
            shortfall: shortfall(total.cost, balance),
            without_consent: preview.without_consent().filter(|number| *number > 0),
            needs_approval: !preview.is_sandbox && preview.assessment.requires_approval(),
            button: send_label(messages, total.cost, is_estimate, visit.formats()),
            preview,
        })
    }
}

/// Returns the words on a button that sends messages.
pub(super) fn send_label(messages: u64, cost: Money, is_estimate: bool, f: Formats) -> String {
    let about = if is_estimate { "about " } else { "" };
    let noun = if messages == 1 { "message" } else { "messages" };
    format!("Send {about}{} {noun} for {about}{}", f.count(messages), f.money(cost))
}

/// Returns what the balance lacks to pay the cost, rounded up to whole pesewas.
pub(super) fn shortfall(cost: Money, balance: Money) -> Option<Money> {
    let lack = (cost - balance).micros();
    (lack > 0).then(|| {
        let pesewas = lack.saturating_add(PESEWA - 1) / PESEWA;
        Money::from_micros(pesewas.saturating_mul(PESEWA))
    })
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::shared::country::Country;

    use super::*;

    #[test]
    fn what_the_wallet_lacks_is_rounded_up_to_the_pesewa() {
        let lack = |cost, balance| {
            shortfall(Money::from_micros(cost), Money::from_micros(balance)).map(Money::micros)
        };
        assert_eq!(lack(1_000_000, 1_000_000), None);
        assert_eq!(lack(1_000_000, 990_000), Some(10_000));
        assert_eq!(lack(1_000_001, 990_000), Some(20_000));
    }

    #[test]
    fn the_button_says_how_many_messages_and_what_they_cost() {
        let f = Formats::new("Africa/Accra", Country::GH, DateTime::UNIX_EPOCH);
        let label = |messages, micros, is_estimate| {
            send_label(messages, Money::from_micros(micros), is_estimate, f)
        };
        assert_eq!(label(1_203, 48_120_000, false), "Send 1,203 messages for GHS 48.12");
        assert_eq!(label(1, 35_000, false), "Send 1 message for GHS 0.035");
        assert_eq!(label(90, 3_150_000, true), "Send about 90 messages for about GHS 3.15");
    }
}
