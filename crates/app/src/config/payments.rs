//! Settings of the payment gateway.

use std::fmt;

use super::{ConfigError, Source, invalid};

/// Settings of the payment gateway.
#[derive(Clone, Default)]
pub struct Payments {
    /// `ATUMPAN_GATEWAY_URL`: address of the payment gateway. Unset, the gateway is simulated in
    /// development, and there is none in production.
    pub gateway_url: Option<String>,
    /// `ATUMPAN_GATEWAY_SECRET`: our secret key at the gateway, which also signs its events. The
    /// key of the simulated gateway is generated once and kept in the database.
    pub gateway_secret: Option<String>,
}

impl Payments {
    pub(super) fn read(source: &Source) -> Result<Self, ConfigError> {
        let gateway_url = source.get("ATUMPAN_GATEWAY_URL");
        let gateway_secret = source.get("ATUMPAN_GATEWAY_SECRET");
        if gateway_url.is_some() && gateway_secret.is_none() {
            let problem = "must be set with ATUMPAN_GATEWAY_URL";
            return Err(invalid("ATUMPAN_GATEWAY_SECRET", problem));
        }
        Ok(Self { gateway_url, gateway_secret })
    }
}

impl fmt::Debug for Payments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payments").field("gateway_url", &self.gateway_url).finish_non_exhaustive()
    }
}
