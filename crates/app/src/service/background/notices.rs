//! Background task for notices.

use std::time::Duration;

use tokio::time::sleep;
use usecases::platform::notices::NoticeSender;

/// Interval between looks for notices when none is due.
const INTERVAL: Duration = Duration::from_secs(2);

/// Mails notices.
pub(in crate::service) async fn send_notices(sender: NoticeSender) {
    loop {
        match sender.send_due().await {
            // Others may be due.
            Ok(1..) => continue,
            Ok(0) => {}
            Err(error) => tracing::warn!(%error, "failed to look for notices to send"),
        }
        sleep(INTERVAL).await;
    }
}
