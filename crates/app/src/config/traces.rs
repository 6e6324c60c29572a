//! Settings of the export of traces, under the names that OpenTelemetry gives them.

use std::fmt;

use domain::shared::trace::{MILLION, Sampler};

use super::{ConfigError, Source, invalid};

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const PROTOCOL: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
const SAMPLER: &str = "OTEL_TRACES_SAMPLER";
const SAMPLER_ARG: &str = "OTEL_TRACES_SAMPLER_ARG";
const SERVICE: &str = "OTEL_SERVICE_NAME";
/// Beginning of the names of samplers that follow the decision of callers.
const FOLLOWS_CALLERS: &str = "parentbased_";
/// The only protocol.
const ONLY_PROTOCOL: &str = "http/protobuf";
/// Default share of traces: one in a hundred.
const USUAL_SHARE: u32 = MILLION / 100;

/// Export of traces.
#[derive(Clone, PartialEq, Eq)]
pub struct Traces {
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`: URL of the collector; unset, no traces are exported.
    pub endpoint: String,
    /// `OTEL_EXPORTER_OTLP_HEADERS`: headers of the requests to it, such as credentials.
    pub headers: String,
    /// `OTEL_EXPORTER_OTLP_PROTOCOL`, `http/protobuf`.
    pub protocol: String,
    /// `OTEL_SERVICE_NAME`, by default `atumpan`.
    pub service: String,
    /// `OTEL_TRACES_SAMPLER`, by default `parentbased_traceidratio`, and `OTEL_TRACES_SAMPLER_ARG`, by
    /// default `0.01`: share of traces that are exported.
    pub sampler: Sampler,
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traces").field("sampler", &self.sampler).finish_non_exhaustive()
    }
}

impl Traces {
    /// Reads the settings; `None` if no traces are exported.
    pub(super) fn read(source: &Source) -> Result<Option<Self>, ConfigError> {
        let sampler = sampler(source)?;
        let Some(endpoint) = source.get(ENDPOINT) else { return Ok(None) };
        let host = ["http://", "https://"].iter().find_map(|scheme| endpoint.strip_prefix(scheme));
        if host.is_none_or(|host| host.is_empty() || host.contains([' ', '@', '?', '#'])) {
            return Err(invalid(ENDPOINT, "must be a URL such as http://127.0.0.1:4318"));
        }
        let protocol = source.get(PROTOCOL).unwrap_or_else(|| ONLY_PROTOCOL.to_owned());
        if protocol != ONLY_PROTOCOL {
            return Err(invalid(PROTOCOL, format!("must be {ONLY_PROTOCOL}")));
        }
        Ok(Some(Self {
            endpoint,
            protocol,
            headers: source.get(HEADERS).unwrap_or_default(),
            service: source.get(SERVICE).unwrap_or_else(|| "atumpan".to_owned()),
            sampler,
        }))
    }

    /// Returns the name of the sampler that decides so.
    pub(super) fn sampler_name(&self) -> String {
        let kind = match self.sampler.per_million {
            MILLION => "always_on",
            0 => "always_off",
            _ => "traceidratio",
        };
        let prefix = if self.sampler.follows_callers { FOLLOWS_CALLERS } else { "" };
        format!("{prefix}{kind}")
    }

    /// Returns the share of traces that is exported, from 0 to 1.
    pub(super) fn share(&self) -> String {
        (f64::from(self.sampler.per_million) / f64::from(MILLION)).to_string()
    }
}

fn sampler(source: &Source) -> Result<Sampler, ConfigError> {
    let share = share(source)?;
    let name = source.get(SAMPLER).unwrap_or_else(|| "parentbased_traceidratio".to_owned());
    let (follows_callers, kind) = match name.strip_prefix(FOLLOWS_CALLERS) {
        Some(kind) => (true, kind),
        None => (false, name.as_str()),
    };
    let per_million = match kind {
        "always_on" => MILLION,
        "always_off" => 0,
        "traceidratio" => share,
        _ => {
            let problem = "must be always_on, always_off or traceidratio, or one of these behind \
                           parentbased_";
            return Err(invalid(SAMPLER, problem));
        }
    };
    Ok(Sampler { per_million, follows_callers })
}

/// Returns the share of traces, of a million.
fn share(source: &Source) -> Result<u32, ConfigError> {
    let Some(text) = source.get(SAMPLER_ARG) else { return Ok(USUAL_SHARE) };
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    let share = share.ok_or_else(|| invalid(SAMPLER_ARG, "must be from 0 to 1, such as 0.01"))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is from 0 to a million"
    )]
    let per_million = (share * f64::from(MILLION)).round() as u32;
    Ok(per_million)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLLECTOR: (&str, &str) = (ENDPOINT, "http://127.0.0.1:4318");

    fn reading(pairs: &[(&str, &str)]) -> Result<Option<Traces>, String> {
        Traces::read(&Source::of(pairs, "")).map_err(|error| error.to_string())
    }

    fn sampler_of(pairs: &[(&str, &str)]) -> (u32, bool) {
        let traces = reading(&[&[COLLECTOR], pairs].concat()).unwrap().unwrap();
        (traces.sampler.per_million, traces.sampler.follows_callers)
    }

    #[test]
    fn nothing_is_exported_without_a_collector() {
        assert_eq!(reading(&[(SAMPLER, "always_on")]), Ok(None));
        assert_eq!(reading(&[COLLECTOR]).unwrap().unwrap().service, "atumpan");
    }

    #[test]
    fn the_samplers_are_those_of_the_specification() {
        assert_eq!(sampler_of(&[]), (10_000, true));
        for (name, share, expected) in [
            ("always_on", "0.5", (MILLION, false)),
            ("always_off", "0.5", (0, false)),
            ("traceidratio", "0.5", (500_000, false)),
            ("parentbased_always_on", "0.5", (MILLION, true)),
            ("parentbased_always_off", "0.5", (0, true)),
            ("parentbased_traceidratio", "0.000001", (1, true)),
        ] {
            assert_eq!(sampler_of(&[(SAMPLER, name), (SAMPLER_ARG, share)]), expected, "{name}");
        }
    }

    #[test]
    fn the_sampler_that_holds_is_shown_by_its_name_and_share() {
        let shown = |pairs: &[(&str, &str)]| {
            let traces = reading(&[&[COLLECTOR], pairs].concat()).unwrap().unwrap();
            (traces.sampler_name(), traces.share())
        };
        let expected = |name: &str, share: &str| (name.to_owned(), share.to_owned());
        assert_eq!(shown(&[]), expected("parentbased_traceidratio", "0.01"));
        assert_eq!(shown(&[(SAMPLER, "always_on")]), expected("always_on", "1"));
    }

    #[test]
    fn an_invalid_setting_of_traces_is_named() {
        for (given, named) in [
            (&[(ENDPOINT, "collector:4318")][..], ENDPOINT),
            (&[(ENDPOINT, "https://")], ENDPOINT),
            (&[(ENDPOINT, "https://me:s3cr3t@collector")], ENDPOINT),
            (&[COLLECTOR, (PROTOCOL, "grpc")], PROTOCOL),
            (&[(SAMPLER, "sometimes")], SAMPLER),
            (&[(SAMPLER, "parentbased_sometimes")], SAMPLER),
            (&[(SAMPLER_ARG, "2")], SAMPLER_ARG),
            (&[(SAMPLER_ARG, "NaN")], SAMPLER_ARG),
        ] {
            let error = reading(given).unwrap_err();
            assert!(error.starts_with(named) && !error.contains("s3cr3t"), "{error}");
        }
    }
}
