//! Member who visits pages, with the cookie of a session.

use acceptance::{Answer, Tenant};
use reqwest::{Client, Method, RequestBuilder, redirect::Policy};

use crate::dashboard::forms::token_in;

/// Page with a form for everybody.
const SIGN_IN: &str = "/app/sign-in";
/// Name of the field with the token.
pub(crate) const TOKEN: &str = "form-token";
/// Boundary of the parts of a form with a file.
const BOUNDARY: &str = "part-of-the-form";

/// Member with a session.
pub(crate) struct Visitor {
    http: Client,
    url: String,
    cookie: String,
}

impl Visitor {
    /// Returns the owner of an organization.
    pub(crate) fn of(tenant: &Tenant<'_>) -> Self {
        Self::member(tenant, &tenant.token)
    }

    /// Returns the user with that token of a session, at the service of `tenant`.
    pub(crate) fn member(tenant: &Tenant<'_>, token: &str) -> Self {
        // Redirections are answers of their own.
        let http = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        let cookie = format!("atumpan={token}");
        Self { http, url: tenant.world.url.clone(), cookie }
    }

    /// Returns this visitor with another cookie besides.
    #[must_use]
    pub(crate) fn with_cookie(mut self, name: &str, value: &str) -> Self {
        self.cookie = format!("{}; {name}={value}", self.cookie);
        self
    }

    /// Opens a page.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        Answer::to(self.request(Method::GET, path)).await.unwrap()
    }

    /// Returns the token of a form that a page gives to this visitor.
    pub(crate) async fn form_token(&self) -> String {
        let page = self.get(SIGN_IN).await;
        token_in(&page.text).unwrap_or_else(|| panic!("no form: {}", page.text)).to_owned()
    }

    /// Sends the fields of a form, with a valid token, as a browser does.
    pub(crate) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.form_token().await;
        let mut all = vec![(TOKEN, token.as_str())];
        all.extend(fields);
        let request = self.request(Method::POST, path).header("Sec-Fetch-Site", "same-origin");
        Answer::to(request.form(&all)).await.unwrap()
    }

    /// Sends a form with a CSV file, as a browser does.
    pub(crate) async fn upload(&self, path: &str, file: &str) -> Answer {
        let token = self.form_token().await;
        let body = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{TOKEN}\"\r\n\r\n{token}\r\n\
             --{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\
             content-type: text/csv\r\n\r\n{file}\r\n--{BOUNDARY}--\r\n"
        );
        let request = self
            .request(Method::POST, path)
            .header("Sec-Fetch-Site", "same-origin")
            .header("Content-Type", format!("multipart/form-data; boundary={BOUNDARY}"));
        Answer::to(request.body(body)).await.unwrap()
    }

    /// Returns the origin of the service.
    pub(crate) fn origin(&self) -> &str {
        &self.url
    }

    /// Returns a request with the cookie and nothing else.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        request.header("Cookie", &self.cookie)
    }
}
