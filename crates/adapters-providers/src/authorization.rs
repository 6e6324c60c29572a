//! Authentication of requests.

use reqwest::{
    RequestBuilder,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
};

use crate::{
    declaration::{Declaration, DeclarationError},
    secret::Secret,
};

/// Authentication of requests.
pub(crate) enum Authorization {
    /// Header, marked as sensitive.
    Header(HeaderName, HeaderValue),
    /// User and password (RFC 7617).
    Basic(String, Secret),
    /// Query parameter.
    Query(&'static str, Secret),
    /// Data that the vendor's module adds, an access token, or none.
    InRequest,
}

impl Authorization {
    /// Builds a bearer token from a credential (RFC 6750).
    pub(crate) fn bearer(declaration: &Declaration, key: &str) -> Result<Self, DeclarationError> {
        Self::scheme(declaration, key, "Bearer ")
    }

    /// Puts a credential in a header of the vendor's own.
    pub(crate) fn header(
        declaration: &Declaration,
        key: &str,
        name: &'static str,
    ) -> Result<Self, DeclarationError> {
        Ok(Self::Header(HeaderName::from_static(name), header_value(declaration, key, "")?))
    }

    /// Puts a credential in the `Authorization` header after `scheme`, a scheme of the vendor's
    /// own.
    pub(crate) fn scheme(
        declaration: &Declaration,
        key: &str,
        scheme: &str,
    ) -> Result<Self, DeclarationError> {
        Ok(Self::Header(AUTHORIZATION, header_value(declaration, key, scheme)?))
    }

    pub(crate) fn apply(&self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Self::Header(name, value) => request.header(name, value.clone()),
            Self::Basic(user, password) => request.basic_auth(user, Some(password.expose())),
            Self::Query(name, secret) => request.query(&[(name, secret.expose())]),
            Self::InRequest => request,
        }
    }
}

/// Returns the value of a header that contains a credential after `scheme`.
fn header_value(
    declaration: &Declaration,
    key: &str,
    scheme: &str,
) -> Result<HeaderValue, DeclarationError> {
    let text = format!("{scheme}{}", declaration.credential(key)?.expose());
    let Ok(mut value) = HeaderValue::from_str(&text) else {
        return Err(declaration.invalid_credential(key, "must be printable ASCII"));
    };
    value.set_sensitive(true);
    Ok(value)
}
