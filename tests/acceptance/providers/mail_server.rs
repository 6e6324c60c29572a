//! Mail server, and a service that sends its mail through it.

use std::{fs, time::Duration};

use acceptance::World;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::smtp::{Manners, PlainSmtp};
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(30);

/// Running server, which refuses mail for `nobody@`.
pub(crate) struct MailServer {
    server: PlainSmtp,
    /// Number of mails that were returned.
    returned: usize,
}

impl MailServer {
    /// Starts a server.
    pub(crate) async fn start() -> Self {
        let unknown = ("RCPT TO:<nobody@", "550 5.1.1 User unknown\r\n");
        let manners = Manners { replies: vec![unknown], ..Manners::default() };
        Self { server: PlainSmtp::start(manners).await, returned: 0 }
    }

    /// Starts a service with this server as its provider `mail`.
    pub(crate) async fn world(&self) -> (World, TempDir) {
        self.world_with(&[]).await
    }

    /// Starts a service with this server as its provider `mail`, and these environment variables.
    pub(crate) async fn world_with(&self, variables: &[(&str, &str)]) -> (World, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("providers.toml");
        let address = &self.server.address;
        let declaration = format!(
            "[[provider]]\n\
             name = \"mail\"\n\
             kind = \"smtp\"\n\
             channel = \"EMAIL\"\n\
             sender = \"Atumpan <no-reply@atumpan.example>\"\n\
             base_url = \"smtp://{address}\"\n\
             [[provider.route]]\n\
             country = \"*\"\n"
        );
        fs::write(&file, declaration).unwrap();
        let mut all = vec![("ATUMPAN_PROVIDERS", file.to_str().unwrap())];
        all.extend(variables);
        (World::start_with(&all).await, folder)
    }

    /// Waits for the next mail and returns its `sender`, `recipients` and `content`.
    pub(crate) async fn received(&mut self) -> Value {
        let next = self.server.transcript_when(|seen| seen.mails.len() > self.returned);
        let transcript = timeout(TIMEOUT, next).await.unwrap();
        let mail = &transcript.mails[self.returned];
        self.returned += 1;
        json!({"sender": mail.sender, "recipients": mail.recipients, "content": mail.content})
    }
}
