//! mNotify: SMS over HTTP, in Ghana.
//!
//! Documentation: <https://readthedocs.mnotify.com/>. The fields of its responses are those that
//! <https://github.com/Adjanour/mnotify-ts-sdk> reads. No page was found that names the codes of
//! refusals in this version of the interface.
//!
//! The key is sent in the query, the only place that mNotify reads it from. mNotify makes no
//! callbacks: a message is looked up by its campaign, which all recipients of a call share.

use domain::{
    messaging::{
        delivery::FailureCode as Code,
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    batch::not_mentioned,
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Declaration, DeclarationError,
        HttpVendor, Lookup, Request, Vendor,
    },
    loose_json,
    phone_numbers::{digits, is_recipient},
    status_table::{Progress, StatusTable},
    verdict::{
        CodeTable, PhraseTable,
        Verdict::{NotAccepted, Rejected, Unknown},
        accepted,
    },
};

const USUAL_URL: &str = "https://api.mnotify.com";

/// Number of texts below which the account is nearly empty.
const LOW_BALANCE: f64 = 10.0;

pub(super) const VENDOR: Vendor = Vendor {
    name: "mnotify",
    channels: &[Channel::Sms],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["api_key"],
    // The report of a campaign repeats the text for each recipient, and must be short enough to
    // read.
    group_limit: 50,
    ..Vendor::DEFAULTS
};

pub(super) struct Mnotify;

impl HttpVendor for Mnotify {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let key = Authorization::Query("key", declaration.credential("api_key")?.clone());
        Ok((Self, Access::read(declaration, USUAL_URL, key)?))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        Ok(account.post(&["api", "sms", "quick"]).json(&SendRequest {
            recipient: batch.messages.iter().map(|message| number(message)).collect(),
            sender: account.sender(batch.first()),
            message: &batch.first().draft.body,
            is_schedule: false,
            schedule_date: "",
        }))
    }

    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        match answer.json::<SendResponse>() {
            Some(body) if answer.status.is_success() && body.is_success() => {
                Ok(batch.messages.iter().map(|message| body.summary.outcome(message)).collect())
            }
            body => Err(refusal(answer, body.as_ref())),
        }
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        Some(account.get(&["api", "campaign", lookup.reference?]))
    }

    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        let campaign = answer.json_of_success::<Campaign>();
        let Some(campaign) = campaign.filter(|campaign| campaign.status == "success") else {
            return LookUp::Unavailable;
        };
        match campaign.report.iter().find(|entry| is_number_of(lookup.message, &entry.recipient)) {
            Some(entry) => STATUSES.lookup(&entry.status, lookup.now),
            None => LookUp::Waiting,
        }
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["api", "balance", "sms"])
    }

    /// The response to a wrong key is a success too.
    fn check_result(&self, answer: &Answer) -> Check {
        match answer.json::<Credit>() {
            Some(Credit { status, balance, bonus }) if status == "success" => {
                let bonus = loose_json::amount(&bonus).unwrap_or_default();
                let balance = loose_json::amount(&balance).map(|balance| balance + bonus);
                health::balance(balance, "texts", LOW_BALANCE)
            }
            _ => health::down("the provider does not report the balance"),
        }
    }
}

#[derive(Serialize)]
struct SendRequest<'a> {
    recipient: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    message: &'a str,
    is_schedule: bool,
    schedule_date: &'a str,
}

/// Response to texts. A refusal has no summary.
#[derive(Deserialize)]
struct SendResponse {
    status: Value,
    #[serde(default)]
    code: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    summary: Summary,
}

#[derive(Deserialize, Default)]
struct Summary {
    #[serde(default, rename = "_id")]
    id: Value,
    #[serde(default)]
    total_sent: u64,
    #[serde(default)]
    total_rejected: u64,
    /// Empty as well if all recipients were accepted.
    #[serde(default)]
    numbers_sent: Vec<Value>,
}

#[derive(Deserialize)]
struct Campaign {
    status: Value,
    #[serde(default)]
    report: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    recipient: Value,
    status: String,
}

