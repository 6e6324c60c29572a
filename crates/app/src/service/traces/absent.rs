//! Stand-in for the exporter in a program without one.

use std::sync::Arc;

use thiserror::Error;

use super::Exporter;
use crate::config::Traces;

/// Error of a program that cannot export traces.
#[derive(Debug, Error)]
#[error("OTEL_EXPORTER_OTLP_ENDPOINT is set, but the program was built without the feature otel")]
pub(super) struct NotBuilt;

/// Fails.
pub(super) fn exporter(_: &Traces) -> Result<Arc<dyn Exporter>, NotBuilt> {
    Err(NotBuilt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Source};

    #[test]
    fn a_program_without_the_feature_names_the_setting_and_the_feature() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        let source = Source::of_variables(
            [endpoint].map(|(name, value)| (name.into(), value.into())).into(),
        );
        let settings = Config::read(&source).unwrap().traces.unwrap();

        let error = exporter(&settings).err().unwrap().to_string();

        assert!(error.contains(endpoint.0) && error.contains("otel"), "{error}");
    }
}
