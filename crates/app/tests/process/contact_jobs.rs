//! Crashes amid work on many contacts: jobs that delete or tag them, and the undo of an import.

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Service, Tenant, until};

use crate::{
    database::Session,
    program::{folder, serve},
};

/// Number of contacts that are worked on, in several parts.
const SELECTED: i64 = 3_000;
/// Number of contacts that stay as they are. Their numbers are the smallest ones.
const OTHERS: i64 = 1_000;
/// Counts statements that wait for a lock of this session.
const HELD: &str = "SELECT count(*) FROM pg_locks \
                    WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))";

/// Returns a statement that inserts contacts, of whom the selected ones have the tag `Trial`.
fn contacts(organization: &str, count: i64) -> String {
    format!(
        "INSERT INTO contacts (id, organization_id, first_name, phone, tags, tags_folded, created_at) \
         SELECT uuid_v7_in(now() - interval '1 minute', '{organization}'), '{organization}', \
            'Ama ' || number, '+23324' || lpad(number::text, 7, '0'), \
            CASE WHEN number <= {OTHERS} THEN ARRAY['Accra'] ELSE ARRAY['Trial', 'Accra'] END, \
            CASE WHEN number <= {OTHERS} THEN ARRAY['accra'] ELSE ARRAY['trial', 'accra'] END, \
            now() - interval '1 minute' \
         FROM generate_series(1, {count}) AS number"
    )
}

/// Returns the condition of the contacts that stay as they are.
fn others() -> String {
    format!("phone <= '+23324{OTHERS:07}'")
}

/// Returns a file with a row for each contact, and other names.
fn file() -> String {
    let row = |number: i64| format!("024{number:07},Yaa {number}\n");
    format!("phone,firstName\n{}", (1..=OTHERS + SELECTED).map(row).collect::<String>())
}

/// Process with an organization, and a session with its database.
struct World {
    session: Session,
    program: Service,
    tenant: Tenant,
    folder: TempDir,
}

impl World {
    /// Starts the process, and adds contacts.
    async fn with_contacts(count: i64) -> Self {
        let folder = folder();
        let program = serve(folder.path());
        let tenant = program.tenant().await;
        let mut session = Session::with_program_in(folder.path());
        session.run(&contacts(&tenant.organization, count));
        Self { session, program, tenant, folder }
    }

    /// Locks a contact amid the selected ones, so that no work can go past its part.
    fn lock_middle(&mut self) {
        self.session.run(&format!(
            "BEGIN; \
             SELECT FROM contacts WHERE id = (SELECT id FROM contacts WHERE NOT {} ORDER BY id \
                OFFSET {} LIMIT 1) FOR UPDATE",
            others(),
            SELECTED / 2
        ));
    }

    /// Sends a request that begins work, and returns the data of its answer.
    async fn begin(&self, path: &str, body: Option<Value>) -> Value {
        let answer = self.tenant.at(&self.program.url).call(Method::POST, path, body).await;
        answer.data(202).clone()
    }

    /// Kills the process amid the part with the locked contact, and starts the next one. The work is
    /// found at `path`, and `progress` is its number of contacts so far.
    async fn crash_amid(&mut self, path: &str, progress: &str) {
        until("the work waits for the contact", async || self.session.number(HELD) > 0).await;
        let work = self.look(path).await;
        let so_far = work[progress].as_i64().unwrap();
        assert!((1..SELECTED).contains(&so_far), "{work}");
        self.program.kill();
        self.program = serve(self.folder.path());
        self.session = Session::with_program_in(self.folder.path());
    }

    async fn look(&self, path: &str) -> Value {
        self.tenant.get(&self.program, path).await["data"].clone()
    }

    /// Waits until the job has ended, and asserts that it worked on each selected contact once.
    async fn assert_completes(&self, path: &str) {
        until("the job has ended", async || self.look(path).await["finishedAt"].is_string()).await;
        let job = self.look(path).await;
        assert_eq!(job["status"], "COMPLETED", "{job}");
        assert_eq!((&job["count"], &job["done"]), (&json!(SELECTED), &json!(SELECTED)));
    }

    /// Returns the number of contacts that fit a condition, and a hash of all their columns.
    fn snapshot(&mut self, condition: &str) -> Vec<String> {
        self.session.run(&format!(
            "SELECT count(*), md5(string_agg(contact::text, '' ORDER BY id)) \
             FROM contacts AS contact WHERE {condition}"
        ))
    }

    /// Returns the number of contacts that the organization sees.
    async fn total(&self) -> Value {
        let list = self.tenant.get(&self.program, "/contacts?limit=1").await;
        list["pagination"]["total"].clone()
    }
}

fn job_path(begun: &Value) -> String {
    assert_eq!(begun["count"], SELECTED, "{begun}");
    format!("/contacts/jobs/{}", begun["id"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_deletes_the_selected_contacts_and_no_others_through_a_crash() {
    let mut world = World::with_contacts(OTHERS + SELECTED).await;
    let kept = world.snapshot(&others());
    world.lock_middle();

    let request = json!({"filter": {"tag": "trial"}});
    let job = job_path(&world.begin("/contacts/delete", Some(request)).await);
    world.crash_amid(&job, "done").await;

    world.assert_completes(&job).await;
    assert_eq!(world.snapshot("true"), kept);
    assert_eq!(world.total().await, OTHERS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_tags_the_selected_contacts_and_no_others_through_a_crash() {
    let mut world = World::with_contacts(OTHERS + SELECTED).await;
    let kept = world.snapshot(&others());
    world.lock_middle();

    let request = json!({"filter": {"tag": "trial"}, "add": ["Gold"], "remove": ["trial"]});
    let job = job_path(&world.begin("/contacts/tags", Some(request)).await);
    world.crash_amid(&job, "done").await;

    world.assert_completes(&job).await;
    let tagged = "SELECT count(*) FROM contacts \
                  WHERE tags = '{Accra,Gold}' AND tags_folded = '{accra,gold}'";
    assert_eq!(world.session.number(tagged), SELECTED);
    assert_eq!(world.snapshot(&others()), kept);
    assert_eq!(world.total().await, OTHERS + SELECTED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_undo_deletes_the_contacts_that_the_import_made_and_no_others_through_a_crash() {
    let mut world = World::with_contacts(OTHERS).await;
    let import = world.tenant.upload(&world.program, "/contacts/import", &file()).await;
    let import = format!("/contacts/imports/{}", import["id"].as_str().unwrap());
    until("the file is imported", async || world.look(&import).await["status"] == "COMPLETED")
        .await;
    let kept = world.snapshot(&others());
    world.lock_middle();

    world.begin(&format!("{import}/undo"), None).await;
    world.crash_amid(&import, "undone").await;

    until("the import is undone", async || world.look(&import).await["undoneAt"].is_string()).await;
    let undone = world.look(&import).await;
    assert_eq!(undone["undoStatus"], "COMPLETED", "{undone}");
    assert_eq!((&undone["created"], &undone["updated"]), (&json!(SELECTED), &json!(OTHERS)));
    assert_eq!(undone["undone"], SELECTED);
    assert_eq!(world.snapshot("true"), kept);
    assert_eq!(world.total().await, OTHERS);
}
