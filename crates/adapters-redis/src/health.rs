//! Health of Redis, and what works without it.

use async_trait::async_trait;
use ports::platform::health::SharedProbe;

use crate::{RedisConnection, rate_limits};

#[async_trait]
impl SharedProbe for RedisConnection {
    /// Counts as requests are counted, because a Redis that answers may refuse to count.
    async fn ping(&self) -> Result<String, String> {
        let counted = rate_limits::probe(self).await;
        self.note(counted.is_ok());
        match counted {
            Ok(()) => Ok(match self.lost_subscription() {
                None => "Redis answers".to_owned(),
                Some(reason) => format!(
                    "Redis answers, but passes no signals on ({reason}): each instance looks for changes \
                     and due work by itself"
                ),
            }),
            Err(error) => {
                self.on_failure(&error);
                let problem = match error.code() {
                    Some(code) => format!("Redis refuses ({code})"),
                    None => "Redis does not answer".to_owned(),
                };
                Err(format!(
                    "{problem}: each instance counts requests, and looks for changes and due work, by \
                     itself"
                ))
            }
        }
    }
}
