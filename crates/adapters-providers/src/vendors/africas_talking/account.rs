//! Account settings shared by SMS and calls at Africa's Talking.

use domain::messaging::callback::{Callback, CallbackRefused};

use crate::{
    account::{Access, Account},
    authorization::Authorization,
    callbacks::must_be_posted,
    declaration::{Declaration, DeclarationError},
};

/// Reads the user name and the access of the account. SMS and calls have different addresses.
pub(super) fn read(
    declaration: &Declaration,
    usual_url: &str,
) -> Result<(String, Access), DeclarationError> {
    let username = declaration.credential("username")?.expose().to_owned();
    let api_key = Authorization::header(declaration, "api_key", "apikey")?;
    Ok((username, Access::read(declaration, usual_url, api_key)?))
}

/// Refuses a callback that is not a POST or lacks the right token.
pub(super) fn verify(account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
    must_be_posted(callback)?;
    account.verify_token(callback)
}
