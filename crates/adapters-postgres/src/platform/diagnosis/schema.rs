//! State of the schema: migrations, partitions, and the tables that change most.

use std::collections::BTreeSet;

use ports::shared::store::StoreError;

use crate::shared::{
    database::{migrations, partitions, session::PgStore},
    query::{row::row, sql::sql},
};

/// Migrations of the database, compared with those of this program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MigrationState {
    /// Migrations that the database lacks, oldest first.
    pub missing: Vec<String>,
    /// Migrations of newer programs that the database has, oldest first.
    pub newer: Vec<String>,
    /// True if the database is older than the first migration of this program can continue.
    pub is_too_old: bool,
}

row! {
    /// Partition that does not exist.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MissingPartition {
        /// Name of the partition.
        pub name: String,
        /// Number of months until its month begins; 0 for this month.
        pub months_ahead: i32,
    }
}

row! {
    /// Size of the table of jobs. A row is removed when its message ends, and the room is used again
    /// only after a vacuum.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct JobsTable {
        /// Estimated number of rows.
        pub live_rows: i64,
        /// Estimated number of removed rows that no vacuum has cleared.
        pub dead_rows: i64,
        /// Size with its indexes.
        pub bytes: i64,
    }
}

impl PgStore {
    /// Compares the migrations of the database with those of this program. Applies none.
    pub async fn migration_state(&self) -> Result<MigrationState, StoreError> {
        let mut session = self.session().await?;
        let has_any: bool = sql!("SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL")
            .only(session.conn())
            .await?;
        let applied: Vec<String> = if has_any {
            let applied = sql!("SELECT version::text FROM __diesel_schema_migrations");
            applied.values(session.conn()).await?
        } else {
            Vec::new()
        };
        let known = migrations::known_versions().map_err(StoreError::Internal)?;
        Ok(MigrationState::of(&known.into_iter().collect(), &applied.into_iter().collect()))
    }

    /// Returns the partitions of this month and of the coming ones that do not exist.
    pub async fn missing_partitions(&self) -> Result<Vec<MissingPartition>, StoreError> {
        let mut session = self.session().await?;
        let missing = sql!(
            MISSING_PARTITIONS,
            tables = partitions::PARTITIONED.map(str::to_owned),
            months = partitions::MONTHS_AHEAD,
        );
        missing.rows(session.conn()).await
    }

    /// Returns the size of the table of jobs; `None` without statistics of it.
    pub async fn jobs_table(&self) -> Result<Option<JobsTable>, StoreError> {
        sql!(JOBS_TABLE).row(self.session().await?.conn()).await
    }

    /// True if there is a platform administrator.
    pub async fn has_administrator(&self) -> Result<bool, StoreError> {
        sql!("SELECT EXISTS (SELECT FROM user_directory WHERE is_administrator)")
            .only(self.session().await?.conn())
            .await
    }
}

impl MigrationState {
    fn of(known: &BTreeSet<String>, applied: &BTreeSet<String>) -> Self {
        let baseline = migrations::BASELINE;
        Self {
            missing: known.difference(applied).cloned().collect(),
            newer: applied
                .difference(known)
                .filter(|version| version.as_str() > baseline)
                .cloned()
                .collect(),
            is_too_old: !applied.is_empty() && !applied.contains(baseline),
        }
    }
}

const MISSING_PARTITIONS: &str = "\
    SELECT month.name, month.months_ahead FROM ( \
        SELECT given.name || '_' || to_char(date_trunc('month', now() AT TIME ZONE 'UTC') \
            + make_interval(months => ahead), 'YYYY_MM') AS name, ahead AS months_ahead \
        FROM unnest({tables}::text[]) AS given (name) \
            CROSS JOIN generate_series(0, {months}::integer) AS ahead) AS month \
    WHERE to_regclass(month.name) IS NULL ORDER BY month.months_ahead, month.name";

const JOBS_TABLE: &str = "\
    SELECT n_live_tup AS live_rows, n_dead_tup AS dead_rows, \
        pg_total_relation_size(relid)::bigint AS bytes \
    FROM pg_stat_user_tables WHERE relid = to_regclass('delivery_jobs')";

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(versions: &[&str]) -> BTreeSet<String> {
        versions.iter().map(|version| (*version).to_owned()).collect()
    }

    #[test]
    fn migrations_are_missing_newer_or_too_old() {
        let known = versions(&[migrations::BASELINE, "20270101000000"]);
        let state = |applied: &[&str]| MigrationState::of(&known, &versions(applied));

        let none = MigrationState::default();
        assert_eq!(state(&[migrations::BASELINE, "20270101000000"]), none);
        let replaced = ["20250101000000", migrations::BASELINE, "20270101000000"];
        assert_eq!(state(&replaced), none);
        let behind = state(&[migrations::BASELINE]);
        assert_eq!((behind.missing.len(), behind.is_too_old), (1, false));
        let ahead = state(&[migrations::BASELINE, "20270101000000", "20280101000000"]);
        assert_eq!((ahead.missing.len(), ahead.newer), (0, vec!["20280101000000".to_owned()]));
        assert!(state(&["20250101000000"]).is_too_old);
        assert!(!state(&[]).is_too_old);
    }
}
