//! Settings of services that tests of several subjects share.

use acceptance::{Settings, World};
use testkit::registration;

/// Secret of the tokens under [`ONE_SECRET`].
pub(crate) const SECRET: &str = "a secret that all instances share";
/// Settings of instances that take the tokens of each other.
pub(crate) const ONE_SECRET: Settings =
    &[("ATUMPAN_JWT_SECRET", SECRET), ("ATUMPAN_RATE_LIMITS", "off")];
/// Settings of a service without a payment gateway and without providers.
pub(crate) const PRODUCTION: Settings = &[
    ("ATUMPAN_ENV", "production"),
    ("ATUMPAN_PUBLIC_URL", "https://notify.example.com"),
    ("ATUMPAN_JWT_SECRET", "0123456789abcdef0123456789abcdef"),
    ("ATUMPAN_METRICS_LISTEN", "127.0.0.1:0"),
];
/// Settings of a service that takes only approved sender names.
pub(crate) const APPROVED_SENDERS: Settings =
    &[("ATUMPAN_SENDER_NAMES", "approved"), ("ATUMPAN_RATE_LIMITS", "off")];

/// Returns a shared service with the user `nobody@example.com`, whom tests of the usual shared service
/// expect to be unknown.
pub(crate) async fn with_nobody() -> World {
    let world = World::shared_with(ONE_SECRET).await;
    let answer = world.post("/auth/register", registration("nobody@example.com", None)).await;
    assert!([201, 409].contains(&answer.status), "{}", answer.text);
    world
}
