//! Waiting for expected conditions.

use std::time::{Duration, Instant};

/// Time limit of every wait. Tests run side by side, on slow machines.
const DEADLINE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(20);

/// Waits until the condition is true.
pub async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    until_some(what, async || if is_so().await { Ok(()) } else { Err(String::new()) }).await;
}

/// Waits until `look` returns a value; its errors describe the state instead.
pub async fn until_some<T>(what: &str, mut look: impl AsyncFnMut() -> Result<T, String>) -> T {
    let began = Instant::now();
    loop {
        match look().await {
            Ok(found) => return found,
            Err(instead) => {
                assert!(began.elapsed() < DEADLINE, "not in {DEADLINE:?}: {what}. {instead}");
            }
        }
        tokio::time::sleep(POLL).await;
    }
}