#[derive(Deserialize)]
struct Credit {
    #[serde(default)]
    status: Value,
    #[serde(default)]
    balance: Value,
    #[serde(default)]
    bonus: Value,
}

/// Code of a success.
const ACCEPTED: &str = "2000";

/// Codes of refusals. The first version of the interface documents them; the second mostly
/// describes them in text.
#[rustfmt::skip]
const CODES: CodeTable<&str> = CodeTable(&[
    ("1002", "sending failed", Unknown),
    ("1003", "insufficient balance", NotAccepted(Code::ProviderBalance)),
    ("1004", "invalid API key", NotAccepted(Code::ProviderAuth)),
    ("1005", "invalid phone number", Rejected(Code::InvalidRecipient)),
    ("1006", "invalid sender", NotAccepted(Code::SenderNotAllowed)),
    ("1008", "empty message", NotAccepted(Code::ProviderRejected)),
    ("1011", "numeric senders are not allowed", NotAccepted(Code::SenderNotAllowed)),
    ("1012", "the sender is not registered", NotAccepted(Code::SenderNotAllowed)),
]);

/// Phrases in the text of a refusal. A phrase about the sender may also mention a number.
#[rustfmt::skip]
const PHRASES: PhraseTable = PhraseTable(&[
    ("sender", NotAccepted(Code::SenderNotAllowed)),
    ("insufficient", NotAccepted(Code::ProviderBalance)),
    ("not enough", NotAccepted(Code::ProviderBalance)),
    ("api key", NotAccepted(Code::ProviderAuth)),
    ("unauthori", NotAccepted(Code::ProviderAuth)),
    ("invalid recipient", Rejected(Code::InvalidRecipient)),
    ("invalid phone", Rejected(Code::InvalidRecipient)),
    ("invalid number", Rejected(Code::InvalidRecipient)),
    ("message is", NotAccepted(Code::ProviderRejected)),
]);

const STATUSES: StatusTable = StatusTable::usual_and(&[
    ("delivrd", Progress::Delivered),
    ("undeliv", Progress::Failed(Code::Undelivered)),
    ("rejectd", Progress::Failed(Code::Undelivered)),
]);

/// Returns the recipient in mNotify's format: numbers of Ghana in national form.
fn number(message: &Message) -> String {
    let digits = digits(message);
    match digits.strip_prefix("233") {
        Some(national) => format!("0{national}"),
        None => digits.to_owned(),
    }
}

fn is_number_of(message: &Message, number: &Value) -> bool {
    loose_json::text(number).is_some_and(|number| is_recipient(message, &number))
}

impl SendResponse {
    fn is_success(&self) -> bool {
        let code = loose_json::text(&self.code);
        self.status == "success" && code.is_none_or(|code| code == ACCEPTED)
    }
}

impl Summary {
    fn outcome(&self, message: &Message) -> Outcome {
        let is_named = self.numbers_sent.iter().any(|number| is_number_of(message, number));
        let is_accepted = match (self.total_sent, self.total_rejected) {
            (1.., 0) => true,
            (0, 1..) => false,
            (1.., 1..) if is_named => true,
            (1.., 1..) if !self.numbers_sent.is_empty() => false,
            _ => return not_mentioned(),
        };
        if is_accepted {
            accepted(loose_json::text(&self.id))
        } else {
            Rejected(Code::InvalidRecipient).outcome("rejected", None)
        }
    }
}

fn refusal(answer: &Answer, body: Option<&SendResponse>) -> Outcome {
    let code = body.and_then(|body| loose_json::text(&body.code));
    let prose = body.and_then(|body| loose_json::text(&body.message)).unwrap_or_default();
    let known = code.as_deref().and_then(|code| CODES.get(code));
    let vendor_code = code.as_deref().unwrap_or(answer.status.as_str());
    answer.refusal(known.or_else(|| PHRASES.find(&prose)), vendor_code)
}

#[cfg(test)]
mod tests;
