//! Redis.

use adapters_redis::RedisConnection;
use ports::platform::health::SharedProbe;

use super::{
    addresses::is_this_machine,
    check::Finding,
    checks::{REDIS_ENCRYPTED, REDIS_REACHABLE, REDIS_SHARED},
    is_production, within_limit,
};
use crate::config::Config;

/// Number of attempts. Each waits for a fraction of a second only, which is short for a first connection.
const ATTEMPTS: u8 = 3;

/// Examines Redis. `instances` is the number of those that run, if it is known.
pub(super) async fn examine(config: &Config, instances: Option<u64>) -> Vec<Finding> {
    let url = config.storage.redis_url.as_deref();
    vec![shared(url, instances), encrypted(url, is_production(config)), reachable(url).await]
}

fn shared(url: Option<&str>, instances: Option<u64>) -> Finding {
    match (url, instances) {
        (Some(_), _) => REDIS_SHARED.ok("REDIS_URL is set"),
        (None, Some(instances)) if instances > 1 => {
            REDIS_SHARED.warn(format!("{instances} instances run, and REDIS_URL is not set"))
        }
        (None, Some(_)) => REDIS_SHARED.ok("a single instance needs no Redis"),
        (None, None) => REDIS_SHARED.skipped("the number of instances is not known"),
    }
}

fn encrypted(url: Option<&str>, is_production: bool) -> Finding {
    let Some(url) = url else { return REDIS_ENCRYPTED.skipped("REDIS_URL is not set") };
    let address = adapters_redis::address(url);
    if url.starts_with("rediss://") {
        return REDIS_ENCRYPTED.ok(format!("{address} is reached by TLS"));
    }
    if !url.starts_with("redis://") || is_this_machine(&address) {
        return REDIS_ENCRYPTED.ok("Redis is on this machine");
    }
    let message = format!("{address} is reached in clear");
    if is_production { REDIS_ENCRYPTED.warn(message) } else { REDIS_ENCRYPTED.ok(message) }
}

async fn reachable(url: Option<&str>) -> Finding {
    let Some(url) = url else { return REDIS_REACHABLE.skipped("REDIS_URL is not set") };
    let redis = match RedisConnection::new(url) {
        Ok(redis) => redis,
        Err(error) => return REDIS_REACHABLE.fail(format!("REDIS_URL {error}")),
    };
    let address = adapters_redis::address(url);
    let mut answer = Err("there is no answer in time".to_owned());
    for _ in 0..ATTEMPTS {
        answer = within_limit(redis.ping()).await.unwrap_or(answer);
        if answer.is_ok() {
            break;
        }
    }
    match answer {
        Ok(state) => REDIS_REACHABLE.ok(format!("{address}: {state}")),
        Err(problem) => REDIS_REACHABLE.fail(format!("{address}: {problem}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Status;

    #[test]
    fn a_remote_redis_in_clear_is_reported_in_production() {
        for (url, status) in [
            ("redis://redis.example:6379/0", Status::Warn),
            ("rediss://redis.example:6379", Status::Ok),
            ("redis://127.0.0.1:6379", Status::Ok),
            ("redis://[::1]:6379", Status::Ok),
        ] {
            assert_eq!(encrypted(Some(url), true).status, status, "{url}");
        }
        let shown = encrypted(Some("redis://ama:hunter2@redis.example/0"), true).message;
        assert!(shown.contains("redis.example") && !shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn several_instances_without_redis_are_reported() {
        assert_eq!(shared(None, Some(2)).status, Status::Warn);
        assert_eq!(shared(None, Some(1)).status, Status::Ok);
        assert_eq!(shared(None, None).status, Status::Skipped);
        assert_eq!(shared(Some("redis://127.0.0.1"), Some(2)).status, Status::Ok);
    }
}
