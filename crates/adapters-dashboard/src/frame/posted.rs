//! Forms that a browser sent.

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Bytes, BytesMut};
use actix_web::{FromRequest, HttpRequest};
use adapters_http::{edge::Edge, outbound::random::SystemRandom};
use domain::shared::fault::Faults;
use futures_util::{StreamExt, future::LocalBoxFuture};
use ports::shared::random::Random;

use crate::frame::cookies::{CookieName, Cookies};
use crate::frame::failure::StaleForm;
use crate::frame::form_token::FormSecret;
use crate::frame::origin::FormOrigin;
use crate::frame::{Failure, Form, Labels};

/// Name of the hidden field with the form's token. In a form with a file it comes before the file.
pub(crate) const TOKEN: &str = "form-token";
/// Name of the hidden field by which a form acts once.
const ONCE: &str = "once";
/// Maximum size of a form, in bytes.
const MAX: usize = 1 << 20;
/// Number of bytes that are read of a form that is too large: a browser that still sends when the
/// answer comes would not see it.
const MAX_READ: usize = 8 << 20;
/// Maximum number of fields of a form: pages look for fields by their names, again and again.
const MAX_FIELDS: usize = 1_000;
/// Media type of forms without files.
const URLENCODED: &[u8] = b"application/x-www-form-urlencoded";

/// Form that came from a page of this service.
#[derive(Debug, Clone, Default)]
pub(crate) struct Posted {
    fields: Vec<(String, String)>,
    once: Option<String>,
}

impl Posted {
    /// Returns a field without blanks around it; `None` if it is missing or blank.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let text = self.raw(name).trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Returns a field as it was written, `""` if it is missing: passwords, and texts whose blanks
    /// count.
    pub(crate) fn raw(&self, name: &str) -> &str {
        let field = self.fields.iter().find(|(known, _)| known == name);
        field.map_or("", |(_, value)| value)
    }

    /// Returns all values of a field.
    pub(crate) fn all<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        let fields = self.fields.iter().filter(move |(known, _)| known == name);
        fields.map(|(_, value)| value.as_str())
    }

    /// Returns the lines of a field that are not blank.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let lines = self.raw(name).lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// Returns a password, blanks included; `None` if it is empty.
    pub(crate) fn password(&self, name: &str) -> Option<String> {
        Some(self.raw(name).to_owned()).filter(|password| !password.is_empty())
    }

    /// True if the checkbox is ticked, or the button with that name was pressed.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.fields.iter().any(|(known, _)| known == name)
    }

    /// Returns the value of a field as a `T`; `None` if it is blank. A text that is none is a fault.
    pub(crate) fn parsed<T>(&self, name: &str, faults: &mut Faults) -> Option<T>
    where
        T: std::str::FromStr<Err: std::fmt::Display>,
    {
        let text = self.text(name)?;
        faults.take(name, text.parse())
    }

    pub(crate) fn fields(&self) -> &[(String, String)] {
        &self.fields
    }

    /// Returns the form to show it again as it was written.
    pub(crate) fn form(&self, labels: Labels) -> Form {
        Form::filled(labels, self.fields.clone())
    }

    /// Returns the key by which the form acts once, if its page gave one.
    pub(crate) fn once(&self) -> Option<&str> {
        self.once.as_deref()
    }

    /// Returns a form with these fields.
    #[cfg(test)]
    pub(crate) fn of_fields(fields: &[(&str, &str)]) -> Self {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { fields: fields.collect(), once: None }
    }

    /// Reads the fields, and the form's token. Fails if there are too many.
    fn read(bytes: &[u8]) -> Result<(Self, String), Failure> {
        let (mut token, mut once) = (String::new(), None);
        let mut fields = Vec::new();
        for (name, value) in form_urlencoded::parse(bytes).into_owned() {
            match name.as_str() {
                TOKEN => token = value,
                ONCE => once = Some(value),
                _ if fields.len() == MAX_FIELDS => return Err(Failure::TooLarge),
                // Browsers write the ends of lines as those of mails.
                _ => fields.push((name, value.replace("\r\n", "\n"))),
            }
        }
        Ok((Self { fields, once }, token))
    }

    fn of(request: &HttpRequest, bytes: &[u8]) -> Result<Self, Failure> {
        let is_form = request.headers().get(CONTENT_TYPE).is_some_and(|media_type| {
            media_type.as_bytes().to_ascii_lowercase().starts_with(URLENCODED)
        });
        if !is_form {
            return Err(Failure::Forged);
        }
        let (posted, token) = Self::read(bytes)?;
        check(request, &token, &posted)?;
        Ok(posted)
    }
}

/// Refuses a form that did not come from a page that this service gave to the browser. If only the
/// session or the organization changed, what was `posted` is shown again.
pub(crate) fn check(request: &HttpRequest, token: &str, posted: &Posted) -> Result<(), Failure> {
    let edge = Edge::of(request)?;
    let origin = FormOrigin::of(&edge, request);
    if origin == FormOrigin::Foreign {
        return Err(Failure::Forged);
    }
    let cookies = Cookies::of(&edge.api().public_url);
    let cookie = cookies
        .read(request, CookieName::Session)
        .or_else(|| cookies.read(request, CookieName::Guest));
    let secret = cookie.map(|cookie| FormSecret::of(&cookie, cookies.organization(request)));
    match secret {
        Some(secret) if secret.made(token) => Ok(()),
        Some(secret) if origin == FormOrigin::Own => {
            let is_shown =
                |(name, _): &&(String, String)| !name.to_ascii_lowercase().contains("password");
            Err(Failure::StaleForm(Box::new(StaleForm {
                action: request.path().to_owned(),
                fields: posted.fields.iter().filter(is_shown).cloned().collect(),
                once: posted.once.clone(),
                token: secret.token(SystemRandom.secret()),
            })))
        }
        None if origin == FormOrigin::Own => Err(Failure::SignIn(String::new())),
        _ => Err(Failure::Forged),
    }
}

impl FromRequest for Posted {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let bytes = body(payload).await.map_err(|_| Failure::TooLarge)?;
            Self::of(&request, &bytes)
        })
    }
}

/// Returns the body of a request. Fails if it is too long or does not arrive.
async fn body(mut payload: Payload) -> Result<Bytes, PayloadError> {
    let (mut bytes, mut read) = (BytesMut::new(), 0);
    while let Some(piece) = payload.next().await {
        let piece = piece?;
        read += piece.len();
        if read > MAX_READ {
            break;
        }
        if read <= MAX {
            bytes.extend_from_slice(&piece);
        }
    }
    if read > MAX { Err(PayloadError::Overflow) } else { Ok(bytes.freeze()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_written() {
        let (posted, token) =
            Posted::read(b"form-token=abc&text=Hello%0D%0AAma+&tag=vip&tag=+&tag=new&once=k1")
                .unwrap();
        assert_eq!((token.as_str(), posted.once()), ("abc", Some("k1")));
        assert_eq!(
            (posted.raw("text"), posted.text("text").as_deref()),
            ("Hello\nAma ", Some("Hello\nAma"))
        );
        assert!(posted.is_set("tag") && !posted.is_set("form-token"));
    }
    #[test]
    fn a_form_with_too_many_fields_is_refused() {
        let form = |fields: usize| "a=1&".repeat(fields) + "form-token=abc&once=k1";
        assert!(Posted::read(form(MAX_FIELDS).as_bytes()).is_ok());
        let refused = Posted::read(form(MAX_FIELDS + 1).as_bytes());
        assert!(matches!(refused, Err(Failure::TooLarge)));
    }
}
