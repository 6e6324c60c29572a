//! Classes of tables: their rows belong to an organization, to the platform, or to one database.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use acceptance::{database_url, fresh_database_url};
use tokio_postgres::{Client, NoTls};

use crate::tree::assert_none;

pub(crate) const TENANT: &str = "tenant";
pub(crate) const GLOBAL: &str = "global";
const CLASSES: [&str; 3] = [TENANT, GLOBAL, "instance-wide"];

/// Tables and views by name, with the classes of their rows.
pub(crate) type Tables = BTreeMap<String, BTreeSet<String>>;

#[tokio::test]
async fn every_table_has_a_class_and_suitable_keys() {
    let broken = broken_rules(&connect(&database_url().await).await).await;
    assert_none(&broken, "tables keep what docs/architecture.md says of their classes");
}

#[tokio::test]
async fn names_each_broken_rule_of_the_classes() {
    let client = connect(&fresh_database_url().await).await;
    client.batch_execute(BREAK_EACH_RULE).await.unwrap();

    let broken = broken_rules(&client).await;

    let expected = [
        "no_class: has the class '', none of tenant, global, instance-wide",
        "odd_class: has the class 'tenants', none of tenant, global, instance-wide",
        "keyless: has no primary key",
        "by_id: by_id_pkey does not begin with organization_id",
        "by_name: by_name_unique does not begin with organization_id",
        "by_name: by_name_lower does not begin with organization_id",
        "nullable: nullable_pkey does not begin with organization_id",
        "to_global: to_global_user_id_fkey points from tenant to global",
        "to_tenant: to_tenant_wallet_fkey points from global to tenant",
        "within: within_other_fkey does not begin with organization_id",
        "mixed: is a view over global and tenant",
    ];
    assert_eq!(BTreeSet::from_iter(broken), expected.map(str::to_owned).into());
}

/// Returns the tables and views of a migrated database with their classes.
pub(crate) async fn tables() -> Tables {
    let client = connect(&database_url().await).await;
    let mut tables = base_tables(&client).await;
    tables.extend(views(&client, &tables).await);
    tables
}

