//! Table of all settings.

use super::{DescribedSetting, SettingGroup};

const fn setting(
    variable: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> DescribedSetting {
    DescribedSetting { variable, default, meaning }
}

/// All settings, and the filter of the log, by groups.
pub const SETTING_GROUPS: &[SettingGroup] = &[
    SettingGroup {
        title: "Database and data",
        remark: "",
        settings: &[
            setting(
                "DATABASE_URL",
                "a private PostgreSQL; required in production",
                "server to use; `sslmode` and `sslrootcert` work as in `psql` \
                 ([TLS](SECURITY.md#tls)). Percent-encode user and password: `@` is `%40`, `/` \
                 is `%2F`, `#` is `%23`",
            ),
            setting(
                "ATUMPAN_DATABASE_WAIT_SECONDS",
                "`60`",
                "seconds, at most 3600, for which a start waits for a PostgreSQL that cannot be \
                 reached ([the database at a start](#the-database-at-a-start))",
            ),
            setting(
                "ATUMPAN_EMBEDDED_DATABASE",
                "`on`, in production `off`",
                "`on` permits the private PostgreSQL; not together with `DATABASE_URL`",
            ),
            setting(
                "ATUMPAN_DATA_DIR",
                "`.atumpan`",
                "directory of the private PostgreSQL and of generated secrets",
            ),
            setting(
                "REDIS_URL",
                "within the process",
                "shares rate limits and signals between instances; `rediss://` for TLS",
            ),
            setting(
                "ATUMPAN_RETENTION_DAYS",
                "for ever",
                "days that messages stay in the log, at least 31: a month is dropped when its \
                 last message is older ([retention](retention.md))",
            ),
        ],
    },
    SettingGroup {
        title: "Server and clients",
        remark: "",
        settings: &[
            setting("ATUMPAN_LISTEN", "`127.0.0.1:8080`", "address to serve on"),
            setting(
                "ATUMPAN_METRICS_LISTEN",
                "with the API; in production `127.0.0.1:9464`",
                "address to serve the [metrics](metrics.md) on",
            ),
            setting(
                "ATUMPAN_PUBLIC_URL",
                "`http://` and the address; required in production",
                "base URL that others call, with its scheme; links in messages and vendors' \
                 callbacks begin with it",
            ),
            setting(
                "ATUMPAN_TRUSTED_PROXIES",
                "none",
                "networks and addresses, separated by commas, that are trusted to state the \
                 client's address ([behind a proxy](#behind-a-proxy))",
            ),
            setting(
                "ATUMPAN_CORS_ORIGINS",
                "none",
                "origins, separated by commas, whose pages may call the API from a browser",
            ),
            setting("ATUMPAN_MAX_CONNECTIONS", "`10000`", "clients connected at the same time"),
            setting(
                "ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS",
                "`256`",
                "the same from one address; not for loopback and trusted proxies",
            ),
            setting(
                "ATUMPAN_CLIENT_TIMEOUT",
                "`30`",
                "seconds, at most 3600, in which a client must complete a request or read a \
                 response",
            ),
            setting(
                "ATUMPAN_IDLE_TIMEOUT",
                "`130`",
                "seconds, at most 3600, for which a connection stays open without a request: longer \
                 than the proxy in front keeps its own",
            ),
            setting(
                "ATUMPAN_DRAIN_SECONDS",
                "`0`, in production `5`",
                "seconds, at most 300, for which requests are still taken after `SIGTERM`, while \
                 `/health/ready` returns 503 ([rolling restarts](scaling.md#rolling-restarts))",
            ),
        ],
    },
    SettingGroup {
        title: "Security and people",
        remark: "`openssl rand -base64 48` makes a secret.",
        settings: &[
            setting(
                "ATUMPAN_ENV",
                "`development`",
                "`production`: nothing is generated or simulated",
            ),
            setting(
                "ATUMPAN_JWT_SECRET",
                "generated in development; required in production",
                "signs sessions; at least 32 bytes",
            ),
            setting(
                "ATUMPAN_JWT_SECRET_PREVIOUS",
                "none",
                "another secret whose sessions hold, for the time of a change \
                 ([steps](#a-new-secret-of-sessions)); requires `ATUMPAN_SEAL_SECRET`",
            ),
            setting(
                "ATUMPAN_SEAL_SECRET",
                "`ATUMPAN_JWT_SECRET`",
                "seals the secrets of second factors, and answers kept under idempotency keys, \
                 in the database; at least 32 bytes \
                 ([rotation](SECURITY.md#how-to-rotate-and-revoke))",
            ),
            setting(
                "ATUMPAN_LINK_SECRET",
                "a key kept in the database",
                "signs unsubscribe links; at least 32 bytes",
            ),
            setting(
                "ATUMPAN_CALLBACK_SECRET",
                "a key kept in the database",
                "gives the tokens in the addresses that vendors call; at least 32 bytes",
            ),
            setting(
                "ATUMPAN_ADMIN_EMAIL",
                "none",
                "platform administrator that exists after the start; nobody who registered is \
                 promoted. In production, the administrator must set up a second factor (`POST \
                 /auth/totp`) before anything else",
            ),
            setting(
                "ATUMPAN_ADMIN_PASSWORD",
                "none; required with the address",
                "the administrator's password, if the administrator is new; one that is easy to \
                 guess is permitted, with a warning",
            ),
            setting(
                "ATUMPAN_EMAIL_VERIFICATION",
                "`on`",
                "`on` mails new users a link that verifies their address, which members need to \
                 become owners or administrators of an organization and to invite others; `off` \
                 does neither. Mails about an organization go to verified addresses only",
            ),
            setting(
                "ATUMPAN_REGISTRATION",
                "`open`",
                "`invited`: only people with an invitation to an organization can register; \
                 `closed`: nobody can (403 `REGISTRATION_CLOSED`); `atumpan admin create` \
                 creates administrators",
            ),
            setting(
                "ATUMPAN_CALLBACKS_ALLOW_PRIVATE",
                "`true`, in production `false`",
                "`true`: webhook endpoints may be on this machine, in private networks, and \
                 without TLS; production does not start with it",
            ),
        ],
    },
    SettingGroup {
        title: "Delivery and money",
        remark: "",
        settings: &[
            setting(
                "ATUMPAN_PROVIDERS",
                "simulated in development",
                "path of the [providers file](operations/providers.md)",
            ),
            setting(
                "ATUMPAN_SENDER_NAMES",
                "`open`, in production `approved`",
                "`approved`: the `senderId` of an SMS, a WhatsApp message or a call must be one \
                 of the organization's approved sender names; `open`: anything",
            ),
            setting(
                "ATUMPAN_VELOCITY_LIMITS",
                "`off`, in production `on`",
                "`on` limits how many messages an organization sends to the same numbers in an \
                 hour ([fraud](fraud.md))",
            ),
            setting(
                "ATUMPAN_WORKERS",
                "`256`",
                "messages handed over at the same time, at most 4096; with `0` the instance only \
                 serves requests",
            ),
            setting(
                "ATUMPAN_TRIAL_CREDIT_GHS",
                "`10`, in production `0`",
                "balance of a new wallet",
            ),
            setting(
                "ATUMPAN_GATEWAY_URL",
                "simulated; none in production",
                "URL of Paystack, `https://api.paystack.co`; its webhook is \
                 `ATUMPAN_PUBLIC_URL/billing/webhooks/gateway`",
            ),
            setting(
                "ATUMPAN_GATEWAY_SECRET",
                "a key kept in the database",
                "our secret key at the gateway, which signs its events with it",
            ),
            setting(
                "ATUMPAN_INVOICE_CREDIT",
                "`when-paid`",
                "when an invoice is credited to the wallet. `when-paid`: once an administrator \
                 credits it; `at-once`: when it is issued, and it stays open until an \
                 administrator records the money",
            ),
            setting(
                "ATUMPAN_INVOICE_CREDIT_LIMIT_GHS",
                "none; required with `at-once`",
                "maximum that an organization may owe for such invoices, unless it has its own \
                 limit (`limits.invoiceCredit` of `PATCH /admin/tenants/{id}`); invoices beyond \
                 it are credited when they are paid",
            ),
        ],
    },
    SettingGroup {
        title: "Writing of texts",
        remark: "",
        settings: &[
            setting(
                "ATUMPAN_CONTENT_URL",
                "none: rules write",
                "base URL of a language model with the interface of OpenAI's chat completions, \
                 such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`",
            ),
            setting(
                "ATUMPAN_CONTENT_MODEL",
                "none; required with the URL",
                "name of the language model",
            ),
            setting(
                "ATUMPAN_CONTENT_KEY",
                "none",
                "API key of the language model, if it requires one",
            ),
            setting(
                "ATUMPAN_CONTENT_TIMEOUT",
                "`30`",
                "seconds, at most 300, of a call to the language model; a text takes at most two \
                 calls",
            ),
        ],
    },
    SettingGroup {
        title: "Limits",
        remark: "A platform administrator changes the rates of one organization with `PATCH \
                 /admin/tenants/{id}`.",
        settings: &[
            setting(
                "ATUMPAN_RATE_LIMITS",
                "`on`",
                "`off` for load tests; the limits on failed logins and on mails stay",
            ),
            setting(
                "ATUMPAN_LIMIT_LIVE",
                "`500/5000`",
                "live messages of an organization: per second, and burst",
            ),
            setting(
                "ATUMPAN_LIMIT_SANDBOX",
                "`20/500`",
                "the same in the sandbox, for rehearsals of members and campaigns too",
            ),
            setting("ATUMPAN_LIMIT_REQUESTS", "`200/2000`", "other requests of an organization"),
            setting(
                "ATUMPAN_LIMIT_GUESTS",
                "`10/600`",
                "requests without credentials from one address",
            ),
            setting(
                "ATUMPAN_LIMIT_REGISTRATIONS",
                "`20`",
                "registrations per hour from one address",
            ),
        ],
    },
    SettingGroup {
        title: "Log",
        remark: "All log lines go to standard error.",
        settings: &[
            setting("ATUMPAN_LOG", "`text`", "format: `text` or `json`"),
            setting(
                "RUST_LOG",
                "`info`",
                "which lines are logged, such as `warn` or `info,usecases=debug`",
            ),
        ],
    },
    SettingGroup {
        title: "Traces",
        remark: "Programs with the feature `otel`, as packages are, export \
                 [traces](operations/traces.md).",
        settings: &[
            setting(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "none: no traces",
                "URL of the collector, such as `http://127.0.0.1:4318`",
            ),
            setting(
                "OTEL_EXPORTER_OTLP_HEADERS",
                "none",
                "headers of the requests to it, as `name=value,name=value`",
            ),
            setting("OTEL_EXPORTER_OTLP_PROTOCOL", "`http/protobuf`", "no other value is accepted"),
            setting("OTEL_SERVICE_NAME", "`atumpan`", "name of the service in traces"),
            setting(
                "OTEL_TRACES_SAMPLER",
                "`parentbased_traceidratio`",
                "which traces are exported",
            ),
            setting("OTEL_TRACES_SAMPLER_ARG", "`0.01`", "share of new traces, from 0 to 1"),
        ],
    },
];
