//! Interface of a vendor over HTTP: requests to build, and the meaning of responses and callbacks.
//! Nothing here does I/O. The module also exports the names that all such vendors need.

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
    kind::{BaseUrl, Callbacks, Vendor},
};

/// Vendor over HTTP, with the settings of one declaration.
pub(crate) trait HttpVendor: Sized + Send + Sync + 'static {
    /// Reads a declaration: the vendor's own settings, and the access to its interface.
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError>;

    /// Returns the outcome of a message that the vendor is not called for, such as one to an
    /// address of the wrong form; `None` if the vendor is to be called.
    fn refusal(&self, message: &Message) -> Option<Outcome> {
        let _ = message;
        None
    }

    /// Builds the request that sends messages. If it cannot be built, the error is the outcome of
    /// all of them.
    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome>;

    /// Reads the outcome of each message from the response, in their order. The error is the
    /// outcome of the call as a whole.
    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome>;

    /// Builds the request that queries the status of a message; `None` if the vendor cannot be
    /// queried.
    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        let (_, _) = (account, lookup);
        None
    }

    /// Reads the status of the queried message from the response.
    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        let (_, _) = (answer, lookup);
        LookUp::Unavailable
    }

    /// Builds the request that checks if the vendor can be used, without sending anything.
    fn check_request(&self, account: &Account) -> Request;

    /// Reads the result of the check from a successful response.
    fn check_result(&self, answer: &Answer) -> Check;

    /// Reads the result of the check from a response that is not a success.
    fn check_refusal(&self, answer: &Answer) -> Check {
        answer.check_by_status()
    }

    /// Refuses a callback that is not proved to be the vendor's, usually by the token in the
    /// address.
    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        account.verify_token(callback)
    }

    /// Reads a verified callback. `now` is the time of events without one.
    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let (_, _) = (callback, now);
        Err(CallbackRefused::Unsupported)
    }

    /// Returns the response that makes the vendor read `text` out.
    fn read_out(&self, text: &str) -> CallbackAnswer {
        let _ = text;
        CallbackAnswer::Acknowledged
    }
}

/// Query for the status of a message that was sent.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(crate) message: &'a Message,
    /// Vendor's identifier of the message; `None` if it gave none.
    pub(crate) reference: Option<&'a str>,
    pub(crate) now: DateTime<Utc>,
}
