//! Database of a service, as an administrator sees it.

use std::{
    fs,
    path::Path,
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use app::embedded::{Durability, EmbeddedPostgres, Options};
use tempfile::TempDir;
use tokio::runtime::Builder;
use tokio_postgres::{Config, NoTls, SimpleQueryMessage, SimpleQueryRow};

use crate::program::folder;

/// Difference between the balances of organizations and the ledger, in micros.
const DIFFERENCE: &str = "SELECT (SELECT sum(balance_micros) FROM wallet_balances)::bigint \
                          - (SELECT sum(amount_micros) FROM ledger)::bigint";

/// Starts a database that several instances may use.
pub(crate) async fn shared() -> (TempDir, EmbeddedPostgres) {
    let folder = folder();
    let data_dir = folder.path().join("database");
    // The program keeps its secrets where the database was.
    fs::rename(folder.path().join(".atumpan"), &data_dir).unwrap();
    let options = Options { data_dir, durability: Durability::None };
    let database = EmbeddedPostgres::start(options).await.unwrap();
    (folder, database)
}

/// Session on a thread of its own, so that asynchronous tests can use it too.
pub(crate) struct Session {
    statements: Sender<String>,
    rows: Receiver<Vec<String>>,
}

impl Session {
    /// Opens a session with the embedded database of the program in `folder`.
    pub(crate) fn with_program_in(folder: &Path) -> Self {
        Self::open(&EmbeddedPostgres::running_url(&folder.join(".atumpan")).unwrap())
    }

    /// Opens a session with the database at an address.
    pub(crate) fn open(url: &str) -> Self {
        let config: Config = url.parse().unwrap();
        let (statements, asked) = mpsc::channel();
        let (answers, rows) = mpsc::channel();
        thread::spawn(move || serve(&config, &asked, &answers));
        Self { statements, rows }
    }

    /// Runs statements, and returns the rows: the fields of each, joined by `|`.
    #[track_caller]
    pub(crate) fn run(&mut self, statements: &str) -> Vec<String> {
        self.statements.send(statements.to_owned()).unwrap();
        self.rows.recv().unwrap_or_else(|_| panic!("the session has ended: {statements}"))
    }

    /// Returns the number that the last of these statements yields.
    pub(crate) fn number(&mut self, statements: &str) -> i64 {
        self.run(statements).last().unwrap().parse().unwrap()
    }

    /// Asserts that the balances of organizations match the ledger.
    pub(crate) fn assert_books_are_exact(&mut self) {
        assert_eq!(self.number(DIFFERENCE), 0);
    }
}

/// Runs statements until the channel closes, or a statement fails.
fn serve(config: &Config, asked: &Receiver<String>, answers: &Sender<Vec<String>>) {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (client, connection) = runtime.block_on(config.connect(NoTls)).unwrap();
    runtime.spawn(connection);
    while let Ok(statements) = asked.recv() {
        let answer = runtime.block_on(client.simple_query(&statements)).unwrap();
        let rows = answer.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(fields(row)),
            _ => None,
        });
        if answers.send(rows.collect()).is_err() {
            return;
        }
    }
}

fn fields(row: &SimpleQueryRow) -> String {
    let fields: Vec<_> = (0..row.len()).map(|at| row.get(at).unwrap_or_default()).collect();
    fields.join("|")
}
