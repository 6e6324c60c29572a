//! Audit of all messages, and of the ledger.

use std::collections::HashMap;

use tokio_postgres::Client;

use crate::{failure::Result, load::Answers, provider::Message, service};

/// Selects all messages, by the provider's names for them.
const LOGS: &str = "SELECT 'msg_' || replace(id::text, '-', ''), status FROM delivery_logs";
/// Selects organizations whose balance is not the sum of the ledger, or not the credits less the
/// price of messages that did not fail.
const WRONG_BALANCES: &str = "\
    SELECT wallet.organization_id::text, wallet.balance_micros, ledger.total, \
        ledger.credits - coalesce(sent.cost, 0) AS expected \
    FROM wallet_balances wallet \
    LEFT JOIN ( \
        SELECT organization_id, sum(amount_micros)::bigint AS total, \
            (sum(amount_micros) FILTER (WHERE kind NOT LIKE 'MESSAGE%'))::bigint AS credits \
        FROM ledger GROUP BY organization_id \
    ) AS ledger ON ledger.organization_id = wallet.organization_id \
    LEFT JOIN ( \
        SELECT organization_id, sum(cost_micros)::bigint AS cost \
        FROM delivery_logs WHERE status <> 'FAILED' GROUP BY organization_id \
    ) AS sent ON sent.organization_id = wallet.organization_id \
    WHERE wallet.balance_micros IS DISTINCT FROM coalesce(ledger.total, 0) \
        OR wallet.balance_micros IS DISTINCT FROM coalesce(ledger.credits, 0) - coalesce(sent.cost, 0)";
/// Most examples that are shown of each problem.
const EXAMPLES: usize = 3;

/// Results of an audit.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) accepted: usize,
    pub(crate) lost: usize,
    /// Number of messages that the provider took more often than explained.
    pub(crate) doubled: usize,
    /// Number of messages that it took twice because a process was killed or an answer was unclear.
    pub(crate) explained: usize,
    pub(crate) are_books_exact: bool,
    /// Descriptions of all problems.
    pub(crate) problems: Vec<String>,
}

/// Returns the number of messages that are not final.
pub(crate) async fn unfinished(client: &Client) -> Result<i64> {
    let query = "SELECT count(*) FROM delivery_logs WHERE status IN ('QUEUED', 'PENDING')";
    Ok(client.query_one(query, &[]).await?.try_get(0)?)
}

/// Returns the messages that are not final.
pub(crate) async fn unfinished_messages(client: &Client) -> Result<Vec<String>> {
    let query = format!("{LOGS} WHERE status IN ('QUEUED', 'PENDING')");
    let rows = client.query(&query, &[]).await?;
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?)
}

/// Compares the answers to clients, the messages that the provider took, and the database.
pub(crate) async fn compare(
    client: &Client,
    answers: &Answers,
    taken: &HashMap<String, Message>,
    in_flight: &HashMap<String, u32>,
) -> Result<Findings> {
    let mut statuses = HashMap::new();
    for row in client.query(LOGS, &[]).await? {
        statuses.insert(row.try_get::<_, String>(0)?, row.try_get::<_, String>(1)?);
    }
    let nothing = Message::default();
    let of = |id: &String| taken.get(id).unwrap_or(&nothing);
    let mut findings = Findings { accepted: answers.accepted.len(), ..Findings::default() };

    let mut lost = Vec::new();
    for id in &answers.accepted {
        let status = statuses.get(id).map(String::as_str);
        if let Some(problem) = of(id).contradicts(status) {
            lost.push(format!("{id} {problem}"));
        }
    }
    findings.lost = lost.len();
    findings.tell("lost", &lost);

    // A request that was accepted twice under one key leaves messages that no answer names.
    let unknown: Vec<_> = statuses.keys().filter(|id| !answers.accepted.contains(*id)).collect();
    findings.tell("accepted and not answered", &unknown);
    let mut doubled = Vec::new();
    for (id, message) in taken.iter().filter(|(_, message)| message.taken > 1) {
        let explained = message.unclear + in_flight.get(id).copied().unwrap_or_default();
        if message.taken > 1 + explained {
            doubled.push(format!("{id} taken {} times", message.taken));
        } else {
            findings.explained += 1;
        }
    }
    findings.doubled = doubled.len() + unknown.len();
    findings.tell("doubled", &doubled);
    for (answer, count) in &answers.odd {
        findings.problems.push(format!("answered {count} times: {answer}"));
    }
    Ok(findings)
}

impl Findings {
    /// Merges two results.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.problems.extend(other.problems);
        Self {
            accepted: self.accepted + other.accepted,
            lost: self.lost + other.lost,
            doubled: self.doubled + other.doubled,
            explained: self.explained + other.explained,
            are_books_exact: self.are_books_exact && other.are_books_exact,
            problems: self.problems,
        }
    }

    /// Checks that balances, ledger and counters match messages and credits.
    pub(crate) async fn look_at_books(&mut self, client: &Client, url: &str) -> Result<()> {
        let mut wrong = Vec::new();
        for row in client.query(WRONG_BALANCES, &[]).await? {
            let (organization, balance): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            let (ledger, expected): (Option<i64>, Option<i64>) = (row.try_get(2)?, row.try_get(3)?);
            wrong.push(format!(
                "{organization} has {balance}, by its ledger {ledger:?}, by its messages {expected:?}"
            ));
        }
        for what in ["ledger", "counters"] {
            if let Err(problem) = service::verify(what, url)? {
                wrong.push(problem);
            }
        }
        self.are_books_exact = wrong.is_empty();
        self.tell("wrong in the books", &wrong);
        Ok(())
    }

    fn tell(&mut self, what: &str, items: &[impl AsRef<str>]) {
        if !items.is_empty() {
            let examples: Vec<_> = items.iter().take(EXAMPLES).map(AsRef::as_ref).collect();
            self.problems.push(format!("{} {what}: {}", items.len(), examples.join("; ")));
        }
    }
}
