//! Records of answered calls: the usage of API keys, and refused calls.

use std::net::IpAddr;

use actix_web::{Error, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::identity::actor::RequestId;
use usecases::platform::refused_calls::Refusal;

use crate::inbound::{
    Api,
    shared::{error::ApiError, known_caller::KnownCaller},
};

/// Answered call.
pub(super) struct AnsweredCall<'c> {
    pub(super) request: &'c RequestId,
    /// Time at which its request came, whose day it counts for.
    pub(super) began_at: DateTime<Utc>,
    pub(super) method: &'c str,
    /// Path without the query.
    pub(super) path: &'c str,
    pub(super) status: StatusCode,
    /// Error of which the answer tells.
    pub(super) error: Option<&'c Error>,
    pub(super) address: IpAddr,
}

/// Records the call of an authenticated caller, in memory.
pub(super) fn record(api: &Api, caller: KnownCaller, call: &AnsweredCall<'_>) {
    let KnownCaller { organization, key, user } = caller;
    let is_refused = call.status.is_client_error() || call.status.is_server_error();
    if let Some(key) = key {
        api.api_keys.count_call(organization, key, call.began_at, is_refused);
    }
    if !is_refused {
        return;
    }
    // An answer without an error is that of a handler that panicked.
    let error = call.error.and_then(Error::as_error::<ApiError>);
    let view = error.map_or_else(|| ApiError::Broken.view(), ApiError::view);
    api.refused_calls.note(&Refusal {
        organization,
        request: call.request.clone(),
        method: call.method,
        path: call.path,
        status: call.status.as_u16(),
        code: view.code,
        message: &view.message,
        key,
        user,
        address: call.address,
    });
}
