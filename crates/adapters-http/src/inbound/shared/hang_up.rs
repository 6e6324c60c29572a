//! Clients that hang up before they are answered.

use std::{convert::Infallible, future::Ready};

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use usecases::Error;

use crate::inbound::shared::{
    endpoint::describe::{Describe, Description},
    error::ApiError,
};
use crate::server::pace::Pace;

/// The connection on which a request came.
pub(crate) struct Connection(Option<Pace>);

impl Connection {
    /// Returns the result of `work`, which is stopped when the client hangs up: for work that costs
    /// money and is of no use to anybody else.
    pub(crate) async fn unless_hung_up<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, ApiError> {
        let Some(pace) = &self.0 else { return Ok(work.await?) };
        tokio::select! {
            done = work => Ok(done?),
            // Hardly any client reads this, and it is no problem to log.
            () = pace.hung_up() => Err(ApiError::Refused(Error::Overloaded)),
        }
    }
}

impl FromRequest for Connection {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(request.conn_data::<Pace>().cloned())))
    }
}

impl Describe for Connection {
    fn describe(_: &mut Description) {}
}
