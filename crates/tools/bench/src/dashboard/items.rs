//! Items that pages show, made by their owner.

mod organization;
mod platform;

use std::{
    error::Error,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{SIGN_IN, Sizes};
use crate::{
    harness::{Database, Service},
    http::{Connection, Request},
    tenant::{Tenant, call},
};

/// Pages of messages that failed.
const AGAIN: &str = "/app/messages/{id}/resend";
/// Pages of drafts of campaigns.
const DRAFT: [&str; 5] = [
    "/app/campaigns/{id}/audience",
    "/app/campaigns/{id}/text",
    "/app/campaigns/{id}/check",
    "/app/campaigns/{id}/time",
    "/app/campaigns/{id}/delete",
];
/// Pages of campaigns that have not begun.
const SCHEDULED: [&str; 2] = ["/app/campaigns/{id}/move", "/app/campaigns/{id}/cancel"];
/// Beginning of the page of a campaign.
const CAMPAIGN: &str = "/app/campaigns/";
/// Recipient of one in twenty messages, as the owner and as the log write it.
const FREQUENT: &str = "0240000001";
const FREQUENT_STORED: &str = "+233240000001";
/// Number of messages, the newest, of which those that failed are sent again.
const REPEATED: u64 = 1_250;
const BOUNDARY: &str = "part-of-the-form";
/// Longest time until the work in the background is done.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Items of an organization.
pub(super) struct Items {
    /// Beginnings of addresses, or whole ones, each with the identifier of the item that is found there.
    found: Vec<(&'static str, String)>,
    /// Completed campaign to most contacts.
    pub(super) campaign: String,
    /// Identifier of the organization.
    pub(super) organization: String,
}

/// Owner in front of a browser.
struct Owner<'a> {
    connection: &'a mut Connection,
    tenant: &'a Tenant,
}

impl Items {
    /// Creates the items, and waits until work in the background is done.
    pub(super) async fn make(
        service: &Service,
        database: &Database,
        tenant: &Tenant,
        campaign: String,
        sizes: Sizes,
    ) -> Result<Self, Box<dyn Error>> {
        let mut connection = Connection::open(service.address()).await?;
        let mut owner = Owner { connection: &mut connection, tenant };
        let mut found = vec![(CAMPAIGN, campaign.clone())];
        found.extend(written(database).await?);
        found.extend(owner.make_audience().await?);
        found.extend(owner.make_outreach(database).await?);
        found.extend(owner.make_records(database).await?);
        found.extend(owner.make_platform(service, database).await?);
        found.push(("/app/messages/exports/", owner.export().await?));
        found.push(("/app/contacts/import/check/", owner.hold_file().await?));
        let newest = format!("({NEWEST}) - interval '30 days' * {REPEATED} / {}", sizes.messages);
        let newest = json!({"from": time(database, &newest).await?});
        let resend = owner.create("/messages/resend", &newest).await?;
        found.push(("/app/resend/", resend));
        let began = Instant::now();
        while database.number(UNFINISHED).await? > 0 {
            if began.elapsed() > TIMEOUT {
                return Err("the work in the background does not end".into());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(Self { found, campaign, organization: tenant.organization.clone() })
    }

    /// Returns the address of a page with an item in place of its parameter.
    pub(super) fn address(&self, page: &str) -> Result<String, Box<dyn Error>> {
        let Some((beginning, _)) = page.split_once("{id}") else { return Ok(page.to_owned()) };
        let find = |place: &str| self.found.iter().find(|(known, _)| *known == place);
        let (_, id) = find(page)
            .or_else(|| find(beginning))
            .ok_or_else(|| format!("nothing is made that {page} shows"))?;
        Ok(page.replace("{id}", id))
    }
}

impl Owner<'_> {
    async fn make_audience(&mut self) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
        let segment = json!({"name": "VIPs", "rules": {"tags": "VIP"}});
        let entry = json!({"phone": "0209876543", "reason": "asked for it by telephone"});
        let contacts = "phone,firstName,Town\n0271234567,Yaw,Ho\n12,Akua,Tamale\n";
        let contacts = self.tenant.upload("/contacts/import", "contacts.csv", contacts);
        let entries = "phone,reason\n0271112222,asked for it\n12,asked for it\n";
        let entries = self.tenant.upload("/compliance/suppression/import", "stop.csv", entries);
        Ok(vec![
            ("/app/segments/", self.create("/segments", &segment).await?),
            ("/app/suppressions/", self.create("/compliance/suppression", &entry).await?),
            ("/app/contacts/import/", self.id_of(&contacts).await?),
            ("/app/suppressions/import/", self.id_of(&entries).await?),
        ])
    }

    async fn make_outreach(
        &mut self,
        database: &Database,
    ) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
        let body = "Akwaaba {{firstName}}, your parcel is ready.";
        let template = json!({"name": "Parcel", "channel": "SMS", "body": body});
        let template = self.create("/templates", &template).await?;
        let event = json!({"name": "Parcel", "slug": "parcel", "templateId": template});
        let event = self.create("/events", &event).await?;
        let mut campaign = json!({
            "name": "Easter sale", "channel": "SMS",
            "body": "Hello {{firstName}}, our sale begins on Saturday. Reply STOP to opt out",
        });
        let draft = self.create("/campaigns", &campaign).await?;
        campaign["scheduledAt"] = json!(time(database, "now() + interval '1 day'").await?);
        let scheduled = self.create("/campaigns", &campaign).await?;
        let sent = self.tenant.post(&format!("/campaigns/{scheduled}/send"), &json!({}));
        call(self.connection, &sent).await?;
        let mut made = vec![("/app/templates/", template), ("/app/events/", event)];
        made.extend(DRAFT.map(|page| (page, draft.clone())));
        made.extend(SCHEDULED.map(|page| (page, scheduled.clone())));
        Ok(made)
    }

    /// Has the messages to one recipient written into a file, and returns the identifier of that work.
    async fn export(&mut self) -> Result<String, Box<dyn Error>> {
        let form = format!("form-token={}&recipient={FREQUENT}", self.form_token().await?);
        self.submit("/app/messages/exports", "application/x-www-form-urlencoded", &form).await
    }

    /// Uploads a file without importing it, and returns its identifier.
    async fn hold_file(&mut self) -> Result<String, Box<dyn Error>> {
        let token = self.form_token().await?;
        let form = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"form-token\"\r\n\r\n{token}\r\n\
             --{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"held.csv\"\r\n\
             content-type: text/csv\r\n\r\nPhone,Town\n0241112222,Ho\n12,Wa\n\r\n--{BOUNDARY}--\r\n"
        );
        let media_type = format!("multipart/form-data; boundary={BOUNDARY}");
        self.submit("/app/contacts/import", &media_type, &form).await
    }

    /// Creates an item by the API, and returns its identifier.
    async fn create(&mut self, path: &str, item: &Value) -> Result<String, Box<dyn Error>> {
        let request = self.tenant.post(path, item);
        self.id_of(&request).await
    }

    async fn id_of(&mut self, request: &Request) -> Result<String, Box<dyn Error>> {
        let made = call(self.connection, request).await?;
        let id = made["id"].as_str().ok_or_else(|| format!("no identifier: {made}"))?;
        Ok(id.to_owned())
    }

    /// Sends a form of a page, and returns the identifier at the end of the address that follows.
    async fn submit(
        &mut self,
        path: &str,
        media_type: &str,
        form: &str,
    ) -> Result<String, Box<dyn Error>> {
        let answer = self.connection.fetch(&self.tenant.submit(path, (media_type, form))).await?;
        match answer.location.strip_prefix(path).and_then(|rest| rest.rsplit_once('/')) {
            Some((_, id)) if answer.status == 303 => Ok(id.to_owned()),
            _ => Err(format!("{path} answered {} {}", answer.status, answer.location).into()),
        }
    }

    async fn form_token(&mut self) -> Result<String, Box<dyn Error>> {
        let page = self.connection.fetch(&self.tenant.visit(SIGN_IN, "identity")).await?;
        let page = String::from_utf8(page.body)?;
        let token = page.split_once("name=\"form-token\" value=\"");
        let token = token.and_then(|(_, rest)| rest.split('"').next());
        Ok(token.ok_or("the sign-in page has no form")?.to_owned())
    }
}

