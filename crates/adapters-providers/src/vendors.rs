//! Vendors that can be declared, and the adapters of declared providers.

mod africas_talking;
mod arkesel;
mod expo;
mod fcm;
mod http;
mod hubtel;
mod infobip;
mod mailgun;
mod mnotify;
mod resend;
mod sendgrid;
mod simulated;
mod smtp;
mod termii;
mod twilio;
mod whatsapp_cloud;

use std::{fmt, str::FromStr, sync::Arc};

use domain::providers::provider::Provider;
use ports::providers::provider::MessagingProvider;

use crate::{
    declaration::{Declaration, DeclarationError},
    deps::Deps,
    http_provider::over_http,
    kind::Kind,
    rate_limited::rate_limited,
    registration::Registration,
    replaceable::AdapterSlot,
    runtime_bound::runtime_bound,
};

pub use simulated::Simulated;

/// All vendors, sorted by name.
const VENDORS: &[Registration] = &[
    over_http::<africas_talking::Sms>(&africas_talking::SMS),
    over_http::<africas_talking::Calls>(&africas_talking::VOICE),
    over_http::<arkesel::Arkesel>(&arkesel::VENDOR),
    over_http::<expo::Expo>(&expo::VENDOR),
    over_http::<fcm::Fcm>(&fcm::VENDOR),
    over_http::<http::Http>(&http::VENDOR),
    over_http::<hubtel::Hubtel>(&hubtel::VENDOR),
    over_http::<infobip::Infobip>(&infobip::VENDOR),
    over_http::<mailgun::Mailgun>(&mailgun::VENDOR),
    over_http::<mnotify::Mnotify>(&mnotify::VENDOR),
    over_http::<resend::Resend>(&resend::VENDOR),
    over_http::<sendgrid::SendGrid>(&sendgrid::VENDOR),
    simulated::REGISTRATION,
    smtp::REGISTRATION,
    over_http::<termii::Termii>(&termii::VENDOR),
    over_http::<twilio::Messages>(&twilio::SMS),
    over_http::<twilio::Calls>(&twilio::VOICE),
    over_http::<twilio::Messages>(&twilio::WHATSAPP),
    over_http::<whatsapp_cloud::WhatsAppCloud>(&whatsapp_cloud::VENDOR),
];

/// Name of an unknown vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownKind;

impl std::error::Error for UnknownKind {}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Kind::all().map(Kind::as_str).collect();
        write!(f, "must be one of {}", names.join(", "))
    }
}

impl Kind {
    /// Returns all vendors.
    pub fn all() -> impl Iterator<Item = Self> {
        VENDORS.iter().map(|registration| Self(registration.vendor))
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::all().find(|kind| kind.as_str() == text).ok_or(UnknownKind)
    }
}

/// Creates the declared provider and its adapter.
pub fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<(Provider, Arc<dyn MessagingProvider>), DeclarationError> {
    let (provider, adapter, _) = build_replaceable(declaration, deps)?;
    Ok((provider, adapter))
}

/// Creates the adapter of a declared provider without its limits, to replace another one.
pub fn build_adapter(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    declaration.check()?;
    let adapter = (declaration.registration()?.build)(declaration, deps)?;
    Ok(runtime_bound(adapter, deps.runtime.clone()))
}

/// Creates the declared provider and its adapter, with the place in which the part behind the limits
/// can be replaced.
pub fn build_replaceable(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<(Provider, Arc<dyn MessagingProvider>, AdapterSlot), DeclarationError> {
    let slot = AdapterSlot::new(build_adapter(declaration, deps)?);
    let registration = declaration.registration()?;
    let adapter = Arc::new(slot.clone()) as Arc<dyn MessagingProvider>;
    let concurrency = declaration.max_concurrency;
    let concurrency = concurrency.or_else(|| (registration.usual_concurrency)(declaration));
    let adapter = rate_limited(adapter, declaration, concurrency, deps.most_in_flight);
    let provider = Provider {
        name: declaration.name.clone(),
        kind: declaration.kind.as_str(),
        channel: declaration.channel,
        routes: declaration.routes.clone(),
        report_timeout: declaration.report_timeout(),
        without_report: declaration.without_report,
    };
    Ok((provider, adapter, slot))
}

impl Declaration {
    /// Checks everything that can be checked without calling the vendor.
    pub fn check(&self) -> Result<(), DeclarationError> {
        self.check_common_values()?;
        (self.registration()?.check)(self)
    }

    fn registration(&self) -> Result<&'static Registration, DeclarationError> {
        let mut vendors = VENDORS.iter();
        let found = vendors.find(|registration| registration.vendor.name == self.kind.as_str());
        found.ok_or_else(|| self.invalid("kind", UnknownKind.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_name_and_named_in_the_error() {
        for kind in Kind::all() {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert!(UnknownKind.to_string().contains(kind.as_str()));
        }
        assert_eq!("SMTP".parse::<Kind>(), Err(UnknownKind));
    }

    #[test]
    fn vendors_are_sorted_by_name() {
        assert!(Kind::all().map(Kind::as_str).is_sorted());
    }
}
