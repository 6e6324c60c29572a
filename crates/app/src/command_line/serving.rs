//! `atumpan serve`: the service from its start to its stop.

use std::{process, time::Duration};

use domain::identity::user::RegistrationRule;

use super::{
    process_signals::{Received, Signals},
    reload::reload,
};
use crate::{
    config::Config,
    demo,
    logging::LogFormat,
    service::{Database, Service, Sockets, StartError},
    service_manager,
};

/// Time beyond the planned stop after which the process ends in any case.
const GRACE: Duration = Duration::from_secs(8);

/// Serves until a signal or a failure ends the service.
pub(super) async fn serve(mut config: Config) -> Result<(), StartError> {
    let mut signals = Signals::listen()?;
    let sockets = Sockets::bind(&config.server)?;
    tokio::select! {
        () = signals.end() => return Ok(()),
        waited = Database::wait(&config.storage) => waited?,
    }
    let database = Database::open(&config.storage).await?;
    let (url, is_private) = (database.url(), database.is_private());
    let mut service = match Box::pin(Service::start_on(sockets, &config, url, is_private)).await {
        Ok(service) => service,
        Err(error) => {
            database.close().await?;
            return Err(error);
        }
    };
    greet(&config, &service);
    service_manager::report_ready(service.address());
    let failure = loop {
        tokio::select! {
            received = signals.next() => match received {
                Received::End => break None,
                Received::Reload => reload(&service, &mut config),
            },
            status = database.ended() => {
                break Some(format!("the embedded PostgreSQL ended: {status}"));
            }
            ended = service.ended() => break Some(ended),
        }
    };
    if let Some(failure) = &failure {
        tracing::error!(failure, "the service cannot go on");
    }
    match config.log {
        LogFormat::Text => println!("Stopping; once more to stop at once."),
        LogFormat::Json => tracing::info!("stopping; once more to stop at once"),
    }
    service_manager::report_stopping();
    let grace = service.longest_stop() + GRACE;
    tokio::spawn(async move {
        tokio::select! {
            () = signals.end() => tracing::warn!("stopped at once"),
            () = tokio::time::sleep(grace) => tracing::error!("the stop took too long"),
        }
        process::exit(1);
    });
    if failure.is_none() {
        service.announce_stop().await;
    }
    service.stop().await;
    database.close().await?;
    failure.map_or(Ok(()), |failure| Err(failure.into()))
}

fn greet(config: &Config, service: &Service) {
    let url = config.server.given_public_url.clone();
    let url = url.unwrap_or_else(|| format!("http://{}", service.address()));
    if config.log == LogFormat::Json {
        tracing::info!(url, address = %service.address(), "Atumpan serves");
        return;
    }
    println!("Atumpan serves on {url}");
    println!("  dashboard      {url}/app");
    println!("  documentation  {url}/docs");
    println!("  health         {url}/health");
    if config.is_demo {
        println!("{}", demo::sign_ins());
        return;
    }
    if config.security.registration != RegistrationRule::Open {
        return;
    }
    println!("  a first call:");
    println!(
        "  curl --fail-with-body -s {url}/auth/register -H 'Content-Type: application/json' -d \
         '{{\"email\":\"esi@example.com\",\"password\":\"correct horse\",\"firstName\":\"Esi\",\
         \"lastName\":\"Owusu\",\"organizationName\":\"Adinkra Ltd\"}}'"
    );
}
