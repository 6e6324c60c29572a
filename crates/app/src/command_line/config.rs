//! `atumpan config`: the settings that hold, and their faults.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::{
    config::{self, Config, ConfigError, ConfigFaults, Environment, HeldSetting, Origin, Source},
    logging, providers_file,
    service::{self, StartError},
};

#[derive(Debug, Args)]
pub(super) struct ConfigCommand {
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Check>,
}

#[derive(Debug, Subcommand)]
enum Check {
    /// Name all faults of the settings and of the providers file
    ///
    /// Reads what a start reads, and connects to nothing. Ends with status 1 if there is a fault, or a
    /// variable that looks like a setting and is none.
    Check,
}

/// Fault of a setting or a file.
struct Fault {
    /// Name of the setting, if it is known.
    variable: Option<String>,
    message: String,
}

impl ConfigCommand {
    pub(super) fn run(&self) -> Result<(), StartError> {
        logging::start(logging::LogFormat::default());
        match self.command {
            None => print(self.json),
            Some(Check::Check) => check(self.json),
        }
    }
}

fn print(as_json: bool) -> Result<(), StartError> {
    let mut source = Source::of_process()?;
    let config = Config::read_with_secret_files(&mut source)?;
    let held = config::held(&source, &config);
    if as_json {
        println!("{:#}", held.iter().map(json_of).collect::<Value>());
        return Ok(());
    }
    let width = held.iter().map(|setting| setting.variable.len()).max().unwrap_or_default();
    for HeldSetting { variable, value, origin } in &held {
        let value = value.as_deref().unwrap_or("-");
        println!("{variable:width$}  {value}  ({})", place(origin));
    }
    Ok(())
}

fn json_of(setting: &HeldSetting) -> Value {
    let HeldSetting { variable, value, origin } = setting;
    let (source, path) = match origin {
        Origin::Environment => ("environment", None),
        Origin::File => ("atumpan.toml", None),
        Origin::SecretFile(path) => ("secret file", Some(path)),
        Origin::Default => ("default", None),
    };
    json!({"name": variable, "value": value, "source": source, "path": path})
}

fn place(origin: &Origin) -> String {
    match origin {
        Origin::Environment => "environment".to_owned(),
        Origin::File => "atumpan.toml".to_owned(),
        Origin::SecretFile(path) => format!("file {path}"),
        Origin::Default => "default".to_owned(),
    }
}

fn check(as_json: bool) -> Result<(), StartError> {
    let faults = faults();
    if as_json {
        let fault = |fault: &Fault| json!({"name": fault.variable, "message": fault.message});
        println!("{:#}", faults.iter().map(fault).collect::<Value>());
    } else {
        for fault in &faults {
            println!("{}", fault.message);
        }
    }
    match faults.len() {
        0 if as_json => Ok(()),
        0 => {
            println!("The settings are in order.");
            Ok(())
        }
        1 => Err("the settings have a fault".into()),
        count => Err(format!("the settings have {count} faults").into()),
    }
}

/// Returns all faults that a start would find before it connects to anything.
fn faults() -> Vec<Fault> {
    let mut source = match Source::of_process() {
        Ok(source) => source,
        Err(error) => return vec![fault(&error)],
    };
    let read = Config::read_with_secret_files(&mut source);
    let unknown = source.unknown_variables().into_iter().map(|(name, nearest)| Fault {
        message: format!("{name} is no setting (did you mean {nearest}?)"),
        variable: Some(name),
    });
    let mut faults: Vec<_> = unknown.collect();
    match read {
        Ok(config) => faults.extend(faults_of_values(&config)),
        Err(ConfigFaults(errors)) => faults.extend(errors.iter().map(fault)),
    }
    faults
}

fn fault(error: &ConfigError) -> Fault {
    Fault { variable: error.variable().map(str::to_owned), message: error.to_string() }
}

/// Returns the faults of addresses and of the providers file.
fn faults_of_values(config: &Config) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut note = |variable: &str, message: String| {
        faults.push(Fault { variable: Some(variable.to_owned()), message });
    };
    if let Some(url) = &config.storage.database_url
        && let Err(error) = service::check_database_url(url)
    {
        note("DATABASE_URL", error.to_string());
    }
    if let Some(url) = &config.storage.redis_url
        && let Err(error) = adapters_redis::check_url(url)
    {
        note("REDIS_URL", format!("REDIS_URL {error}"));
    }
    if let Some(path) = &config.delivery.providers {
        let is_production = config.security.environment == Environment::Production;
        let checked = providers_file::read_process(path).and_then(|declarations| {
            if is_production {
                providers_file::check_for_production(path, &declarations)?;
            }
            Ok(())
        });
        let lines = checked.map_or_else(|error| error.lines(), |()| Vec::new());
        for line in lines {
            note("ATUMPAN_PROVIDERS", line);
        }
    }
    faults
}
