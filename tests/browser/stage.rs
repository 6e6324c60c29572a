//! Service with a mail server, whose mails a test reads like their recipients.

use std::{fs, time::Duration};

use acceptance::{World, unique_email};
use tempfile::TempDir;
use testkit::smtp::{Mail, Manners, PlainSmtp};
use tokio::time::timeout;

/// Longest time until a mail arrives.
const DEADLINE: Duration = Duration::from_secs(30);

/// Running service. Mails go to its own server; all other channels are simulated.
pub(crate) struct Stage {
    pub(crate) world: World,
    mails: PlainSmtp,
    // The service reads its providers there.
    _folder: TempDir,
}

impl Stage {
    /// Starts a service that asks new users to verify their address.
    pub(crate) async fn start() -> Self {
        let mails = PlainSmtp::start(Manners::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("providers.toml");
        let declaration = format!(
            "[[provider]]\n\
             name = \"mail\"\n\
             kind = \"smtp\"\n\
             channel = \"EMAIL\"\n\
             sender = \"Atumpan <no-reply@atumpan.example>\"\n\
             base_url = \"smtp://{}\"\n\
             [[provider.route]]\n\
             country = \"*\"\n",
            mails.address
        );
        fs::write(&file, declaration).unwrap();
        let world = World::start_with(&[
            ("ATUMPAN_PROVIDERS", file.to_str().unwrap()),
            ("ATUMPAN_EMAIL_VERIFICATION", "on"),
            ("ATUMPAN_RATE_LIMITS", "off"),
        ])
        .await;
        Self { world, mails, _folder: folder }
    }

    /// Registers a platform administrator without an organization, and returns their address.
    pub(crate) async fn administrator(&self) -> String {
        let email = unique_email("administrator");
        self.world.user(&email).await;
        self.world.promote(&email).await;
        email
    }

    /// Waits for a mail with a link to that path, and returns the path with the query of the link.
    pub(crate) async fn mailed_link(&self, recipient: &str, path: &str) -> String {
        let is_wanted = |mail: &Mail| {
            mail.recipients.iter().any(|it| it == recipient) && link_in(mail, path).is_some()
        };
        let arrival = self.mails.transcript_when(|seen| seen.mails.iter().any(is_wanted));
        let seen = timeout(DEADLINE, arrival).await.unwrap();
        let mail = seen.mails.iter().rfind(|mail| is_wanted(mail)).unwrap();
        link_in(mail, path).unwrap()
    }
}

/// Returns the path and the query of the first link to that path.
fn link_in(mail: &Mail, path: &str) -> Option<String> {
    // Quoted-printable text has lines of at most 76 letters.
    let text = mail.content.replace("=\r\n", "").replace("=3D", "=");
    let (_, rest) = text.split_once(&format!("{path}?"))?;
    let is_of_query = |letter: char| letter.is_ascii_alphanumeric() || "-_.~=&%".contains(letter);
    let query: String = rest.chars().take_while(|letter| is_of_query(*letter)).collect();
    Some(format!("{path}?{query}"))
}
