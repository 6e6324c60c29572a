//! Rows about the views of platform administrators, with ten thousand organizations.

use std::error::Error;

use crate::{
    audience::median_of,
    harness::{Harness, Service, WORKERS},
    http::Connection,
    report::{Goal, Table},
    tenant::Tenant,
};

const ORGANIZATIONS: u64 = 10_000;

/// Measures all rows.
pub(crate) async fn measure(harness: &Harness, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let database = harness.database("administration").await?;
    Tenant::load(&database, ORGANIZATIONS).await?;
    let service = Service::start(&database, WORKERS)?;
    let admin = Tenant::found(service.address(), 0).await?;
    database.execute(LOAD).await?;
    database.execute("VACUUM ANALYZE").await?;
    let mut connection = Connection::open(service.address()).await?;
    for (row, path, goal) in [
        ("a page of organizations", "/admin/tenants?limit=100", 20.0),
        ("the last page", "/admin/tenants?limit=100&page=100", 20.0),
        ("organizations by name", "/admin/tenants?limit=100&search=nte%2077", 20.0),
        ("revenue over a year", "/admin/revenue", 100.0),
    ] {
        let time = median_of(&mut connection, &admin.get(path)).await?;
        let row = format!("9 {row}, {ORGANIZATIONS} organizations");
        table.tell(&row, "ms", time, Goal::AtMost(goal));
    }
    service.stop()?;
    harness.drop("administration").await
}

/// Inserts three members of each organization, and a year of messages.
const LOAD: &str = "\
    UPDATE users SET platform_role = 'PLATFORM_SUPER_ADMIN'; \
    INSERT INTO users (id, email, first_name, last_name, password_hash, created_at) \
        SELECT gen_random_uuid(), 'member' || number || '@example.com', 'Kofi', 'Owusu', '', now() \
        FROM generate_series(1, 3) AS number; \
    INSERT INTO members (organization_id, user_id, role, joined_at) \
        SELECT organizations.id, users.id, 'VIEWER', now() FROM organizations CROSS JOIN users \
        WHERE users.first_name = 'Kofi'; \
    INSERT INTO platform_counters (day, channel, status, is_sandbox, messages, segments, cost_micros) \
        SELECT day, channel, status, is_sandbox, 100000, 120000, 4200000000 \
        FROM generate_series(current_date - 366, current_date, interval '1 day') AS day, \
            unnest(ARRAY['SMS', 'WHATSAPP', 'EMAIL', 'PUSH', 'VOICE']) AS channel, \
            unnest(ARRAY['QUEUED', 'PENDING', 'SENT', 'DELIVERED', 'FAILED']) AS status, \
            unnest(ARRAY[true, false]) AS is_sandbox";
