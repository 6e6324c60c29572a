//! Construction of areas with many dependencies.

use std::sync::Arc;

use adapters_http::{ApiViews, outbound::sealer::AesSealer};
use usecases::{
    audience::contact_jobs::ContactJobs,
    content::{templates::Templates, writing::Content},
    identity::{
        api_keys::ApiKeys,
        members::{Members, MembersDeps},
        organizations::{Organizations, OrganizationsDeps},
        second_factors::{SecondFactors, SecondFactorsDeps},
        spending::Spending,
    },
    messaging::{
        callbacks::Callbacks, delivery_logs::DeliveryLogs, log_exports::LogExports,
        messages::Messages, resends::Resends, scheduled_messages::ScheduledMessages,
    },
    money::{
        invoices::{Invoices, InvoicesDeps},
        pricing::Pricing,
        top_ups::{TopUps, TopUpsDeps},
    },
    outreach::{
        campaign_recipients::CampaignRecipients,
        campaigns::{Campaigns, CampaignsDeps},
        events::{Events, EventsDeps},
    },
    platform::{
        closings::{Closings, ClosingsDeps},
        organization_limits::OrganizationLimits,
        recommendations::{Recommendations, RecommendationsDeps},
        request_keys::RequestKeys,
        tenants::{Tenants, TenantsDeps},
        users::PlatformUsers,
        wallet_corrections::WalletCorrections,
    },
    webhooks::webhook_endpoints::{WebhookEndpoints, WebhookEndpointsDeps},
};

use super::{StartError, UseCaseDeps, sessions};
use crate::config::Environment;