/// Returns the functions of a migrated database, each as name and body.
pub(crate) async fn functions() -> Vec<(String, String)> {
    let client = connect(&database_url().await).await;
    let rows = client.query(FUNCTIONS, &[]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn broken_rules(client: &Client) -> Vec<String> {
    let tables = base_tables(client).await;
    let mut broken = Vec::new();
    for (table, classes) in &tables {
        for class in classes.iter().filter(|class| !CLASSES.contains(&class.as_str())) {
            let known = CLASSES.join(", ");
            broken.push(format!("{table}: has the class '{class}', none of {known}"));
        }
    }
    for (view, classes) in views(client, &tables).await {
        if classes.contains(TENANT) && classes.contains(GLOBAL) {
            broken.push(format!("{view}: is a view over global and tenant"));
        }
    }
    for query in [NO_PRIMARY_KEY, UNSUITABLE_INDEX, UNSUITABLE_FOREIGN_KEY] {
        let rows = client.query(query, &[]).await.unwrap();
        broken.extend(rows.iter().map(|row| row.get::<_, String>(0)));
    }
    broken
}

async fn base_tables(client: &Client) -> Tables {
    let rows = client.query(TABLES, &[]).await.unwrap();
    rows.iter().map(|row| (row.get(0), BTreeSet::from([row.get(1)]))).collect()
}

/// Returns the views, each with the classes of all tables below it.
async fn views(client: &Client, tables: &Tables) -> Tables {
    let rows = client.query(VIEWS, &[]).await.unwrap();
    let mut views = Tables::new();
    for row in rows {
        let (view, table): (String, String) = (row.get(0), row.get(1));
        let classes = tables.get(&table).cloned().unwrap_or_default();
        views.entry(view).or_default().extend(classes);
    }
    views
}

const TABLES: &str = "\
    SELECT relname::text, coalesce(obj_description(oid, 'pg_class'), '') FROM pg_class \
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition \
        AND relname <> '__diesel_schema_migrations'";

/// Views and the tables that they read, directly or through other views.
const VIEWS: &str = "\
    WITH RECURSIVE used AS ( \
        SELECT view_name::text, table_name::text FROM information_schema.view_table_usage \
        WHERE view_schema = 'public' \
        UNION \
        SELECT used.view_name, below.table_name::text FROM used \
        JOIN information_schema.view_table_usage below ON below.view_name = used.table_name \
    ) SELECT view_name, table_name FROM used";

const FUNCTIONS: &str = "\
    SELECT proname::text, coalesce(pg_get_function_sqlbody(oid), prosrc) FROM pg_proc \
    WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'";

const NO_PRIMARY_KEY: &str = "\
    SELECT owner.relname || ': has no primary key' FROM pg_class owner \
    WHERE obj_description(owner.oid, 'pg_class') = 'tenant' AND NOT owner.relispartition \
        AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = owner.oid AND indisprimary)";

/// Unique indexes that do not begin with `organization_id`, which must not be NULL in any row.
const UNSUITABLE_INDEX: &str = "\
    SELECT owner.relname || ': ' || index.relname || ' does not begin with organization_id' \
    FROM pg_index JOIN pg_class owner ON owner.oid = indrelid JOIN pg_class index ON index.oid = indexrelid \
    WHERE obj_description(owner.oid, 'pg_class') = 'tenant' AND indisunique AND NOT EXISTS ( \
        SELECT FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0] \
            AND attname = 'organization_id' AND attnotnull)";

const UNSUITABLE_FOREIGN_KEY: &str = "\
    SELECT owner.relname || ': ' || conname || CASE \
        WHEN owner.class <> other.class THEN ' points from ' || owner.class || ' to ' || other.class \
        ELSE ' does not begin with organization_id' END \
    FROM pg_constraint \
    CROSS JOIN LATERAL (SELECT relname, obj_description(oid, 'pg_class') AS class FROM pg_class \
        WHERE oid = conrelid) AS owner \
    CROSS JOIN LATERAL (SELECT obj_description(oid, 'pg_class') AS class FROM pg_class \
        WHERE oid = confrelid) AS other \
    WHERE contype = 'f' AND conparentid = 0 AND (owner.class <> other.class \
        OR owner.class = 'tenant' AND 'organization_id' <> ANY (ARRAY( \
            SELECT attname FROM pg_attribute \
            WHERE attrelid = conrelid AND attnum = conkey[1] \
                OR attrelid = confrelid AND attnum = confkey[1])))";

const BREAK_EACH_RULE: &str = "\
    CREATE TABLE no_class (id uuid PRIMARY KEY); \
    CREATE TABLE odd_class (id uuid PRIMARY KEY); \
    COMMENT ON TABLE odd_class IS 'tenants'; \
    CREATE TABLE keyless (organization_id uuid NOT NULL); \
    COMMENT ON TABLE keyless IS 'tenant'; \
    CREATE TABLE by_id (id uuid PRIMARY KEY, organization_id uuid NOT NULL); \
    COMMENT ON TABLE by_id IS 'tenant'; \
    CREATE TABLE by_name (organization_id uuid PRIMARY KEY, name text CONSTRAINT by_name_unique UNIQUE); \
    CREATE UNIQUE INDEX by_name_lower ON by_name (lower(name), organization_id); \
    COMMENT ON TABLE by_name IS 'tenant'; \
    CREATE TABLE nullable (id uuid PRIMARY KEY, organization_id uuid); \
    COMMENT ON TABLE nullable IS 'tenant'; \
    CREATE TABLE to_global (organization_id uuid PRIMARY KEY, user_id uuid REFERENCES users); \
    COMMENT ON TABLE to_global IS 'tenant'; \
    CREATE TABLE to_tenant (id uuid PRIMARY KEY, wallet uuid REFERENCES wallets); \
    COMMENT ON TABLE to_tenant IS 'global'; \
    CREATE TABLE within (organization_id uuid, id uuid, PRIMARY KEY (organization_id, id), \
        CONSTRAINT within_other_fkey FOREIGN KEY (id, organization_id) \
            REFERENCES within (organization_id, id)); \
    COMMENT ON TABLE within IS 'tenant'; \
    CREATE VIEW mixed AS SELECT name, balance_micros FROM organizations \
        JOIN wallet_balances ON organization_id = id";
