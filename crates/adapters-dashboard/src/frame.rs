//! The parts that all pages share: who asks, forms, navigation, and answers.

/// Lets handlers take a value of a type, which its `of` reads from a request.
macro_rules! from_request {
    ($type:ty) => {
        impl actix_web::FromRequest for $type {
            type Error = $crate::frame::Failure;
            type Future =
                futures_util::future::LocalBoxFuture<'static, Result<Self, $crate::frame::Failure>>;

            fn from_request(
                request: &actix_web::HttpRequest,
                _: &mut actix_web::dev::Payload,
            ) -> Self::Future {
                let request = request.clone();
                Box::pin(async move { Self::of(&request).await })
            }
        }
    };
}

pub(crate) mod account;
pub(crate) mod administration;
pub(crate) mod assets;
pub(crate) mod cookies;
pub(crate) mod failure;
pub(crate) mod form;
pub(crate) mod form_token;
pub(crate) mod guest;
pub(crate) mod navigation;
pub(crate) mod notice;
pub(crate) mod once;
pub(crate) mod origin;
pub(crate) mod page;
pub(crate) mod pages;
pub(crate) mod posted;
pub(crate) mod query;
pub(crate) mod question;
pub(crate) mod routes;
pub(crate) mod visit;

pub(crate) use self::{
    account::Account,
    administration::Administration,
    failure::{Failure, Shown, capitalized},
    form::{Choice, Form, Labels},
    guest::{Guest, Person},
    navigation::{Entry, Place},
    notice::Notice,
    once::{once, once_of},
    page::{Bare, Frame},
    pages::{Pages, found_or_refused},
    posted::Posted,
    query::Query,
    question::Question,
    routes::{Route, get, id_of, post},
    visit::Visit,
};
