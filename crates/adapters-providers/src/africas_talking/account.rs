//! The account at Africa's Talking, which SMS and calls have in common.

use domain::callback::{Callback, CallbackRefused};

use crate::{
    account::{self, Access, Authorization},
    callbacks::must_be_posted,
    declaration::{Declaration, DeclarationError, Deps},
    form::Form,
};

/// The credentials of both.
pub(super) const CREDENTIALS: &[&str] = &["username", "api_key"];

pub(super) struct Account {
    pub(super) vendor: account::Account,
    pub(super) username: String,
}

/// What a declaration says of the account. SMS and calls are at different addresses.
pub(super) fn access(declaration: &Declaration, usual: &str) -> Result<Access, DeclarationError> {
    declaration.credential("username")?;
    Access::read(declaration, usual, Authorization::header(declaration, "api_key", "apikey")?)
}

impl Account {
    pub(super) fn of(
        declaration: &Declaration,
        usual: &str,
        deps: &Deps,
    ) -> Result<Self, DeclarationError> {
        Ok(Self {
            vendor: account::Account::new(access(declaration, usual)?, deps),
            username: declaration.credential("username")?.expose().to_owned(),
        })
    }

    /// The form of a callback that shows the right token.
    pub(super) fn verified(&self, callback: &Callback) -> Result<Form, CallbackRefused> {
        must_be_posted(callback)?;
        self.vendor.verify(callback)?;
        Ok(Form::of(callback))
    }
}