/// Returns items that were filled in.
async fn written(database: &Database) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    let contact = format!("SELECT id::text FROM contacts WHERE phone = '{FREQUENT_STORED}'");
    Ok(vec![
        ("/app/messages/", text(database, NEWEST_DELIVERED).await?),
        (AGAIN, text(database, FAILED).await?),
        ("/app/contacts/", text(database, &contact).await?),
    ])
}

/// Returns the time that an expression of SQL stands for, as the API reads it.
async fn time(database: &Database, expression: &str) -> Result<String, Box<dyn Error>> {
    let format = r#"YYYY-MM-DD"T"HH24:MI:SS"Z""#;
    let time = format!("SELECT to_char(({expression}) AT TIME ZONE 'UTC', '{format}')");
    text(database, &time).await
}

/// Returns the single text of a query.
pub(super) async fn text(database: &Database, query: &str) -> Result<String, Box<dyn Error>> {
    Ok(database.client().query_one(query, &[]).await?.try_get(0)?)
}

/// Time of the newest message.
const NEWEST: &str = "SELECT created_at FROM delivery_logs ORDER BY id DESC LIMIT 1";

/// Other organizations have messages too, but none to this recipient.
const NEWEST_DELIVERED: &str = "\
    SELECT id::text FROM delivery_logs WHERE recipient = '+233240000001' AND failed_at IS NULL \
    ORDER BY id DESC LIMIT 1";

/// The newest ones have been sent again.
const FAILED: &str = "\
    SELECT id::text FROM delivery_logs WHERE error_code = 'UNDELIVERED' \
    ORDER BY id DESC OFFSET 100 LIMIT 1";

const UNFINISHED: &str = "\
    SELECT (SELECT count(*) FROM imports WHERE status IN ('QUEUED', 'PROCESSING')) \
        + (SELECT count(*) FROM log_exports WHERE kept_until IS NULL) \
        + (SELECT count(*) FROM resend_tasks WHERE completed_at IS NULL)";
