//! Whether Redis is there.

use async_trait::async_trait;
use ports::health::SharedProbe;

use crate::RedisConnection;

#[async_trait]
impl SharedProbe for RedisConnection {
    async fn ping(&self) -> Result<String, String> {
        let answer = redis::cmd("PING").query_async::<String>(&mut self.manager()).await;
        match self.heard(answer) {
            Some(_) => Ok("Redis answers".to_owned()),
            None => Err("Redis does not answer".to_owned()),
        }
    }
}
