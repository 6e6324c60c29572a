//! Connections of the bare program.

use std::collections::HashMap;

use tokio_postgres::{Client, Error, NoTls};
use uuid::Uuid;

/// Settings of the service's writers.
const SETTINGS: &str = "\
    SET jit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off";

/// Organizations by the keys that [`Tenant::load`](crate::tenant::Tenant::load) gave them.
const ORGANIZATIONS: &str = "\
    SELECT replace(name, 'Kente ', 'ak_live_'), id FROM organizations WHERE name LIKE 'Kente %'";

/// Opens a connection that is driven by the current runtime.
pub(super) async fn connect(url: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute(SETTINGS).await?;
    Ok(client)
}

/// Returns the organizations by their keys.
pub(super) async fn organizations(url: &str) -> Result<HashMap<String, Uuid>, Error> {
    let rows = connect(url).await?.query(ORGANIZATIONS, &[]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
