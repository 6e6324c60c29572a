//! Countries, which decide how a number is read, routed and priced.
//!
//! ```
//! use domain::shared::country::Country;
//!
//! assert_eq!("gh".parse(), Ok(Country::GH));
//! assert!("Ghana".parse::<Country>().is_err());
//! ```

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

/// Country, by its ISO 3166-1 alpha-2 code in upper case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Country([u8; 2]);

/// The text names no country.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("is not a two-letter ISO 3166-1 country code, such as GH")]
pub struct UnknownCountry;

impl Country {
    /// Ghana.
    pub const GH: Self = Self(*b"GH");
    /// No country: satellite phones, international freephone and international premium services.
    /// `001` is the world in the codes of the United Nations.
    pub const INTERNATIONAL: Self = Self(*b"01");

    /// Returns the two letters of the code, or `001`.
    pub fn as_str(&self) -> &str {
        if *self == Self::INTERNATIONAL {
            return "001";
        }
        // Only letters of `ASSIGNED` get in, so the default is never taken.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Parses a code of routes and prices: that of a country, or `001`.
    pub fn parse_destination(text: &str) -> Result<Self, UnknownCountry> {
        if text == Self::INTERNATIONAL.as_str() { Ok(Self::INTERNATIONAL) } else { text.parse() }
    }

    /// True if a rule that names `named` applies here. `None` stands for any country, but not for
    /// [`INTERNATIONAL`](Self::INTERNATIONAL).
    pub fn is_covered_by(self, named: Option<Self>) -> bool {
        named.map_or(self != Self::INTERNATIONAL, |named| named == self)
    }
}

/// Parses the code of a country in either case. White space is not trimmed.
impl FromStr for Country {
    type Err = UnknownCountry;

    fn from_str(text: &str) -> Result<Self, UnknownCountry> {
        let code: [u8; 2] = text.as_bytes().try_into().map_err(|_| UnknownCountry)?;
        let code = code.map(|letter| letter.to_ascii_uppercase());
        ASSIGNED.binary_search(&code).map(|_| Self(code)).map_err(|_| UnknownCountry)
    }
}

impl TryFrom<String> for Country {
    type Error = UnknownCountry;