impl UseCaseDeps<'_> {
    pub(super) fn api_keys(&self) -> ApiKeys {
        ApiKeys::new(
            self.store(),
            self.core.policies.clone(),
            self.clock(),
            Arc::clone(&self.random),
            Arc::clone(&self.core.signals) as _,
        )
    }

    pub(super) fn campaigns(&self) -> Campaigns {
        Campaigns::new(CampaignsDeps {
            campaigns: self.store(),
            templates: self.store(),
            segments: Arc::clone(&self.segments) as _,
            contacts: self.store(),
            audience: Arc::clone(&self.segments) as _,
            providers: Arc::clone(&self.core.providers),
            prices: self.core.prices.clone(),
            links: Arc::clone(&self.core.links),
            wakeup: Arc::clone(&self.core.signals) as _,
            bounds: self.bounds(),
            change_broadcaster: Arc::clone(&self.core.signals) as _,
            clock: self.clock(),
        })
    }

    pub(super) fn campaign_recipients(&self, messages: Messages) -> CampaignRecipients {
        let resends = Resends::new(self.store(), messages, self.store(), self.clock());
        CampaignRecipients::new(self.store(), self.store(), resends)
    }

    pub(super) fn contact_jobs(&self) -> ContactJobs {
        ContactJobs::new(
            Arc::clone(&self.segments) as _,
            Arc::clone(&self.segments) as _,
            self.store(),
            self.bounds(),
            self.clock(),
        )
    }

    pub(super) fn log_exports(&self) -> LogExports {
        let delivery_logs = DeliveryLogs::new(self.store(), self.clock());
        LogExports::new(self.store(), delivery_logs, self.clock())
    }

    pub(super) fn templates(&self) -> Templates {
        let edits = Arc::new(self.core.event_cache.clone());
        Templates::new(self.store(), edits, self.bounds(), self.clock())
    }

    pub(super) fn recommendations(&self) -> Recommendations {
        Recommendations::new(RecommendationsDeps {
            recommendations: self.store(),
            analytics: self.store(),
            wallets: self.store(),
            api_keys: self.store(),
            events: self.store(),
            webhook_endpoints: self.store(),
            clock: self.clock(),
        })
    }

    pub(super) fn invoices(&self) -> Invoices {
        Invoices::new(InvoicesDeps {
            invoices: self.store(),
            wallets: self.store(),
            organizations: self.store(),
            credit: self.config.delivery.invoice_credit,
            clock: self.clock(),
        })
    }

    pub(super) fn organization_limits(&self, messages: Messages) -> OrganizationLimits {
        let (usage, clock) = (self.store(), self.clock());
        let limits_velocity = self.config.delivery.velocity_limits;
        OrganizationLimits::new(usage, self.limits.clone(), messages, limits_velocity, clock)
    }

    pub(super) fn organizations(&self) -> Organizations {
        Organizations::new(OrganizationsDeps {
            repository: self.store(),
            wallets: self.store(),
            identity: self.store(),
            policies: self.core.policies.clone(),
            spending: Spending::new(self.store()),
        })
    }

    pub(super) fn second_factors(&self, session_secret: &[u8]) -> SecondFactors {
        SecondFactors::new(SecondFactorsDeps {
            repository: self.store(),
            users: self.store(),
            passwords: Arc::clone(&self.passwords) as _,
            sealer: self.sealer(session_secret),
            clock: self.clock(),
            random: Arc::clone(&self.random),
            are_required: self.config.security.environment == Environment::Production,
        })
    }

    pub(super) fn request_keys(&self) -> Result<RequestKeys, StartError> {
        let sealer = self.sealer(sessions::secret(self.config, &*self.random)?.as_bytes());
        Ok(RequestKeys::new(self.store(), sealer, self.clock()))
    }

    /// Returns the sealer of all that is stored sealed. Its secret is that of sessions, unless there is
    /// one for that.
    fn sealer(&self, session_secret: &[u8]) -> Arc<AesSealer> {
        let secret = self.config.security.seal_secret.as_ref();
        Arc::new(AesSealer::new(secret.map_or(session_secret, String::as_bytes)))
    }

    pub(super) fn members(&self, messages: Messages) -> Members {
        Members::new(MembersDeps {
            organizations: self.store(),
            invitations: self.store(),
            users: self.store(),
            identity: self.store(),
            passwords: Arc::clone(&self.passwords) as _,
            audit_log: self.store(),
            mailer: Arc::new(messages),
            clock: self.clock(),
            random: Arc::clone(&self.random),
            verifies_emails: self.config.security.email_verification,
            registration: self.config.security.registration,
        })
    }

    pub(super) fn tenants(&self, messages: Messages) -> Tenants {
        Tenants::new(TenantsDeps {
            repository: self.store(),
            organizations: self.store(),
            identity: self.store(),
            audit_log: self.store(),
            mailer: Arc::new(messages),
            policies: self.core.policies.clone(),
            clock: self.clock(),
        })
    }

    pub(super) fn callbacks(&self) -> Callbacks {
        Callbacks::new(
            Arc::clone(&self.core.providers),
            self.core.deliveries.clone(),
            Arc::clone(&self.core.jobs) as _,
            Arc::clone(&self.callbacks) as _,
            self.clock(),
        )
    }

    pub(super) fn closings(&self, messages: Messages) -> Closings {
        Closings::new(ClosingsDeps {
            closings: self.store(),
            organizations: self.store(),
            identity: self.store(),
            wallets: self.store(),
            corrections: self.store(),
            campaigns: self.store(),
            scheduled: Arc::new(self.scheduled_messages()),
            mailer: Arc::new(messages),
            audit_log: self.store(),
            policies: self.core.policies.clone(),
            clock: self.clock(),
        })
    }

    pub(super) fn scheduled_messages(&self) -> ScheduledMessages {
        let repository = self.core.jobs.scheduled_messages((*self.store).clone());
        ScheduledMessages::new(
            Arc::new(repository),
            self.store(),
            self.core.deliveries.clone(),
            self.clock(),
        )
    }

    pub(super) fn platform_users(&self) -> PlatformUsers {
        let (users, factors) = (self.store(), self.store());
        PlatformUsers::new(users, factors, self.store(), self.clock())
    }

    pub(super) fn wallet_corrections(&self) -> WalletCorrections {
        let (corrections, organizations) = (self.store(), self.store());
        WalletCorrections::new(corrections, organizations, self.clock())
    }

    /// Builds the use case that writes texts, with the configured model if there is one.
    pub(super) fn content(&self) -> Content {
        match &self.reloading.model {
            Some(model) => {
                Content::by_model(Arc::clone(model) as _, self.bounds(), self.limits.clone())
            }
            None => Content::by_rules(),
        }
    }

    pub(super) fn pricing(&self) -> Pricing {
        Pricing::new(
            self.store(),
            self.store(),
            self.store(),
            self.core.prices.clone(),
            self.clock(),
        )
    }

    pub(super) fn events(&self, messages: Messages) -> Events {
        Events::new(EventsDeps {
            events: self.store(),
            triggers: self.store(),
            templates: self.store(),
            contacts: self.store(),
            delivery_logs: self.store(),
            messages,
            known: self.core.event_cache.clone(),
            clock: self.clock(),
        })
    }

    pub(super) fn top_ups(&self) -> TopUps {
        TopUps::new(TopUpsDeps {
            top_ups: self.store(),
            organizations: self.store(),
            payments: self.store(),
            gateway: self.gateway.payments.clone(),
            invoices: self.invoices(),
            clock: self.clock(),
            random: Arc::clone(&self.random),
        })
    }

    pub(super) fn webhook_endpoints(&self) -> WebhookEndpoints {
        WebhookEndpoints::new(WebhookEndpointsDeps {
            endpoints: self.store(),
            deliveries: self.store(),
            urls: Arc::clone(&self.core.webhooks.caller) as _,
            caller: Arc::clone(&self.core.webhooks.caller) as _,
            views: Arc::new(ApiViews),
            wakeup: Arc::clone(&self.core.webhooks.waker) as _,
            change_broadcaster: Arc::clone(&self.core.signals) as _,
            clock: self.clock(),
            random: Arc::clone(&self.random),
        })
    }
}
