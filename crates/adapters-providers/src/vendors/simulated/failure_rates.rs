//! Random selection of messages that fail or stay unreported. It is the same every time.

use domain::{messaging::message::Message, shared::id::Id};
use sha2::{Digest, Sha256};

use super::Fate;
use crate::declaration::{Declaration, DeclarationError};

/// Shares of messages that are not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct FailureRates {
    /// Share of messages that fail, from 0 to 1.
    failure: f64,
    /// Share of messages that are never reported on, from 0 to 1. The sum of both is 1 at most.
    silence: f64,
    /// Selects the messages, together with their identifiers.
    seed: u64,
}

impl FailureRates {
    #[cfg(test)]
    pub(super) fn new(failure: f64, silence: f64, seed: u64) -> Self {
        Self { failure, silence, seed }
    }

    /// Reads the options of a declaration.
    pub(super) fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let failure = rate(declaration, "failure_rate")?;
        let silence = rate(declaration, "silence_rate")?;
        if failure + silence > 1.0 {
            let problem = "must not be over 1 together with failure_rate";
            return Err(declaration.invalid_option("silence_rate", problem));
        }
        let seed = declaration.option("seed")?.unwrap_or_default();
        Ok(Self { failure, silence, seed })
    }

    /// Returns the fate of a message.
    pub(super) fn fate(&self, message: Id<Message>) -> Fate {
        let number = self.draw(message);
        if number < self.failure {
            Fate::Failed
        } else if number < self.failure + self.silence {
            Fate::Unreported
        } else {
            Fate::Delivered
        }
    }

    /// Returns a number from 0 to below 1, evenly distributed over messages.
    fn draw(&self, message: Id<Message>) -> f64 {
        let mut digest = Sha256::new();
        digest.update(self.seed.to_be_bytes());
        digest.update(message.uuid().as_bytes());
        let digest = digest.finalize();
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&digest[..4]);
        f64::from(u32::from_be_bytes(bytes)) / (f64::from(u32::MAX) + 1.0)
    }
}

fn rate(declaration: &Declaration, key: &str) -> Result<f64, DeclarationError> {
    let rate = declaration.option(key)?.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&rate) {
        return Err(declaration.invalid_option(key, "must be from 0 to 1"));
    }
    Ok(rate)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use chrono::DateTime;
    use domain::{identity::organization::PLATFORM, shared::channel::Channel};
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::declaration;

    fn ids(many: usize) -> Vec<Id<Message>> {
        (0..many).map(|_| Id::new_in(DateTime::UNIX_EPOCH, PLATFORM)).collect()
    }

    fn read(options: &[(&str, &str)]) -> Result<FailureRates, String> {
        let options = options.iter().map(|(key, text)| ((*key).into(), (*text).into()));
        let declaration = Declaration {
            options: options.collect::<BTreeMap<String, String>>(),
            ..declaration("simulated", Channel::Sms)
        };
        FailureRates::read(&declaration).map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_shares_and_a_seed() {
        assert_eq!(read(&[]), Ok(FailureRates::default()));
        let all = [("failure_rate", "0.25"), ("silence_rate", "0.75"), ("seed", "7")];
        assert_eq!(read(&all), Ok(FailureRates::new(0.25, 0.75, 7)));
        for (options, problem) in [
            (vec![("failure_rate", "1.5")], "options.failure_rate must be from 0 to 1"),
            (vec![("silence_rate", "-0.1")], "options.silence_rate must be from 0 to 1"),
            (vec![("silence_rate", "NaN")], "options.silence_rate must be from 0 to 1"),
            (vec![("failure_rate", "some")], "options.failure_rate makes no sense"),
            (
                vec![("failure_rate", "0.6"), ("silence_rate", "0.6")],
                "options.silence_rate must not be over 1",
            ),
            (vec![("seed", "-1")], "options.seed makes no sense"),
        ] {
            let error = read(&options).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn the_shares_match_the_options() {
        const MANY: usize = 20_000;
        let failure_rates = FailureRates::new(0.2, 0.1, 7);

        let fates: Vec<_> = ids(MANY).into_iter().map(|id| failure_rates.fate(id)).collect();

        let count = |fate| fates.iter().filter(|found| **found == fate).count();
        assert!((3_600..4_400).contains(&count(Fate::Failed)), "{}", count(Fate::Failed));
        assert!((1_700..2_300).contains(&count(Fate::Unreported)), "{}", count(Fate::Unreported));
    }

    #[test]
    fn another_seed_picks_others() {
        let ids = ids(200);
        let fates = |seed| {
            let failure_rates = FailureRates::new(0.5, 0.0, seed);
            ids.iter().map(|id| failure_rates.fate(*id)).collect::<Vec<_>>()
        };
        assert_ne!(fates(1), fates(2));
    }

    proptest! {
        #[test]
        fn a_fate_is_always_the_same_and_grows_with_its_share(
            uuid in any::<u128>(),
            seed in any::<u64>(),
            (failure, more) in (0.0..=0.5_f64, 0.0..=0.5_f64),
        ) {
            let id: Id<Message> = format!("{uuid:032x}").parse().unwrap();
            let fate = |failure| FailureRates::new(failure, 0.0, seed).fate(id);
            prop_assert_eq!(fate(failure), fate(failure));
            // A message that fails at a share also fails at a greater one.
            prop_assert!(fate(failure) != Fate::Failed || fate(failure + more) == Fate::Failed);
            prop_assert_eq!(fate(0.0), Fate::Delivered);
            prop_assert_eq!(fate(1.0), Fate::Failed);
            prop_assert_eq!(FailureRates::new(0.0, 1.0, seed).fate(id), Fate::Unreported);
        }
    }
}
