//! `/admin/background-tasks`

use actix_web::web::Data;
use ports::platform::background_tasks::BackgroundTaskState;
use serde::Serialize;
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    shared::{
        answers::Listed,
        endpoint::{Area, get},
        formats::Timestamp,
        platform_admin::PlatformAdmin,
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Background tasks",
        about: "Work of an instance that no request waits for.",
        endpoints: vec![
            get("/admin/background-tasks", "listBackgroundTasks", list)
                .extension()
                .summary("List the background tasks of this instance.")
                .description(
                    "For platform administrators. Each instance runs all tasks and reports its own, \
                     since it started, ordered by their names. A task that fails is tried again.",
                )
                .answers("The tasks."),
        ],
    }
}

/// Background task of an instance.
#[derive(Serialize, ToSchema)]
#[schema(as = BackgroundTask)]
#[serde(rename_all = "camelCase")]
struct BackgroundTaskView {
    #[schema(example = "erasure")]
    name: &'static str,
    /// True if its last turn failed.
    is_failing: bool,
    /// Time at which it last succeeded; null if it has not yet.
    last_succeeded_at: Option<Timestamp>,
    /// Time of the first of the failures since it last succeeded; null while it works.
    first_failed_at: Option<Timestamp>,
    /// Its last error, also while it works again; null if there was none.
    #[schema(example = "the store is unavailable: connection refused")]
    last_error: Option<String>,
    /// Number of its turns.
    turns: u64,
    /// Number of turns that failed.
    failures: u64,
    /// Duration of the last turn, in milliseconds.
    last_duration_ms: u64,
}

impl From<BackgroundTaskState> for BackgroundTaskView {
    fn from(state: BackgroundTaskState) -> Self {
        Self {
            name: state.name,
            is_failing: state.is_failing(),
            last_succeeded_at: state.last_succeeded_at.map(Timestamp::from),
            first_failed_at: state.failing_since.map(Timestamp::from),
            last_error: state.last_error,
            turns: state.turns,
            failures: state.failures,
            last_duration_ms: u64::try_from(state.last_duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

async fn list(PlatformAdmin(admin): PlatformAdmin, api: Data<Api>) -> Listed<BackgroundTaskView> {
    Listed::new(api.health.background_tasks(&admin))
}
