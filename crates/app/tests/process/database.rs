//! The database of a service, as an administrator sees it.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use app::embedded::EmbeddedPostgres;

/// By how much, in micros, what organizations have differs from the ledger.
const DIFFERENCE: &str = "SELECT (SELECT sum(balance_micros) FROM wallet_balances)::bigint \
                          - (SELECT sum(amount_micros) FROM ledger)::bigint";
/// What is printed after the rows of every statement.
const END: &str = "-- end --";

/// A session of `psql`.
pub(crate) struct Session {
    psql: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// With the database that the program runs in `folder` for itself.
    pub(crate) fn with_program_in(folder: &Path) -> Self {
        let data = folder.join(".atumpan");
        let url = EmbeddedPostgres::running_url(&data).unwrap();
        // A data directory that the account of the server cannot enter points to another.
        let home = std::fs::read_to_string(data.join("postgres.location"));
        let home = home.map_or(data, |path| PathBuf::from(path.trim_end()));
        Self::open(&programs(&home.join("postgres")), &url)
    }

    /// By the `psql` of these programs.
    pub(crate) fn open(programs: &Path, url: &str) -> Self {
        let psql = programs.join("psql");
        // Some distributions keep it elsewhere than the programs of the server.
        let psql = if psql.exists() { psql } else { "psql".into() };
        let mut psql = Command::new(psql)
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (psql.stdin.take().unwrap(), psql.stdout.take().unwrap());
        Self { psql, input, output: BufReader::new(output) }
    }

    /// Runs statements, and returns the rows.
    pub(crate) fn run(&mut self, statements: &str) -> Vec<String> {
        writeln!(self.input, "{statements};\nSELECT '{END}';").unwrap();
        let mut rows = Vec::new();
        loop {
            let mut row = String::new();
            let length = self.output.read_line(&mut row).unwrap();
            assert!(length > 0, "psql has ended: {statements}");
            match row.trim_end() {
                END => return rows,
                row => rows.push(row.to_owned()),
            }
        }
    }

    /// The number that the last of these statements comes to.
    pub(crate) fn number(&mut self, statements: &str) -> i64 {
        self.run(statements).last().unwrap().parse().unwrap()
    }

    /// What organizations have is what the ledger says.
    pub(crate) fn assert_books_are_exact(&mut self) {
        assert_eq!(self.number(DIFFERENCE), 0);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.psql.kill();
        let _ = self.psql.wait();
    }
}

/// Where the programs are by which the cluster in `folder` is served.
pub(crate) fn programs(folder: &Path) -> PathBuf {
    let command = std::fs::read_to_string(folder.join("postmaster.opts")).unwrap();
    let program = Path::new(command.split_whitespace().next().unwrap());
    program.parent().unwrap().to_owned()
}
