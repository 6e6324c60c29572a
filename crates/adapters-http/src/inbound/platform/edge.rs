//! The edge of the service, for adapters beside the REST API: who calls, from where, and how often.

use std::panic::resume_unwind;

use actix_web::{HttpRequest, http::header::HOST, web::Data};
use domain::{
    identity::{
        actor::{Actor, RequestId},
        caller::Caller,
        open_session::Client,
        organization::Organization,
        user::User,
    },
    shared::id::Id,
};
use usecases::{
    Error,
    identity::auth::{Act, SignedIn},
};

use crate::inbound::{
    Api,
    identity::mails,
    shared::{
        caller::{client, client_network, header, noted_path, signed_in_by},
        rate_limits::rate_limit_of,
        request_id,
        request_span::head_of,
    },
};

/// Header in which a proxy reports the host that was asked.
const FORWARDED_HOST: &str = "X-Forwarded-Host";

/// A request, as the edge sees it. Its credentials come from the adapter, and are counted and cached
/// with those of the REST API.
#[derive(Clone)]
pub struct Edge {
    api: Data<Api>,
    request: HttpRequest,
}

impl Edge {
    /// Returns the edge of a request. Fails outside of the [application](crate::app).
    pub fn of(request: &HttpRequest) -> Result<Self, Error> {
        let api = request.app_data::<Data<Api>>().cloned();
        let api = api.ok_or_else(|| Error::Internal("the application has no API".into()))?;
        Ok(Self { api, request: request.clone() })
    }

    /// Returns the use cases and settings.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Returns the client of the request, with the name that its program gives.
    pub fn client(&self) -> Client {
        client(&self.api, &self.request)
    }

    /// Returns the identifier of the request, for the audit log.
    pub fn request_id(&self) -> Result<RequestId, Error> {
        request_id::id_of(&self.request)
            .map_err(|_| Error::Internal("the request has no identifier".into()))
    }

    /// Returns the host that was asked, with the port if the client named one. A trusted proxy may report
    /// it.
    pub fn asked_host(&self) -> Option<String> {
        let peer = self.request.peer_addr().map(|peer| peer.ip());
        let is_proxy = peer.is_some_and(|peer| self.api.trusted_proxies.trusts(peer));
        let forwarded = header(&self.request, FORWARDED_HOST).filter(|_| is_proxy);
        let host = forwarded.or_else(|| header(&self.request, HOST.as_str()))?;
        // Proxies in a row append theirs; the first is the client's.
        let host = host.split(',').next().unwrap_or_default().trim();
        (!host.is_empty()).then(|| host.to_ascii_lowercase())
    }

    /// Counts a request without credentials.
    pub async fn count_guest(&self) -> Result<(), Error> {
        let address = client_network(&self.api, &self.request);
        self.api.limits.guest(address, &rate_limit_of(&self.request)).await
    }

    /// Counts a registration.
    pub async fn count_registration(&self) -> Result<(), Error> {
        let address = client_network(&self.api, &self.request);
        self.api.limits.registration(address, &rate_limit_of(&self.request)).await
    }

    /// Counts `count` messages of a caller, all or none.
    pub async fn count_messages(&self, caller: &Caller, count: u32) -> Result<(), Error> {
        self.api.limits.messages(caller, count, &rate_limit_of(&self.request)).await
    }

    /// Returns the session of a token, and counts the request of its user.
    pub async fn session(&self, token: &str) -> Result<SignedIn, Error> {
        let session = signed_in_by(&self.api, &self.request, token).await?;
        self.api.limits.user(session.user.id, &rate_limit_of(&self.request)).await?;
        Ok(session)
    }

    /// Returns the user of a session as a caller in an organization. What an administrator does there
    /// is recorded in the audit log.
    pub async fn caller(
        &self,
        session: &SignedIn,
        organization: Id<Organization>,
    ) -> Result<Caller, Error> {
        let caller = self.api.auth.caller(session, organization).await?;
        self.api.limits.request(&caller, &rate_limit_of(&self.request)).await?;
        if let Some(user) = caller.impersonator() {
            let actor = Actor { user, request: self.request_id()?, is_impersonating: true };
            let method = self.request.method().to_string();
            let act = Act { method, path: noted_path(&self.request) };
            self.api.auth.note_act(organization, actor, act).await?;
        }
        Ok(Caller { trace: head_of(&self.request), ..caller })
    }

    /// Runs `work` to its end, even if the client disconnects or the server is stopped.
    pub async fn to_its_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        match self.api.background.spawn(work).await {
            Ok(outcome) => outcome,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => Err(Error::Internal("the work was ended".into())),
            },
        }
    }

    /// Mails the link that verifies an address, after the answer and unless too many mails wait.
    pub fn mail_verification(&self, user: User) {
        mails::verification(&self.api, user);
    }

    /// Mails another link that verifies the address of a user. Fails if the user was mailed too often,
    /// or too many mails wait.
    pub async fn mail_verification_again(&self, user: &User) -> Result<(), Error> {
        mails::verification_again(&self.api, user).await
    }

    /// Returns the address of the page on which an invitation is accepted.
    pub fn invitation_page(&self) -> String {
        mails::invitation_page(&self.api)
    }

    /// Mails the link that sets a new password, after the answer. Fails if too many mails wait.
    pub fn mail_reset(&self, email: String) -> Result<(), Error> {
        mails::reset(&self.api, email)
    }
}
