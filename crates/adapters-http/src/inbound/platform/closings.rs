//! `/organizations/current/close` and `/organizations/current/restore`

use actix_web::{HttpRequest, web::Data};
use serde_json::{Value, json};
use usecases::{Error, platform::closings::WALLET_NOT_EMPTY};

use crate::inbound::{
    Api,
    identity::organizations::OrganizationView,
    shared::{
        answers::Answer,
        body::Body,
        caller::{Member, client},
        endpoint::{Area, post},
        error::ApiError,
        json_fields::{Fields, FromFields, field},
        request_id::ThisRequest,
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Closings",
        about: "Closing of the organization by an owner, and its restoration.",
        endpoints: vec![
            post("/organizations/current/close", "closeOrganization", close)
                .extension()
                .summary("Close the organization.")
                .description(
                    "For owners. Scheduled messages are cancelled and refunded, campaigns are \
                     cancelled, and the owners are notified by email. From then on, within a \
                     second on every instance, whatever changes something or is called with an API \
                     key is refused with 403 `ORGANIZATION_CLOSED`; messages that were accepted \
                     before are delivered. Members can sign in and read. An owner can restore the \
                     organization for 30 days; then it is erased, except for its ledger, its \
                     invoices and its audit log. A wallet with money is given up with `forfeit`: \
                     the ledger has it as a `CORRECTION` with the reference `forfeited`, and what \
                     is refunded later follows. Without it, refunds of scheduled messages can fill \
                     the wallet: they stay cancelled, and the request fails. A wrong password \
                     counts as a failed login. A closed organization does not change; repeat the \
                     request after a 503.",
                )
                .answers("The closed organization.")
                .refuses(Error::Conflict(WALLET_NOT_EMPTY)),
            post("/organizations/current/restore", "restoreOrganization", restore)
                .extension()
                .summary("Restore the closed organization.")
                .description(
                    "For owners, within 30 days. Everything is as before, except for cancelled \
                     messages and campaigns, and money that was given up. An organization that is \
                     open does not change.",
                )
                .answers("The organization.")
                .refuses_when(
                    "It was closed more than 30 days ago.",
                    Error::NotFound("organization"),
                ),
        ],
    }
}

struct CloseOrganization {
    password: Option<String>,
    forfeits: bool,
}

impl FromFields for CloseOrganization {
    const NAME: &'static str = "CloseOrganizationRequest";
    const ABOUT: &'static str = "The password of the user, and consent to lose the balance.";

    fn from_fields(fields: &mut Fields) -> Self {
        let password = field("password").format("password");
        let forfeit = field("forfeit").about("True to give up the money in the wallet.");
        Self {
            password: fields.required(password),
            forfeits: fields.optional(forfeit).unwrap_or_default(),
        }
    }

    fn example() -> Value {
        json!({ "password": "correct horse battery", "forfeit": true })
    }
}

async fn close(
    Member(caller): Member,
    ThisRequest(id): ThisRequest,
    request: HttpRequest,
    api: Data<Api>,
    body: Body<CloseOrganization>,
) -> Result<Answer<OrganizationView>, ApiError> {
    let owner = caller.owner().map_err(Error::from)?;
    let (CloseOrganization { password, forfeits }, faults) = body.read()?;
    let client = client(&api, &request);
    api.auth.confirm_password(owner, password, &client, faults).await?;
    api.closings.close(&caller, forfeits, id).await?;
    Ok(Answer::new(api.organizations.current(&caller).await?))
}

async fn restore(
    Member(caller): Member,
    ThisRequest(id): ThisRequest,
    api: Data<Api>,
) -> Result<Answer<OrganizationView>, ApiError> {
    api.closings.restore(&caller, id).await?;
    Ok(Answer::new(api.organizations.current(&caller).await?))
}
