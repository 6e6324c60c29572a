//! Types of phone numbers, according to numbering plans.

use super::{Address, is_e164, numbering::Number, phone::ghana_mobile};
use crate::shared::country::Country;

crate::closed_list! {
    /// A type of phone number.
    pub enum PhoneType {
        /// A number that a mobile phone may have. In North America, for example, plans do not
        /// distinguish mobile phones from fixed lines, and all their numbers are of this type.
        Mobile = "MOBILE",
        /// A number that no mobile phone has. It receives calls only.
        FixedLine = "FIXED_LINE",
        /// Any other number: toll-free, premium-rate, Internet telephony, or of no known plan.
        Other = "OTHER",
    }
}

impl Address {
    /// Returns the type of this phone number; `None` if this is no phone number.
    pub fn phone_type(&self) -> Option<PhoneType> {
        if !is_e164(&self.0) {
            return None;
        }
        // Nearly all recipients are mobile numbers of Ghana, found without the lock of the
        // numbering plans.
        if ghana_mobile(Country::GH, &self.0).is_some() {
            return Some(PhoneType::Mobile);
        }
        Some(match Number::international(&self.0) {
            Some(number) if number.is_fixed_line() => PhoneType::FixedLine,
            Some(number) if number.is_mobile() => PhoneType::Mobile,
            _ => PhoneType::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_number_follows_its_plan() {
        for (text, expected) in [
            ("+233241234567", PhoneType::Mobile),
            ("+2348031234567", PhoneType::Mobile),
            ("+14155552671", PhoneType::Mobile),
            ("+233302345678", PhoneType::FixedLine),
            ("+441212345678", PhoneType::FixedLine),
            ("+390236618300", PhoneType::FixedLine),
            ("+23380012345", PhoneType::Other),
            ("+18002345678", PhoneType::Other),
            ("+19002345678", PhoneType::Other),
            ("+445612345678", PhoneType::Other),
            ("+447640123456", PhoneType::Other),
            ("+80012345678", PhoneType::Other),
            ("+999123456789", PhoneType::Other),
        ] {
            assert_eq!(Address::stored(text.into()).phone_type(), Some(expected), "{text}");
        }
    }

    #[test]
    fn an_address_that_is_no_phone_number_has_no_type() {
        for text in ["ama@example.com", "token", "+", ""] {
            assert_eq!(Address::stored(text.into()).phone_type(), None, "{text}");
        }
    }
}
