//! How requests show that they are ours.

use reqwest::{
    RequestBuilder,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
};

use crate::{
    declaration::{Declaration, DeclarationError},
    secret::Secret,
};

/// How requests show that they are ours.
pub(crate) enum Authorization {
    /// By a header, which is marked as a secret.
    Header(HeaderName, HeaderValue),
    /// By a user and a password (RFC 7617).
    Basic(String, Secret),
    /// By a parameter in the query.
    Query(&'static str, Secret),
    /// By something that the vendor's file adds, by an access token, or not at all.
    InRequest,
}

impl Authorization {
    /// A credential as a bearer token (RFC 6750).
    pub(crate) fn bearer(declaration: &Declaration, key: &str) -> Result<Self, DeclarationError> {
        Self::scheme(declaration, key, "Bearer ")
    }

    /// A credential in a header of the vendor's own.
    pub(crate) fn header(
        declaration: &Declaration,
        key: &str,
        name: &'static str,
    ) -> Result<Self, DeclarationError> {
        Ok(Self::Header(HeaderName::from_static(name), header_value(declaration, key, "")?))
    }

    /// A credential in the usual header, after a `scheme` of the vendor's own.
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

/// The value of a header with a credential in it, after `scheme`.
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
