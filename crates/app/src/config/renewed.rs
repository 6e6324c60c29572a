//! Settings that a running service adopts.

use super::Config;

impl Config {
    /// Returns this configuration with those settings of a newer one that change without a restart. A key
    /// is adopted only with the address that it is for: it is sent to no other.
    #[must_use]
    pub fn renewed_by(&self, newer: &Self) -> Self {
        let mut renewed = self.clone();
        renewed.security.jwt_secret.clone_from(&newer.security.jwt_secret);
        renewed.security.previous_jwt_secret.clone_from(&newer.security.previous_jwt_secret);
        renewed.delivery.providers.clone_from(&newer.delivery.providers);
        let payments = &mut renewed.payments;
        if payments.gateway_url.is_some() && payments.gateway_url == newer.payments.gateway_url {
            payments.gateway_secret.clone_from(&newer.payments.gateway_secret);
        }
        if let (Some(model), Some(newer)) = (&mut renewed.content, &newer.content)
            && model.url == newer.url
        {
            model.key.clone_from(&newer.key);
        }
        renewed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Source, changed};

    fn read(pairs: &[(&str, &str)]) -> Config {
        Config::read(&Source::of(pairs, "")).unwrap()
    }

    /// Returns the settings of `newer` that wait for the next start of a service with those of `old`.
    fn waiting(old: &[(&str, &str)], newer: &[(&str, &str)]) -> Vec<&'static str> {
        let newer = read(newer);
        changed(&read(old).renewed_by(&newer), &newer)
    }

    const GATEWAY: (&str, &str) = ("ATUMPAN_GATEWAY_URL", "https://api.paystack.co");
    const GATEWAY_KEY: (&str, &str) = ("ATUMPAN_GATEWAY_SECRET", "sk_test_1");
    const NEW_GATEWAY_KEY: (&str, &str) = ("ATUMPAN_GATEWAY_SECRET", "sk_test_2");
    const MODEL: (&str, &str) = ("ATUMPAN_CONTENT_MODEL", "llama3");
    const MODEL_URL: (&str, &str) = ("ATUMPAN_CONTENT_URL", "https://models.example.com/v1");
    const MODEL_KEY: (&str, &str) = ("ATUMPAN_CONTENT_KEY", "one");

    #[test]
    fn keys_of_the_gateway_and_the_model_change_while_the_service_runs() {
        let none: Vec<&str> = Vec::new();
        assert_eq!(waiting(&[GATEWAY, GATEWAY_KEY], &[GATEWAY, NEW_GATEWAY_KEY]), none);
        assert_eq!(waiting(&[MODEL, MODEL_URL], &[MODEL, MODEL_URL, MODEL_KEY]), none);
        assert_eq!(waiting(&[], &[("ATUMPAN_WORKERS", "7")]), ["ATUMPAN_WORKERS"]);
    }

    #[test]
    fn a_key_waits_for_the_address_that_it_is_for() {
        let other = ("ATUMPAN_GATEWAY_URL", "https://pay.example.com");
        let both = ["ATUMPAN_GATEWAY_SECRET", "ATUMPAN_GATEWAY_URL"];
        assert_eq!(waiting(&[GATEWAY, GATEWAY_KEY], &[other, NEW_GATEWAY_KEY]), both);
        assert_eq!(waiting(&[], &[GATEWAY_KEY]), ["ATUMPAN_GATEWAY_SECRET"], "a simulated gateway");
        let other = ("ATUMPAN_CONTENT_URL", "https://other.example.com/v1");
        let both = ["ATUMPAN_CONTENT_KEY", "ATUMPAN_CONTENT_URL"];
        assert_eq!(waiting(&[MODEL, MODEL_URL], &[MODEL, other, MODEL_KEY]), both);
    }
}
