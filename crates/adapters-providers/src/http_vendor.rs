//! What a vendor over HTTP is: what to request of it, and what its answers and callbacks mean.
//! Nothing in here does any I/O. The names that every such vendor needs come from here as well.

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
};

pub(crate) use reqwest::RequestBuilder as Request;

pub(crate) use crate::{
    account::{Access, Account},
    answer::Answer,
    authorization::Authorization,
    batch::Batch,
    declaration::{Declaration, DeclarationError},
    kind::{Callbacks, Vendor},
};

/// A vendor over HTTP, with the settings of one declaration.
pub(crate) trait HttpVendor: Sized + Send + Sync + 'static {
    /// Reads a declaration: the settings that are the vendor's own, and how it is reached.
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError>;

    /// What becomes of a message that the vendor is not asked to take, such as one to an address of
    /// another form than the vendor's.
    fn refusal(&self, message: &Message) -> Option<Outcome> {
        let _ = message;
        None
    }

    /// The request that hands messages over. If it cannot be made, the error is what becomes of all
    /// of them.
    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome>;

    /// What the answer says of each message, in their order. The error is what it says of the call
    /// as a whole.
    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome>;

    /// The request that asks what became of a message. `None` if it cannot be asked for.
    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        let (_, _) = (account, lookup);
        None
    }

    /// What the answer says of the message that was asked for.
    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        let (_, _) = (answer, lookup);
        LookUp::Unavailable
    }

    /// The request that shows whether the vendor can be used, and sends nothing.
    fn check_request(&self, account: &Account) -> Request;

    /// What an answer to it says that is a success.
    fn check_result(&self, answer: &Answer) -> Check;

    /// What an answer to it says that is none.
    fn check_refusal(&self, answer: &Answer) -> Check {
        answer.check_by_status()
    }

    /// Refuses a callback that is not proved to be the vendor's. Usually the token in the address is
    /// the proof.
    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        account.verify_token(callback)
    }

    /// Reads a callback that was verified. `now` is when things happened of which it does not say.
    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let (_, _) = (callback, now);
        Err(CallbackRefused::Unsupported)
    }

    /// The answer that has the vendor read `text` out.
    fn read_out(&self, text: &str) -> CallbackAnswer {
        let _ = text;
        CallbackAnswer::Acknowledged
    }
}

/// A question for a message that was handed over.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(crate) message: &'a Message,
    /// The vendor's identifier of the message, if it gave one.
    pub(crate) reference: Option<&'a str>,
    pub(crate) now: DateTime<Utc>,
}
