//! `atumpan callbacks`: the addresses to enter in the consoles of vendors.

use adapters_postgres::PgStore;

use crate::{
    config::Config,
    providers_file,
    service::{self, Database, StartError},
};

/// Prints a line for each declared provider.
pub(super) async fn print_callbacks(config: &Config) -> Result<(), StartError> {
    let Some(path) = &config.delivery.providers else {
        return Err("ATUMPAN_PROVIDERS names no providers file".into());
    };
    let declarations = providers_file::read_process(path)?;
    let key = match &config.security.callback_secret {
        Some(secret) => secret.as_bytes().to_vec(),
        None => kept_callback_key(config).await?,
    };
    let public_url = config.server.public_url();
    for declaration in declarations {
        let address = declaration.callback_address(&public_url, &key);
        println!("{}: {}", declaration.name, address.as_deref().unwrap_or("makes no callbacks"));
    }
    Ok(())
}

async fn kept_callback_key(config: &Config) -> Result<Vec<u8>, StartError> {
    let database = Database::open_existing(&config.storage).await?;
    let store = PgStore::connect(database.url(), 1)?;
    let key = service::callback_key(config, &store).await;
    database.close().await?;
    key
}
