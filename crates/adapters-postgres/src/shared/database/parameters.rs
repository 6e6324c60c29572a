//! Address of a database as operators write it, with parameters that the client does not
//! understand.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;

use crate::shared::database::{config_error::ConfigError, tls::TlsSettings};

/// Parsed address.
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    /// Settings that the client understands.
    pub(crate) config: Config,
    /// Settings of TLS.
    pub(crate) tls: TlsSettings,
}

impl Parameters {
    /// Reads a `postgres://…` URL or a list of `key=value` pairs.
    pub(crate) fn read(address: &str) -> Result<Self, ConfigError> {
        let is_url = ["postgres://", "postgresql://"].iter().any(|it| address.starts_with(it));
        let Split { rest, mode, root } =
            if is_url { split_url(address)? } else { split_pairs(address) };
        let config: Config = rest.parse().map_err(ConfigError::Url)?;
        Ok(Self { config, tls: TlsSettings::read(mode.as_deref(), root)? })
    }
}

const MODE: &str = "sslmode";
const ROOT: &str = "sslrootcert";

/// Address without its parameters of TLS, and these.
#[derive(Debug, Default, PartialEq, Eq)]
struct Split {
    rest: String,
    mode: Option<String>,
    root: Option<String>,
}

impl Split {
    /// Takes a parameter if it is about TLS.
    fn takes(&mut self, name: &str, value: impl FnOnce() -> String) -> bool {
        match name {
            MODE => self.mode = Some(value()),
            ROOT => self.root = Some(value()),
            _ => return false,
        }
        true
    }
}

/// The user and the password end at the first `@`, and the host begins there: another one before
/// the parameters belongs to a password that was not encoded, and that must not be shown as a host.
fn split_url(url: &str) -> Result<Split, ConfigError> {
    let after_user = url.find('@').map_or(0, |at| at + 1);
    let query = url[after_user..].find('?').map(|at| after_user + at);
    let (address, query) = query.map_or((url, ""), |at| (&url[..at], &url[at + 1..]));
    if after_user > 0 && address[after_user..].contains(['@', '#']) {
        return Err(ConfigError::Unencoded);
    }
    let mut split = Split { rest: address.to_owned(), ..Split::default() };
    let mut separator = '?';
    for parameter in query.split('&').filter(|it| !it.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let decoded = || percent_decode_str(value).decode_utf8_lossy().into_owned();
        if !split.takes(name, decoded) {
            split.rest.push(separator);
            split.rest.push_str(parameter);
            separator = '&';
        }
    }
    Ok(split)
}

/// Pairs are separated by spaces; a value with spaces is quoted, and a backslash escapes.
fn split_pairs(pairs: &str) -> Split {
    let mut split = Split::default();
    let mut left = pairs.trim_start();
    while let Some((name, after)) = left.split_once('=') {
        let value = after.trim_start();
        let end = end_of_value(value);
        if !split.takes(name.trim(), || unquoted(&value[..end]).into_owned()) {
            let begin = left.len() - value.len();
            split.rest.push_str(&left[..begin + end]);
            split.rest.push(' ');
        }
        left = value[end..].trim_start();
    }
    split.rest.push_str(left);
    split
}

fn end_of_value(value: &str) -> usize {
    let is_quoted = value.starts_with('\'');
    let mut is_escaped = false;
    for (index, character) in value.char_indices().skip(usize::from(is_quoted)) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\'' if is_quoted => return index + 1,
            _ if !is_quoted && character.is_whitespace() => return index,
            _ => {}
        }
    }
    value.len()
}

fn unquoted(value: &str) -> Cow<'_, str> {
    let inner = value.strip_prefix('\'').map_or(value, |it| it.strip_suffix('\'').unwrap_or(it));
    if !inner.contains('\\') {
        return inner.into();
    }
    let mut characters = inner.chars();
    let mut text = String::new();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(rest: &str, mode: Option<&str>, root: Option<&str>) -> Split {
        Split {
            rest: rest.to_owned(),
            mode: mode.map(str::to_owned),
            root: root.map(str::to_owned),
        }
    }

    #[test]
    fn splits_tls_parameters_from_a_url() {
        for (url, expected) in [
            ("postgres://a:p@h/db", split("postgres://a:p@h/db", None, None)),
            (
                "postgres://a:p?x=1@h/db?sslmode=verify-full&connect_timeout=7",
                split("postgres://a:p?x=1@h/db?connect_timeout=7", Some("verify-full"), None),
            ),
            (
                "postgres:///db?host=/run&sslrootcert=%2Fetc%2Fmy%20ca.pem&sslmode=require",
                split("postgres:///db?host=/run", Some("require"), Some("/etc/my ca.pem")),
            ),
        ] {
            assert_eq!(split_url(url).unwrap(), expected, "{url}");
        }
    }

    #[test]
    fn splits_tls_parameters_from_pairs() {
        for (pairs, expected) in [
            ("host=h user=a", split("host=h user=a ", None, None)),
            (
                r"host=h sslmode = verify-ca password='a b\'s' sslrootcert='/my \'ca\'.pem' user=a",
                split(r"host=h password='a b\'s' user=a ", Some("verify-ca"), Some("/my 'ca'.pem")),
            ),
            (r"password=a\ sslmode=x user=a", split(r"password=a\ sslmode=x user=a ", None, None)),
        ] {
            assert_eq!(split_pairs(pairs), expected, "{pairs}");
        }
    }

    #[test]
    fn refuses_an_unencoded_password_instead_of_showing_it_as_a_host() {
        for url in ["postgres://a:p@w#1@127.0.0.1:5432/db", "postgresql://a:p@/w@h/db"] {
            let error = Parameters::read(url).unwrap_err().to_string();
            assert!(error.contains("%40") && !error.contains("w#1"), "{error}");
        }
        assert!(Parameters::read("postgres://a:p%40w%231@127.0.0.1:5432/db").is_ok());
    }
}
