//! Service in the process of the test.

use std::collections::HashMap;

use app::{
    config::{Config, Source},
    service::Service,
};
use tempfile::TempDir;

/// Running service. It stops at once when this is dropped with the runtime of its test.
pub(crate) struct OwnService {
    service: Service,
    // The service keeps secrets in this folder.
    _folder: TempDir,
}

impl OwnService {
    /// Starts a service on a database, with these environment variables.
    pub(crate) async fn start(database: &str, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let mut all = HashMap::from([
            ("ATUMPAN_LISTEN".to_owned(), "127.0.0.1:0".to_owned()),
            ("ATUMPAN_DATA_DIR".to_owned(), folder.path().display().to_string()),
            ("DATABASE_URL".to_owned(), database.to_owned()),
            // Tests count messages, including those of the platform.
            ("ATUMPAN_EMAIL_VERIFICATION".to_owned(), "off".to_owned()),
        ]);
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        all.extend(variables.iter().map(own));
        let config = Config::read(&Source::of_variables(all)).expect("the settings make sense");
        let start = Box::pin(Service::start(&config, database, false));
        Self { service: start.await.expect("the service starts"), _folder: folder }
    }

    /// Returns the URL of the API.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.service.address())
    }

    /// Stops the service as a signal would.
    pub(crate) async fn stop(self) {
        self.service.stop().await;
    }
}
