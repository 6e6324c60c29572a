//! Items that administrators of the platform see.

use std::error::Error;

use serde_json::json;

use super::{Owner, text};
use crate::{
    harness::{Database, Service},
    tenant::{Tenant, call},
};

impl Owner<'_> {
    /// Creates a price, a plan and a sending window, has another organization write a text that needs
    /// approval, and returns these with a recorded payment exception and the own organization.
    pub(super) async fn make_platform(
        &mut self,
        service: &Service,
        database: &Database,
    ) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
        let organization = &self.tenant.organization;
        let price = json!({
            "organizationId": organization, "channel": "SMS", "countryCode": "NG", "unitPrice": 0.05,
        });
        let plan = json!({
            "name": "Traders at the market", "monthlyFee": 99.5, "includedMessages": 500,
            "features": ["Campaigns", "Three members"],
        });
        let window = json!({
            "countryCode": "NG", "category": "MARKETING", "weekdays": ["MONDAY", "FRIDAY"],
            "opens": "08:00", "closes": "20:00", "utcOffset": "+01:00", "isActive": true,
            "source": "terms of the operator",
        });
        Ok(vec![
            ("/app/admin/tenants/", organization.clone()),
            ("/app/admin/approvals/", self.wait_for_approval(service, database).await?),
            ("/app/admin/pricing/", self.create("/admin/pricing", &price).await?),
            ("/app/admin/pricing/plans/", self.create("/admin/pricing/plans", &plan).await?),
            ("/app/admin/sending-windows/", self.create("/admin/sending-windows", &window).await?),
            ("/app/admin/payment-exceptions/", text(database, OPEN_EXCEPTION).await?),
        ])
    }

    /// Has another organization write a text that needs approval, and returns the approval.
    async fn wait_for_approval(
        &mut self,
        service: &Service,
        database: &Database,
    ) -> Result<String, Box<dyn Error>> {
        let author = Tenant::found(service.address(), 1).await?;
        let template = json!({
            "name": "Premium won", "channel": "SMS", "category": "INSURANCE",
            "body": "You won GHS 5,000! Send your MoMo PIN to claim it.",
        });
        call(self.connection, &author.post("/templates", &template)).await?;
        let approval = APPROVAL_OF.replace("$organization", &author.organization);
        text(database, &approval).await
    }
}

const APPROVAL_OF: &str = "\
    SELECT id::text FROM approvals WHERE organization_id = '$organization' AND closed_at IS NULL";

const OPEN_EXCEPTION: &str = "\
    SELECT id::text FROM payment_exceptions WHERE resolved_at IS NULL ORDER BY id DESC LIMIT 1";
