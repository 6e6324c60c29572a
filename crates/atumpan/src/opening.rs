//! Opening of a store.

use std::sync::Arc;

use ports::shared::{clock::Clock, random::Random};

#[cfg(feature = "postgres")]
use crate::postgres::Postgres;
use crate::{
    error::BuildError,
    memory::Memory,
    store::{OpenStore, Store},
};

/// Opens a store.
pub(crate) async fn open(
    store: Store,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> Result<Arc<dyn OpenStore>, BuildError> {
    #[cfg(not(feature = "postgres"))]
    let _ = random;
    match store {
        Store::Memory => Ok(Arc::new(Memory::new(Arc::clone(clock)))),
        #[cfg(feature = "postgres")]
        Store::Postgres(url) => {
            let opened = Box::pin(Postgres::open(&url, clock, random)).await?;
            Ok(Arc::new(opened))
        }
    }
}
