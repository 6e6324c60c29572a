//! Waiting for what is expected.

use std::time::{Duration, Instant};

/// How long anything may take. Tests run side by side, on machines that are slow.
const DEADLINE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// Waits until that is so.
pub async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    until_some(what, async || if is_so().await { Ok(()) } else { Err(String::new()) }).await;
}

/// Waits until there is what was looked for; an error says what is there instead.
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