    fn try_from(text: String) -> Result<Self, UnknownCountry> {
        Self::parse_destination(&text)
    }
}

impl Serialize for Country {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Officially assigned codes in order, as listed by the time zone database in `iso3166.tab`, and
/// XK, which ISO leaves to users and which stands for Kosovo, whose numbers start with +383.
const ASSIGNED: [[u8; 2]; 250] = [
    *b"AD", *b"AE", *b"AF", *b"AG", *b"AI", *b"AL", *b"AM", *b"AO", *b"AQ", *b"AR", *b"AS", *b"AT",
    *b"AU", *b"AW", *b"AX", *b"AZ", *b"BA", *b"BB", *b"BD", *b"BE", *b"BF", *b"BG", *b"BH", *b"BI",
    *b"BJ", *b"BL", *b"BM", *b"BN", *b"BO", *b"BQ", *b"BR", *b"BS", *b"BT", *b"BV", *b"BW", *b"BY",
    *b"BZ", *b"CA", *b"CC", *b"CD", *b"CF", *b"CG", *b"CH", *b"CI", *b"CK", *b"CL", *b"CM", *b"CN",
    *b"CO", *b"CR", *b"CU", *b"CV", *b"CW", *b"CX", *b"CY", *b"CZ", *b"DE", *b"DJ", *b"DK", *b"DM",
    *b"DO", *b"DZ", *b"EC", *b"EE", *b"EG", *b"EH", *b"ER", *b"ES", *b"ET", *b"FI", *b"FJ", *b"FK",
    *b"FM", *b"FO", *b"FR", *b"GA", *b"GB", *b"GD", *b"GE", *b"GF", *b"GG", *b"GH", *b"GI", *b"GL",
    *b"GM", *b"GN", *b"GP", *b"GQ", *b"GR", *b"GS", *b"GT", *b"GU", *b"GW", *b"GY", *b"HK", *b"HM",
    *b"HN", *b"HR", *b"HT", *b"HU", *b"ID", *b"IE", *b"IL", *b"IM", *b"IN", *b"IO", *b"IQ", *b"IR",
    *b"IS", *b"IT", *b"JE", *b"JM", *b"JO", *b"JP", *b"KE", *b"KG", *b"KH", *b"KI", *b"KM", *b"KN",
    *b"KP", *b"KR", *b"KW", *b"KY", *b"KZ", *b"LA", *b"LB", *b"LC", *b"LI", *b"LK", *b"LR", *b"LS",
    *b"LT", *b"LU", *b"LV", *b"LY", *b"MA", *b"MC", *b"MD", *b"ME", *b"MF", *b"MG", *b"MH", *b"MK",
    *b"ML", *b"MM", *b"MN", *b"MO", *b"MP", *b"MQ", *b"MR", *b"MS", *b"MT", *b"MU", *b"MV", *b"MW",
    *b"MX", *b"MY", *b"MZ", *b"NA", *b"NC", *b"NE", *b"NF", *b"NG", *b"NI", *b"NL", *b"NO", *b"NP",
    *b"NR", *b"NU", *b"NZ", *b"OM", *b"PA", *b"PE", *b"PF", *b"PG", *b"PH", *b"PK", *b"PL", *b"PM",
    *b"PN", *b"PR", *b"PS", *b"PT", *b"PW", *b"PY", *b"QA", *b"RE", *b"RO", *b"RS", *b"RU", *b"RW",
    *b"SA", *b"SB", *b"SC", *b"SD", *b"SE", *b"SG", *b"SH", *b"SI", *b"SJ", *b"SK", *b"SL", *b"SM",
    *b"SN", *b"SO", *b"SR", *b"SS", *b"ST", *b"SV", *b"SX", *b"SY", *b"SZ", *b"TC", *b"TD", *b"TF",
    *b"TG", *b"TH", *b"TJ", *b"TK", *b"TL", *b"TM", *b"TN", *b"TO", *b"TR", *b"TT", *b"TV", *b"TW",
    *b"TZ", *b"UA", *b"UG", *b"UM", *b"US", *b"UY", *b"UZ", *b"VA", *b"VC", *b"VE", *b"VG", *b"VI",
    *b"VN", *b"VU", *b"WF", *b"WS", *b"XK", *b"YE", *b"YT", *b"ZA", *b"ZM", *b"ZW",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_in_either_case() {
        assert_eq!("GH".parse(), Ok(Country::GH));
        assert_eq!("gh".parse(), Ok(Country::GH));
        assert_eq!("Ng".parse::<Country>().unwrap().as_str(), "NG");
    }

    #[test]
    fn unassigned_codes_are_refused() {
        for text in ["", "G", "GHA", "ZZ", "UK", "EU", "AA", " GH", "g1", "\u{e9}"] {
            assert_eq!(text.parse::<Country>(), Err(UnknownCountry), "{text:?}");
        }
    }

    #[test]
    fn numbers_of_no_country_need_a_rule_of_their_own() {
        let international = Country::parse_destination("001").unwrap();
        assert_eq!((international, international.as_str()), (Country::INTERNATIONAL, "001"));
        assert!(international.is_covered_by(Some(Country::INTERNATIONAL)));
        assert!(
            !international.is_covered_by(None) && !international.is_covered_by(Some(Country::GH))
        );
        assert!(Country::GH.is_covered_by(None) && Country::GH.is_covered_by(Some(Country::GH)));
        assert!(!Country::GH.is_covered_by(Some(Country::INTERNATIONAL)));
        assert_eq!(
            "001".parse::<Country>(),
            Err(UnknownCountry),
            "no client says that it is there"
        );
    }

    #[test]
    fn the_codes_are_sorted_and_distinct() {
        assert!(ASSIGNED.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn json_holds_the_code() {
        assert_eq!(serde_json::to_string(&Country::GH).unwrap(), "\"GH\"");
        assert_eq!(serde_json::from_str::<Country>("\"gh\"").unwrap(), Country::GH);
        assert_eq!(serde_json::from_str::<Country>("\"001\"").unwrap(), Country::INTERNATIONAL);

        let error = serde_json::from_str::<Country>("\"ZZ\"").unwrap_err();
        assert!(error.to_string().starts_with("is not a two-letter ISO 3166-1 country code"));
    }
}
