//! Faults in settings, all of which are reported at once.

use std::{error::Error, fmt};

use super::ConfigError;

/// Faults found so far. While the other settings are read, a stand-in serves for each faulty one.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<ConfigError>);

impl Faults {
    /// Returns the value that was read, or notes the fault and returns the stand-in.
    pub(super) fn take<T>(&mut self, read: Result<T, ConfigError>, stand_in: T) -> T {
        read.unwrap_or_else(|fault| {
            self.note(fault);
            stand_in
        })
    }

    /// Notes a fault, unless the setting has another one, from which this one may follow.
    pub(super) fn note(&mut self, fault: ConfigError) {
        let variable = fault.variable();
        if variable.is_none() || self.0.iter().all(|known| known.variable() != variable) {
            self.0.push(fault);
        }
    }

    /// Returns what was read, or the faults if there are any.
    pub(super) fn refuse<T>(self, read: T) -> Result<T, ConfigFaults> {
        if self.0.is_empty() { Ok(read) } else { Err(ConfigFaults(self.0)) }
    }
}

/// All faults in the settings.
#[derive(Debug)]
pub struct ConfigFaults(pub Vec<ConfigError>);

impl fmt::Display for ConfigFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}

impl Error for ConfigFaults {}

impl From<ConfigError> for ConfigFaults {
    fn from(fault: ConfigError) -> Self {
        Self(vec![fault])
    }
}
