//! Mail server, and a service that sends its mail through it.

use std::{collections::BTreeSet, fs, future, sync::Arc, thread, time::Duration};

use acceptance::{Settings, World};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::smtp::{Mail, Manners, PlainSmtp, Transcript};
use tokio::{
    runtime::Runtime,
    sync::{OnceCell, oneshot},
    time::timeout,
};

const TIMEOUT: Duration = Duration::from_secs(30);

/// Server that tests share, with the settings of the service that sends through it.
static SHARED: OnceCell<(Arc<PlainSmtp>, Settings)> = OnceCell::const_new();

/// Running server, which refuses mail for `nobody@`.
pub(crate) struct MailServer {
    server: Arc<PlainSmtp>,
    /// Places of the mails that were returned.
    returned: BTreeSet<usize>,
}

impl MailServer {
    /// Starts a server.
    pub(crate) async fn start() -> Self {
        let unknown = ("RCPT TO:<nobody@", "550 5.1.1 User unknown\r\n");
        let manners = Manners { replies: vec![unknown], ..Manners::default() };
        Self::at(Arc::new(PlainSmtp::start(manners).await))
    }

    /// Returns the server and the service that tests share. Mails are told apart by their recipients.
    pub(crate) async fn shared() -> (Self, World) {
        let (server, settings) = SHARED.get_or_init(start_shared).await.clone();
        (Self::at(server), World::shared_with(settings).await)
    }

    fn at(server: Arc<PlainSmtp>) -> Self {
        Self { server, returned: BTreeSet::new() }
    }

    /// Starts a service with this server as its provider `mail`.
    pub(crate) async fn world(&self) -> (World, TempDir) {
        self.world_with(&[]).await
    }

    /// Starts a service with this server as its provider `mail`, and these environment variables.
    pub(crate) async fn world_with(&self, variables: &[(&str, &str)]) -> (World, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let file = declare(&folder, &self.server.address);
        let mut all = vec![("ATUMPAN_PROVIDERS", file.as_str())];
        all.extend(variables);
        (World::start_with(&all).await, folder)
    }

    /// Waits for the next mail and returns its `sender`, `recipients` and `content`.
    pub(crate) async fn received(&mut self) -> Value {
        self.next(|_| true).await
    }

    /// Waits for the next mail to that address, and returns it likewise.
    pub(crate) async fn received_by(&mut self, email: &str) -> Value {
        self.next(|mail| mail.recipients.iter().any(|recipient| recipient == email)).await
    }

    async fn next(&mut self, is_wanted: impl Fn(&Mail) -> bool) -> Value {
        let find = |seen: &Transcript| {
            let mut mails = seen.mails.iter().enumerate();
            let next =
                mails.find(|(place, mail)| !self.returned.contains(place) && is_wanted(mail));
            next.map(|(place, mail)| (place, mail.clone()))
        };
        let arrival = self.server.transcript_when(|seen| find(seen).is_some());
        let transcript = timeout(TIMEOUT, arrival).await.unwrap();
        let (place, mail) = find(&transcript).unwrap();
        self.returned.insert(place);
        json!({"sender": mail.sender, "recipients": mail.recipients, "content": mail.content})
    }
}

/// Starts the shared server on its own thread, since the runtime of a test ends with the test.
async fn start_shared() -> (Arc<PlainSmtp>, Settings) {
    let (started, starting) = oneshot::channel();
    thread::spawn(move || {
        Runtime::new().unwrap().block_on(async {
            let _ = started.send(MailServer::start().await.server);
            future::pending::<()>().await;
        });
    });
    let server = starting.await.unwrap();
    // Services that tests share run until the process ends.
    let folder = Box::leak(Box::new(tempfile::tempdir().unwrap()));
    let file: &str = Box::leak(declare(folder, &server.address).into_boxed_str());
    let settings = vec![("ATUMPAN_PROVIDERS", file), ("ATUMPAN_RATE_LIMITS", "off")];
    let settings: Settings = Vec::leak(settings);
    (server, settings)
}

/// Writes a providers file with the server at that address as provider `mail`, and returns its path.
fn declare(folder: &TempDir, address: &str) -> String {
    let file = folder.path().join("providers.toml");
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
    file.to_str().unwrap().to_owned()
}
