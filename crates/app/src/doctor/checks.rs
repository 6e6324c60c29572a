//! All checks by their codes. `docs/operations/doctor.md` has a section for each.

use super::check::Check;

/// Declares the checks, each by its code, its rule and the advice if it is broken.
macro_rules! checks {
    ($($name:ident = $code:literal, $rule:literal, $remedy:literal;)+) => {
        $(pub(super) const $name: Check = Check { code: $code, rule: $rule, remedy: $remedy };)+

        /// All checks, in the order of the output.
        pub(super) const ALL: &[Check] = &[$($name),+];
    };
}

checks! {
    SETTINGS_VALID = "settings-valid",
        "All settings can be read and agree with each other.",
        "Correct the setting that the message names; docs/configuration.md lists all settings.";
    SETTINGS_KNOWN = "settings-known",
        "Each variable that begins with ATUMPAN_ is a setting.",
        "Correct the name of the variable, or remove it.";
    SETTINGS_EFFECTIVE = "settings-effective",
        "No setting is without effect because of another.",
        "Remove the setting, or set the one that it depends on.";
    PRODUCTION_DECLARED = "production-declared",
        "An installation that others reach runs with ATUMPAN_ENV=production.",
        "Set ATUMPAN_ENV=production, and the settings that it then requires.";
    RATE_LIMITS_ON = "rate-limits-on",
        "Requests are limited in production.",
        "Remove ATUMPAN_RATE_LIMITS, and raise single limits with ATUMPAN_LIMIT_… instead.";
    SECRETS_STRONG = "secrets-strong",
        "Secrets cannot be guessed, and differ from each other.",
        "Set a random secret, such as the output of `openssl rand -hex 32`, for each purpose.";
    FILES_PRIVATE = "files-private",
        "Files with secrets are readable by the account of the service alone.",
        "Remove the rights of others: chmod o-rwx FILE.";
    PUBLIC_ADDRESS = "public-address",
        "ATUMPAN_PUBLIC_URL is the https address that others reach.",
        "Set ATUMPAN_PUBLIC_URL to the address of the proxy, such as https://notify.example.com.";
    PROXIES_TRUSTED = "proxies-trusted",
        "The proxy in front of the service is trusted to state the addresses of clients.",
        "Set ATUMPAN_TRUSTED_PROXIES to the addresses of the proxy; else all clients share one limit.";
    METRICS_PRIVATE = "metrics-private",
        "Metrics are served to the own network only.",
        "Set ATUMPAN_METRICS_LISTEN to a loopback or private address.";
    DISK_SPACE = "disk-space",
        "The disk of the data directory has room and inodes left.",
        "Free space, or enlarge the disk: PostgreSQL stops when it cannot write.";
    DATA_DIRECTORY = "data-directory",
        "The data directory can be written if the service needs it.",
        "Give the account of the service the directory, or set ATUMPAN_DATA_DIR to another.";
    FILE_DESCRIPTORS = "file-descriptors",
        "The process may open a file for each connection.",
        "Raise the limit (LimitNOFILE= in the unit, ulimit -n in a shell), or lower ATUMPAN_MAX_CONNECTIONS.";
    DATABASE_REACHABLE = "database-reachable",
        "PostgreSQL answers at DATABASE_URL.",
        "Start PostgreSQL, or correct the address, the user or the password in DATABASE_URL.";
    DATABASE_VERSION = "database-version",
        "The version of PostgreSQL is supported.",
        "Upgrade PostgreSQL to a supported version with pg_upgrade.";
    DATABASE_WRITABLE = "database-writable",
        "The server is the primary, which takes writes.",
        "Name the primary in DATABASE_URL, or all servers with target_session_attrs=read-write.";
    DATABASE_ENCODING = "database-encoding",
        "The database stores UTF-8.",
        "Create the database anew with ENCODING 'UTF8' TEMPLATE template0, and restore into it.";
    DATABASE_RIGHTS = "database-rights",
        "The role may do what migrations and partitions need.",
        "Make the role the owner of the database and of its tables.";
    DATABASE_DURABLE = "database-durable",
        "The server survives a crash: fsync and full_page_writes are on.",
        "Set fsync = on and full_page_writes = on, and reload PostgreSQL.";
    DATABASE_COMMITS = "database-commits",
        "A commit is on the disk before it is confirmed: synchronous_commit is not off.",
        "Remove synchronous_commit = off from the server, the role and DATABASE_URL.";
    DATABASE_ENCRYPTED = "database-encrypted",
        "The connection is local, or encrypted with a verified server.",
        "Add sslmode=verify-full, and sslrootcert if the authority is your own, to DATABASE_URL.";
    DATABASE_OPTIONS = "database-options",
        "Connections keep the settings that they are opened with.",
        "If a pooler drops start options, set them for the role: see docs/scaling.md.";
    DATABASE_CONNECTIONS = "database-connections",
        "The server has room for the connections of all instances.",
        "Raise max_connections or the limit of the role, run fewer instances, or use a pooler.";
    DATABASE_CLOCK = "database-clock",
        "The clocks of this machine and of the server agree.",
        "Run an NTP client, such as chrony or systemd-timesyncd, on both machines.";
    DATABASE_REPLICAS = "database-replicas",
        "Replicas follow the primary closely.",
        "Look at the network, the disk and long queries of the replica.";
    DATABASE_SLOTS = "database-slots",
        "No replication slot fills the disk with log that nobody reads.",
        "Connect the consumer of the slot again, or drop it: SELECT pg_drop_replication_slot('NAME').";
    DATABASE_ARCHIVE = "database-archive",
        "The archive takes the log.",
        "Look for the error of archive_command in the log of PostgreSQL, and at the archive's disk.";
    DATABASE_TRANSACTIONS = "database-transactions",
        "No transaction stays open and keeps vacuum from its work.",
        "Find the client in pg_stat_activity or pg_prepared_xacts, and end its transaction.";
    MIGRATIONS_APPLIED = "migrations-applied",
        "The schema is the one that this version needs.",
        "Run `atumpan migrate` or start this version; for a newer schema, run the newer version.";
    PARTITIONS_AHEAD = "partitions-ahead",
        "This month and the next ones have partitions.",
        "Run `atumpan migrate`, and look for \"failed to create a partition\" in the log.";
    JOBS_COMPACT = "jobs-compact",
        "The table of jobs is vacuumed.",
        "Run VACUUM ANALYZE delivery_jobs, and look for what holds autovacuum up.";
    ADMINISTRATORS = "administrators",
        "There is a platform administrator.",
        "Run `atumpan admin create --email ADDRESS`.";
    REDIS_REACHABLE = "redis-reachable",
        "Redis answers at REDIS_URL.",
        "Start Redis, or correct the address, the user or the password in REDIS_URL.";
    REDIS_ENCRYPTED = "redis-encrypted",
        "The connection to Redis is local or encrypted.",
        "Use rediss:// in REDIS_URL, and TLS in Redis.";
    REDIS_SHARED = "redis-shared",
        "Several instances share a Redis.",
        "Set REDIS_URL for all instances; without it, each limits requests by itself.";
    PROVIDERS_DECLARED = "providers-declared",
        "The providers file can be read.",
        "Correct what the message names in the file of ATUMPAN_PROVIDERS.";
    PROVIDERS_REAL = "providers-real",
        "No declared provider is simulated in production.",
        "Declare a real provider, and remove the one with kind = \"simulated\".";
    CHANNELS_SERVED = "channels-served",
        "Each channel has a provider.",
        "Declare a provider for the channel; without one its messages fail with NO_ROUTE.";
    ACCOUNTS_USABLE = "accounts-usable",
        "Each vendor accepts our account, which has a balance.",
        "Correct the credentials in the providers file, or top the account up at the vendor.";
    MAIL_POSSIBLE = "mail-possible",
        "The service can send its own mails.",
        "Declare a provider of EMAIL that works: passwords and addresses are confirmed by mail.";
    CALLBACKS_REACHABLE = "callbacks-reachable",
        "Vendors reach this service at its public address.",
        "Let the proxy pass all paths on, and check the name, the port and the certificate from outside.";
    GATEWAY_KEYS = "gateway-keys",
        "The payment gateway has a key that suits the environment.",
        "Set ATUMPAN_GATEWAY_URL, and ATUMPAN_GATEWAY_SECRET to a live key in production.";
    GATEWAY_ACCOUNT = "gateway-account",
        "The payment gateway accepts our key.",
        "Copy the secret key from the gateway's console, and check that this machine reaches it.";
}

#[cfg(test)]
mod tests;
