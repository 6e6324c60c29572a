//! Numbering plans of the world, which decide if a number is valid.

use std::sync::LazyLock;

use phonenumber::{
    Metadata, Type, country,
    metadata::{DATABASE, Database},
};

use crate::shared::country::Country;

/// Numbering plans of all regions.
pub(super) static PLANS: LazyLock<&Database> = LazyLock::new(|| {
    /// Room for all expressions of the plans that recipients need, at about 0.1 MB each once used.
    /// phonenumber itself keeps a hundred and compiles the others anew, so that numbers of some
    /// twenty countries in turn take a millisecond each.
    const EXPRESSIONS: usize = 1024;

    if let Ok(mut cache) = DATABASE.cache().lock() {
        cache.set_capacity(EXPRESSIONS);
    }
    &DATABASE
});

/// Valid phone number and the region whose numbering plan it follows.
pub(super) struct Number {
    pub(super) calling_code: u16,
    pub(super) national: String,
    pub(super) region: &'static Metadata,
}

impl Number {
    /// Parses digits after an optional `+`.
    pub(super) fn read(country: Country, digits: &str) -> Option<Self> {
        if digits.starts_with('+') {
            Self::international(digits)
        } else {
            Self::dialled(country, digits)
        }
    }

    /// Parses `+`, a calling code and a national number.
    pub(super) fn international(digits: &str) -> Option<Self> {
        // No country here: phonenumber would strip that country's trunk prefix from the number.
        Self::valid(&phonenumber::parse(None, digits).ok()?)
    }

    /// Parses a number as dialled in `country`: abroad with an international prefix, or at home.
    fn dialled(country: Country, digits: &str) -> Option<Self> {
        let id: country::Id = country.as_str().parse().ok()?;
        let plan = PLANS.by_id(id.as_ref())?;
        let international = |digits: &str| Self::international(&format!("+{digits}"));

        // People and systems write `00` for `+` even where it is not what is dialled.
        digits
            .strip_prefix("00")
            .and_then(international)
            .or_else(|| after_international_prefix(plan, digits).and_then(international))
            .or_else(|| Self::at_home(id, plan, digits))
    }

    /// Parses a national number with or without its trunk prefix, or an MSISDN, which is E.164
    /// without the `+`.
    fn at_home(id: country::Id, plan: &Metadata, digits: &str) -> Option<Self> {
        let code = plan.country_code();
        let national = || Self::international(&format!("+{code}{digits}"));
        // Knows the trunk prefixes of countries that share a calling code, but takes a national
        // number that begins like the calling code for an MSISDN.
        let trunk = || Self::valid(&phonenumber::parse(Some(id), digits).ok()?);
        let msisdn = || Self::international(&format!("+{digits}"));
        let readings: [&dyn Fn() -> Option<Self>; 3] = [&national, &trunk, &msisdn];

        // A text can have two readings. Nearly all recipients are mobile.
        let mut fixed_line = None;
        for number in readings.iter().filter_map(|read| read()) {
            if number.calling_code == code && !number.is_fixed_line() {
                return Some(number);
            }
            if number.calling_code == code {
                fixed_line = fixed_line.or(Some(number));
            }
        }
        fixed_line
    }

    fn valid(number: &phonenumber::PhoneNumber) -> Option<Self> {
        /// Maximum length of a number of ITU-T E.164, in digits.
        const MOST: usize = 15;

        let calling_code = number.code().value();
        let national = number.national().to_string();
        let region = region(calling_code, &national)?;
        let number = Self { calling_code, national, region };
        (number.e164().len() <= MOST + 1).then_some(number)
    }

    pub(super) fn e164(&self) -> String {
        format!("+{}{}", self.calling_code, self.national)
    }

    /// True if it is certain that no mobile phone has this number. In North America, for example,
    /// numbers do not show this.
    pub(super) fn is_fixed_line(&self) -> bool {
        is_a(self.region, Type::FixedLine, &self.national) && !self.is_mobile()
    }

    /// True if a mobile phone may have this number.
    pub(super) fn is_mobile(&self) -> bool {
        is_a(self.region, Type::Mobile, &self.national)
    }

    /// True if callers pay for more than the connection. False for a number that may also belong to
    /// a mobile phone.
    pub(super) fn is_premium(&self) -> bool {
        const KINDS: [Type; 3] = [Type::PremiumRate, Type::SharedCost, Type::Uan];
        KINDS.into_iter().any(|kind| is_a(self.region, kind, &self.national)) && !self.is_mobile()
    }

    pub(super) fn country(&self) -> Country {
        let id = match self.region.id() {
            // Ascension and Tristan da Cunha have plans of their own but share a country code.
            "AC" | "TA" => "SH",
            id => id,
        };
        // libphonenumber calls the region of numbers without a country `001`, too.
        id.parse().unwrap_or(Country::INTERNATIONAL)
    }
}

/// Returns the digits after the prefix that is dialled in a country for calls abroad.
fn after_international_prefix<'a>(plan: &Metadata, digits: &'a str) -> Option<&'a str> {
    let prefix = plan.international_prefix()?.find(digits)?;
    (prefix.start() == 0).then(|| &digits[prefix.end()..])
}

/// Returns the region of a number, if it is valid there.
///
/// Replaces `phonenumber::PhoneNumber::{is_valid, number_type}`, which lose leading zeros that
/// belong to the number, as in Italy, and search the region anew on each call.
fn region(calling_code: u16, national: &str) -> Option<&'static Metadata> {
    let starts_with = |digits: &Metadata| {
        digits
            .leading_digits()
            .map(|leading| leading.find(national).is_some_and(|found| found.start() == 0))
    };
    let region = PLANS
        .by_code(&calling_code)?
        .into_iter()
        .find(|region| starts_with(region).unwrap_or_else(|| is_assigned(region, national)))?;
    is_assigned(region, national).then_some(region)
}

fn is_assigned(region: &Metadata, national: &str) -> bool {
    const KINDS: [Type; 10] = [
        Type::Mobile,
        Type::FixedLine,
        Type::TollFree,
        Type::PremiumRate,
        Type::SharedCost,
        Type::Voip,
        Type::PersonalNumber,
        Type::Pager,
        Type::Uan,
        Type::Voicemail,
    ];
    region.descriptors().general().is_match(national)
        && KINDS.into_iter().any(|kind| is_a(region, kind, national))
}

/// True if the region gives `national` as a whole to numbers of `kind`. `is_match` alone accepts a
/// prefix if other numbers of the kind are as long as `national`.
pub(super) fn is_a(region: &Metadata, kind: Type, national: &str) -> bool {
    region.descriptors().get(kind).is_some_and(|numbers| {
        let found = || numbers.national_number().find(national);
        numbers.is_match(national) && found().is_some_and(|found| found.end() == national.len())
    })
}
