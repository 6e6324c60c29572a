//! Exports of the delivery log over ports that must not be called.

use std::sync::Arc;

use ports::shared::{
    clock::Clock,
    mock::{MockDeliveryLogRepository, MockLogExportRepository},
};
use usecases::messaging::{delivery_logs::DeliveryLogs, log_exports::LogExports};

pub(super) fn log_exports(
    log: &Arc<MockDeliveryLogRepository>,
    clock: &Arc<dyn Clock>,
) -> LogExports {
    let logs = DeliveryLogs::new(log.clone(), clock.clone());
    LogExports::new(Arc::new(MockLogExportRepository::new()), logs, clock.clone())
}
