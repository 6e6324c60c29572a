//! Text about a low balance.

use domain::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};

use super::Mail;

/// Returns the mail about a balance below its threshold. The text names the organization by its
/// identifier, because members may belong to several and the name is user-supplied.
pub(super) fn mail(
    organization: Id<Organization>,
    (balance, threshold): (Money, Money),
    public_url: &str,
) -> Mail {
    let body = format!(
        "The wallet of the organization {organization} holds {balance}, which is less than the {threshold} below which you want \
         to be told.\n\nWhat the wallet cannot pay for is not sent. To top it up, call POST \
         {public_url}/billing/top-up, or ask there for an invoice with the payment method \
         \"invoice\".\n\nYou are told again when the balance has risen to {threshold} and falls below \
         it another time, at most once a day. An owner or administrator can change the threshold: it is the setting \
         lowBalanceThreshold of the organization.\n"
    );
    Mail { subject: "Your balance is low".to_owned(), body }
}
