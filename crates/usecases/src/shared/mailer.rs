//! Mails to people in the service's own name.

use async_trait::async_trait;

use crate::Error;

/// Sends mails in the service's own name, free of charge. `Messages` implements it.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends a mail. Its text is deleted once a provider has it, since it may hold a secret.
    async fn send_service_mail(&self, to: &str, subject: &str, body: String) -> Result<(), Error>;

    /// Sends a mail that is less urgent. Of the notices with one key within a day, only the first is
    /// sent.
    async fn send_service_notice(
        &self,
        to: &str,
        subject: &str,
        body: String,
        key: String,
    ) -> Result<(), Error>;
}
