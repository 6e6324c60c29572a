//! Idempotency keys over ports that must not be called.

use std::sync::Arc;

use ports::shared::{
    clock::Clock,
    mock::{MockRequestKeyRepository, MockSealer},
};
use usecases::platform::request_keys::RequestKeys;

pub(super) fn request_keys(clock: &Arc<dyn Clock>) -> RequestKeys {
    let repository = Arc::new(MockRequestKeyRepository::new());
    RequestKeys::new(repository, Arc::new(MockSealer::new()), clock.clone())
}
