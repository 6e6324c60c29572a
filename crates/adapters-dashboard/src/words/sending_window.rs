//! Days on which sending windows open.

use domain::messaging::sending_window::Weekday;

pub(crate) const fn day_name(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

/// Returns days in the order of the week: `Every day`, `Monday to Friday`, or each by its name.
pub(crate) fn days_in_words(days: &[Weekday]) -> String {
    let all = Weekday::ALL;
    let follows = all.windows(days.len().max(1)).any(|week| week == days);
    match days {
        days if days == all => "Every day".to_owned(),
        [first, .., last] if follows && days.len() > 2 => {
            format!("{} to {}", day_name(*first), day_name(*last))
        }
        days => days.iter().map(|day| day_name(*day)).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_follow_each_other_are_named_by_the_first_and_the_last() {
        use Weekday::{Friday, Monday, Saturday, Sunday, Tuesday, Wednesday};

        assert_eq!(days_in_words(&Weekday::ALL), "Every day");
        assert_eq!(days_in_words(&[Monday, Tuesday, Wednesday]), "Monday to Wednesday");
        assert_eq!(days_in_words(&[Saturday, Sunday]), "Saturday, Sunday");
        assert_eq!(days_in_words(&[Monday, Wednesday, Friday]), "Monday, Wednesday, Friday");
    }
}
