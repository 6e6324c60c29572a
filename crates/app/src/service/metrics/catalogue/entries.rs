//! Table of all metrics.

use super::{Metric, MetricGroup};

const SECONDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
const DELAYS: &[f64] = &[0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1_800.0, 7_200.0];
const ITEMS: &[f64] = &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];

/// All metrics by groups.
pub const METRIC_GROUPS: &[MetricGroup] = &[
    MetricGroup {
        title: "Requests",
        remark: "",
        metrics: &[
            Metric::counter(
                "atumpan_http_requests_total",
                &["method", "route", "status"],
                "answered requests",
            ),
            Metric::histogram(
                "atumpan_http_request_duration_seconds",
                &["method", "route"],
                "duration of answered requests",
                SECONDS,
            ),
            Metric::counter(
                "atumpan_http_connections_refused_total",
                &[],
                "connections that were rejected: too many in all, or from one address",
            ),
            Metric::counter(
                "atumpan_http_connections_given_up_total",
                &["reason"],
                "connections that were closed because the client was too slow: \
                 `REQUEST_NOT_COMPLETED`, `ANSWER_NOT_TAKEN`",
            ),
            Metric::counter(
                "atumpan_requests_refused_total",
                &["limit"],
                "requests that exceeded a limit: `GUESTS`, `REGISTRATIONS`, `LOGINS`, \
                 `CREDENTIALS` and `CALLBACK_PROOFS` of one address or account, `REQUESTS`, \
                 `LIVE_MESSAGES` and `SANDBOX_MESSAGES` of one organization, `WEBHOOK_CHECKS` \
                 and `WEBHOOK_TESTS` of its webhook endpoints, `RESET_MAILS` to one address, \
                 `INVITATION_MAILS` from one organization or to one address, `CONTENT`, texts \
                 that the language model writes at the same time, and the queues of all callers: \
                 `INTAKE`, `PASSWORDS`, `MAILS`",
            ),
        ],
    },
    MetricGroup {
        title: "Messages",
        remark: "",
        metrics: &[
            Metric::counter(
                "atumpan_messages_total",
                &["channel", "mode", "status"],
                "messages that reached a status, counted by the instance that recorded it: \
                 `QUEUED` once, on acceptance; `PENDING` each time providers are tried; `SENT`, \
                 `DELIVERED`, `FAILED`. `mode` is `LIVE` or `SANDBOX`, `channel` is `SMS`, \
                 `WHATSAPP`, `EMAIL`, `PUSH` or `VOICE`",
            ),
            Metric::counter(
                "atumpan_messages_refused_for_fraud_total",
                &["code"],
                "messages that the [fraud guard](fraud.md) rejected: `COUNTRY_NOT_ALLOWED`, \
                 `VELOCITY_LIMIT`, `TRAFFIC_STOPPED`",
            ),
            Metric::counter(
                "atumpan_messages_unreadable_total",
                &[],
                "due messages whose rows cannot be read; each is retried after an hour",
            ),
            Metric::histogram(
                "atumpan_intake_batch_submissions",
                &[],
                "requests accepted in one write",
                ITEMS,
            ),
            Metric::histogram(
                "atumpan_intake_batch_duration_seconds",
                &[],
                "duration of the write of accepted requests",
                SECONDS,
            ),
            Metric::counter(
                "atumpan_intake_holds_total",
                &[],
                "times that messages waited to be accepted because delivery was behind: while it \
                 grows, the instance is at its limit",
            ),
            Metric::counter(
                "atumpan_callbacks_refused_total",
                &["provider", "reason"],
                "callbacks without the right proof (`UNAUTHORIZED`), or with invalid content \
                 (`MALFORMED`)",
            ),
            Metric::counter(
                "atumpan_reports_given_up_total",
                &[],
                "reports whose message changed state each time they were applied; the provider \
                 is queried later",
            ),
            Metric::counter(
                "atumpan_attempts_total",
                &["provider", "outcome"],
                "calls that handed a message to a provider: `ACCEPTED`, `REJECTED`, \
                 `NOT_ACCEPTED`, `UNKNOWN`",
            ),
            Metric::counter(
                "atumpan_unmatched_reports_total",
                &["provider"],
                "reports on messages that are unknown, or not known yet",
            ),
            Metric::counter(
                "atumpan_reports_dropped_total",
                &[],
                "reports of simulated providers for which there was no room",
            ),
        ],
    },
    MetricGroup {
        title: "Queue",
        remark: "",
        metrics: &[
            Metric::gauge(
                "atumpan_queue_waiting_messages",
                &["priority"],
                "messages that wait for a worker or for their next attempt, at most 20 000 of \
                 each priority: `OTP`, `ALERT`, `SINGLE`, `BULK`, `CAMPAIGN`, `SANDBOX`",
            )
            .of_all_instances(),
            Metric::gauge(
                "atumpan_queue_oldest_seconds",
                &["priority"],
                "waiting time of the oldest message that could be delivered",
            )
            .of_all_instances(),
            Metric::gauge("atumpan_queue_active_messages", &[], "messages in flight")
                .of_all_instances(),
        ],
    },
    MetricGroup {
        title: "Providers",
        remark: "",
        metrics: &[
            Metric::gauge(
                "atumpan_provider_breaker_open",
                &["provider", "channel"],
                "1 while the breaker is open or being probed",
            ),
            Metric::gauge(
                "atumpan_provider_demotion",
                &["provider", "channel"],
                "steps by which it is demoted because its reports are missing",
            ),
        ],
    },
    MetricGroup {
        title: "Webhooks",
        remark: "",
        metrics: &[
            Metric::counter(
                "atumpan_webhook_attempts_total",
                &["outcome"],
                "calls of webhook endpoints by the result of the delivery: `DELIVERED`, \
                 `RETRIED` later, or finally `FAILED`",
            ),
            Metric::histogram(
                "atumpan_webhook_call_duration_seconds",
                &[],
                "duration of the calls of webhook endpoints",
                SECONDS,
            ),
            Metric::histogram(
                "atumpan_webhook_delay_seconds",
                &[],
                "time from when a delivery was due to its call, of endpoints that do not fail",
                DELAYS,
            ),
            Metric::gauge(
                "atumpan_webhook_endpoints_held",
                &[],
                "endpoints that this instance has leased: it calls them, or has paused them",
            ),
            Metric::gauge(
                "atumpan_webhook_deliveries_in_flight",
                &[],
                "deliveries in flight: read, and their result not yet recorded",
            ),
        ],
    },
    MetricGroup {
        title: "Payments",
        remark: "",
        metrics: &[
            Metric::counter(
                "atumpan_top_ups_total",
                &["outcome"],
                "top-ups by result: `started`, `credited`, `abandoned`; `exception` for payments \
                 that could not be credited",
            ),
            Metric::counter(
                "atumpan_top_up_checks_failed_total",
                &[],
                "queries of the payment gateway about top-ups that failed",
            ),
            Metric::gauge(
                "atumpan_top_ups_overdue_seconds",
                &[],
                "time by which the query about a top-up is overdue; 0 if none is",
            )
            .of_all_instances(),
            Metric::gauge(
                "atumpan_payment_exceptions_open",
                &[],
                "payments that could not be credited and that no administrator has resolved, at \
                 most 1 000",
            )
            .of_all_instances(),
        ],
    },
    MetricGroup {
        title: "Instances",
        remark: "",
        metrics: &[
            Metric::counter(
                "atumpan_signals_total",
                &["result"],
                "signals between instances through Redis ([scaling.md](scaling.md)): `sent`, \
                 `heard`, or `dropped` because too many waited",
            ),
            Metric::gauge(
                "atumpan_redis_up",
                &[],
                "1 while Redis counts requests for this instance, or none is configured",
            ),
        ],
    },
    MetricGroup {
        title: "Background tasks",
        remark: "An instance runs every task. One that fails is tried again, and the log says \
                 once that it fails and once that it works again.",
        metrics: &[
            Metric::gauge(
                "atumpan_background_task_last_success_timestamp_seconds",
                &["task"],
                "time of the last turn without an error, in seconds since 1970; 0 before the \
                 first",
            ),
            Metric::gauge(
                "atumpan_background_task_failing_since_timestamp_seconds",
                &["task"],
                "time of the first failure since then; 0 while the task works",
            ),
            Metric::counter(
                "atumpan_background_task_failures_total",
                &["task"],
                "turns that ended with an error or a panic",
            ),
        ],
    },
    MetricGroup {
        title: "Database",
        remark: "",
        metrics: &[
            Metric::gauge(
                "atumpan_database_up",
                &[],
                "1 while PostgreSQL responds to this instance and accepts its writes",
            ),
            Metric::gauge(
                "atumpan_database_connections_in_use",
                &["pool"],
                "connections in use, of the pools `requests`, `intake`, `delivery` and \
                 `evaluation`",
            ),
            Metric::gauge(
                "atumpan_database_connections_max",
                &["pool"],
                "maximum of connections of a pool",
            ),
            Metric::gauge(
                "atumpan_database_connections_awaited",
                &["pool"],
                "callers that wait for a connection",
            ),
            Metric::gauge(
                "atumpan_database_connections_needed",
                &[],
                "connections that all instances together may hold, compared each minute",
            )
            .of_all_instances(),
            Metric::gauge(
                "atumpan_database_connections_available",
                &[],
                "connections that PostgreSQL provides; fewer than needed will cause an outage",
            )
            .of_all_instances(),
            Metric::gauge("atumpan_database_size_bytes", &[], "size of the database")
                .of_all_instances(),
            Metric::gauge(
                "atumpan_database_wal_kept_bytes",
                &[],
                "write-ahead log that is kept for the replication slot that is furthest behind",
            )
            .of_all_instances(),
            Metric::gauge(
                "atumpan_database_archiving_failing",
                &[],
                "1 while the last attempt of PostgreSQL to archive its log failed",
            )
            .of_all_instances(),
            Metric::gauge("atumpan_journal_lines", &[], "journal lines that wait to be folded")
                .of_all_instances(),
            Metric::gauge(
                "atumpan_journal_oldest_seconds",
                &[],
                "waiting time of the oldest rollup before it is posted; up to six minutes is \
                 usual",
            )
            .of_all_instances(),
            Metric::gauge(
                "atumpan_partitions_ahead",
                &[],
                "future months for which the delivery log and the ledger have partitions",
            )
            .of_all_instances(),
        ],
    },
    MetricGroup {
        title: "Process",
        remark: "Process metrics are available on Linux only.",
        metrics: &[
            Metric::gauge("atumpan_build_info", &["version"], "always 1"),
            Metric::counter("process_cpu_seconds_total", &[], "processor time, in whole seconds"),
            Metric::gauge("process_resident_memory_bytes", &[], "memory in use"),
            Metric::gauge("process_threads", &[], "threads"),
            Metric::gauge("process_open_fds", &[], "open files and connections"),
            Metric::gauge("process_max_fds", &[], "maximum of open files and connections"),
            Metric::gauge("process_start_time_seconds", &[], "start time of the process"),
        ],
    },
];
