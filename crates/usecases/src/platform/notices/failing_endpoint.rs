//! Text about a webhook endpoint of which every call fails.

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    shared::id::Id,
    webhooks::webhook::{DEACTIVATED_AFTER, WebhookEndpoint},
};

use super::Mail;

/// Returns the mail about an endpoint that has failed since a time. It has the ID of the organization,
/// since owners may own several, but neither its name nor the URL, which are user input.
pub(super) fn mail(
    organization: Id<Organization>,
    (id, since): (Id<WebhookEndpoint>, DateTime<Utc>),
    public_url: &str,
) -> Mail {
    let body = format!(
        "No call of the webhook endpoint {id} of the organization {organization} has succeeded since \
         {since} UTC.\n\n\
         What it answered is shown by GET {public_url}/webhook-endpoints/{id}/deliveries. A call \
         succeeds if it is answered with a status from 200 to 299 within 15 seconds.\n\n\
         If calls fail for {days} days, and for a day from now at least, the endpoint is deactivated. \
         What it missed can then be told again with POST {public_url}/webhook-endpoints/{id}/recover \
         once it is active.\n",
        since = since.format("%Y-%m-%d %H:%M"),
        days = DEACTIVATED_AFTER.num_days(),
    );
    Mail { subject: "Your webhook endpoint fails".to_owned(), body }
}
