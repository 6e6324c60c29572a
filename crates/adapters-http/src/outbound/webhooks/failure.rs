//! Reasons for which calls fail.

use std::{error::Error, io, iter};

use domain::webhooks::webhook::CallFailure;

use super::names::NoAddress;

/// Returns the reason for which a call failed.
pub(super) fn of(error: &reqwest::Error) -> CallFailure {
    let name = causes(error).find_map(|cause| cause.downcast_ref::<NoAddress>());
    let failure = match name {
        Some(NoAddress::NotResolved) => CallFailure::NotResolved,
        Some(NoAddress::Refused) => CallFailure::AddressRefused,
        None if error.is_builder() => CallFailure::UrlRefused,
        None if error.is_connect() && causes(error).any(is_of_tls) => CallFailure::TlsFailed,
        None if error.is_connect() => CallFailure::NotConnected,
        None if error.is_timeout() => CallFailure::TimedOut,
        None => CallFailure::Broken,
    };
    // The outermost error would name the URL, which may hold a secret.
    let cause = causes(error).skip(1).last().map(ToString::to_string);
    tracing::debug!(failure = failure.as_str(), cause, "failed to call a webhook endpoint");
    failure
}

/// Returns the error, its cause, and so on.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| error.source())
}

/// True if there was a connection, and TLS failed on it.
fn is_of_tls(cause: &(dyn Error + 'static)) -> bool {
    // An error of the system may wrap another one without naming it as its source.
    let outermost = cause.downcast_ref::<io::Error>();
    iter::successors(outermost, |error| error.get_ref()?.downcast_ref()).any(|error| {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let is_cut_off = matches!(
            error.kind(),
            io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::BrokenPipe
        );
        inner.is_some() || is_cut_off
    })
}
