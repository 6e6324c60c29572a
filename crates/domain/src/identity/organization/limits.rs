//! Limits of an organization that differ from those of the installation.

use crate::shared::{change::Change, fault::Faults, money::Money, rate::Rate};

/// Maximum of a rate limit, both per second and at once.
pub const MAX_RATE: u32 = 1_000_000;

/// Maximum of the credit for invoices that an organization may be given.
const MAX_INVOICE_CREDIT: Money = Money::from_cedis(1_000_000);

/// A rate limit: a number per second, and a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    per_second: u32,
    burst: u32,
}

/// Limits of a single organization. Where one is `None`, that of the installation applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnLimits {
    /// Rate limit of live messages.
    pub live: Option<RateLimit>,
    /// Rate limit of sandbox messages.
    pub sandbox: Option<RateLimit>,
    /// Rate limit of requests that send no message.
    pub requests: Option<RateLimit>,
    /// Maximum sum owed for invoices that are credited on issue; with zero no invoice is credited on issue.
    pub invoice_credit: Option<Money>,
}

/// An unchecked rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RateLimitRequest {
    /// Number per second.
    pub per_second: Option<i32>,
    /// Number at once.
    pub burst: Option<i32>,
}

/// Changes to the limits of an organization; null restores the limit of the installation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnLimitsUpdate {
    /// See [`OwnLimits::live`].
    pub live: Change<RateLimitRequest>,
    /// See [`OwnLimits::sandbox`].
    pub sandbox: Change<RateLimitRequest>,
    /// See [`OwnLimits::requests`].
    pub requests: Change<RateLimitRequest>,
    /// See [`OwnLimits::invoice_credit`].
    pub invoice_credit: Change<Money>,
}

impl RateLimit {
    /// Returns a limit with these figures; `None` if one is not from 1 to a million.
    pub fn new(per_second: u32, burst: u32) -> Option<Self> {
        let fits = |figure| (1..=MAX_RATE).contains(&figure);
        (fits(per_second) && fits(burst)).then_some(Self { per_second, burst })
    }

    /// Returns the number per second.
    pub const fn per_second(self) -> u32 {
        self.per_second
    }

    /// Returns the number at once.
    pub const fn burst(self) -> u32 {
        self.burst
    }

    /// Returns the limit as a rate.
    pub const fn rate(self) -> Rate {
        Rate::per_second(self.per_second, self.burst)
    }
}

impl RateLimitRequest {
    /// Returns the checked limit. Fails with everything that is wrong.
    pub fn limit(self) -> Result<RateLimit, Faults> {
        let mut faults = Faults::default();
        let mut figure = |name, asked: Option<i32>| {
            let figure = asked.and_then(|figure| u32::try_from(figure).ok());
            let figure = figure.filter(|figure| (1..=MAX_RATE).contains(figure));
            if figure.is_none() {
                let fault = match asked {
                    None => "is required".to_owned(),
                    Some(_) => format!("must be from 1 to {MAX_RATE}"),
                };
                faults.add(name, fault);
            }
            figure
        };
        let (per_second, burst) =
            (figure("perSecond", self.per_second), figure("burst", self.burst));
        let limit = per_second.zip(burst);
        faults.require(limit.map(|(per_second, burst)| RateLimit { per_second, burst }))
    }
}

impl OwnLimitsUpdate {
    /// Returns the limits after the change. Fails with everything that is wrong.
    pub fn apply(&self, limits: OwnLimits) -> Result<OwnLimits, Faults> {
        let mut faults = Faults::default();
        let invoice_credit = match self.invoice_credit {
            Change::Keep => limits.invoice_credit,
            Change::Set(None) => None,
            Change::Set(Some(sum)) => faults.take("invoiceCredit", checked_invoice_credit(sum)),
        };
        let mut changed = |name: &str, change: &Change<RateLimitRequest>, present| match change {
            Change::Keep => present,
            Change::Set(None) => None,
            Change::Set(Some(request)) => match request.limit() {
                Ok(limit) => Some(limit),
                Err(found) => {
                    faults.merge(name, found);
                    None
                }
            },
        };
        let limits = OwnLimits {
            live: changed("live", &self.live, limits.live),
            sandbox: changed("sandbox", &self.sandbox, limits.sandbox),
            requests: changed("requests", &self.requests, limits.requests),
            invoice_credit,
        };
        faults.or(limits)
    }
}

/// Checks the sum.
fn checked_invoice_credit(sum: Money) -> Result<Money, &'static str> {
    if !(Money::ZERO..=MAX_INVOICE_CREDIT).contains(&sum) {
        return Err("must be from 0 to 1000000");
    }
    if !sum.is_in_pesewas() {
        return Err("must have at most two decimals");
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(per_second: i32, burst: i32) -> Change<RateLimitRequest> {
        let request = RateLimitRequest { per_second: Some(per_second), burst: Some(burst) };
        Change::Set(Some(request))
    }

    #[test]
    fn a_limit_is_changed_and_removed_independently_of_others() {
        let live = RateLimit::new(5, 50);
        let invoice_credit = Some(Money::from_cedis(500));
        let before =
            OwnLimits { live, sandbox: RateLimit::new(1, 1), requests: None, invoice_credit };
        let update = OwnLimitsUpdate {
            sandbox: Change::Set(None),
            requests: asked(2, 20),
            ..OwnLimitsUpdate::default()
        };

        let after = update.apply(before).unwrap();

        let requests = RateLimit::new(2, 20);
        assert_eq!(after, OwnLimits { live, sandbox: None, requests, invoice_credit });
        assert_eq!(after.live.unwrap().rate(), Rate::per_second(5, 50));
    }

    #[test]
    fn names_every_figure_that_is_out_of_range() {
        let update = OwnLimitsUpdate {
            live: asked(0, 1_000_001),
            sandbox: asked(-1, 1_000_000),
            requests: Change::Set(Some(RateLimitRequest::default())),
            invoice_credit: Change::Set(Some(Money::from_micros(-10_000))),
        };

        let faults = update.apply(OwnLimits::default()).unwrap_err();

        let named: Vec<_> = faults.fields.keys().map(String::as_str).collect();
        let expected = [
            "invoiceCredit",
            "live.burst",
            "live.perSecond",
            "requests.burst",
            "requests.perSecond",
            "sandbox.perSecond",
        ];
        assert_eq!(named, expected);
        assert_eq!(faults.fields["requests.burst"], ["is required"]);
    }

    #[test]
    fn invoice_credit_is_up_to_a_million_cedis_in_whole_pesewas() {
        let applied = |invoice_credit| {
            let before = OwnLimits { invoice_credit: Some(Money::ZERO), ..OwnLimits::default() };
            let update = OwnLimitsUpdate { invoice_credit, ..OwnLimitsUpdate::default() };
            update.apply(before).map(|after| after.invoice_credit.map(Money::micros))
        };
        for micros in [0, 10_000, 500_000_000, 1_000_000_000_000] {
            let set = Change::Set(Some(Money::from_micros(micros)));
            assert_eq!(applied(set), Ok(Some(micros)));
        }
        assert_eq!(applied(Change::Keep), Ok(Some(0)));
        assert_eq!(applied(Change::Set(None)), Ok(None));
        for (micros, fault) in [
            (-10_000, "must be from 0 to 1000000"),
            (1_000_000_010_000, "must be from 0 to 1000000"),
            (1_000, "must have at most two decimals"),
        ] {
            let faults = applied(Change::Set(Some(Money::from_micros(micros)))).unwrap_err();
            assert_eq!(faults.fields["invoiceCredit"], [fault], "{micros}");
        }
    }
}
