//! Construction of areas with many dependencies.

use std::sync::Arc;

use adapters_http::{ApiViews, outbound::sealer::AesSealer};
use adapters_providers::{ChatModel, HttpClient};
use usecases::{
    audience::contact_jobs::ContactJobs,
    content::writing::Content,
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
    shared::bounds::Bounds,
    webhooks::webhook_endpoints::{WebhookEndpoints, WebhookEndpointsDeps},
};

use super::{StartError, UseCaseDeps};
use crate::config::Environment;

impl UseCaseDeps<'_> {
    pub(super) fn api_keys(&self) -> ApiKeys {
        let (store, policies) = (Arc::clone(&self.store) as _, self.policies.clone());
        let keys = ApiKeys::new(store, policies, Arc::clone(&self.clock), Arc::clone(&self.random));
        keys.broadcasting(Arc::clone(&self.signals) as _)
    }

    pub(super) fn campaigns(&self) -> Campaigns {
        let campaigns = Campaigns::new(CampaignsDeps {
            campaigns: Arc::clone(&self.store) as _,
            templates: Arc::clone(&self.store) as _,
            segments: Arc::clone(&self.segments) as _,
            contacts: Arc::clone(&self.store) as _,
            audience: Arc::clone(&self.segments) as _,
            providers: Arc::clone(&self.providers),
            prices: self.prices.clone(),
            clock: Arc::clone(&self.clock),
        });
        campaigns
            .linking(Arc::clone(&self.links))
            .within(Bounds::new(Arc::clone(&self.store) as _))
            .waking(Arc::clone(&self.signals) as _)
            .broadcasting(Arc::clone(&self.signals) as _)
    }

    pub(super) fn campaign_recipients(&self, messages: Messages) -> CampaignRecipients {
        let store = || Arc::clone(&self.store);
        let resends = Resends::new(store(), messages, store(), Arc::clone(&self.clock));
        CampaignRecipients::new(store(), store(), resends)
    }

    pub(super) fn contact_jobs(&self) -> ContactJobs {
        let jobs = ContactJobs::new(
            Arc::clone(&self.segments) as _,
            Arc::clone(&self.segments) as _,
            Arc::clone(&self.store) as _,
            Arc::clone(&self.clock),
        );
        jobs.within(Bounds::new(Arc::clone(&self.store) as _))
    }

    pub(super) fn log_exports(&self) -> LogExports {
        let (store, clock) = (|| Arc::clone(&self.store), || Arc::clone(&self.clock));
        LogExports::new(store(), DeliveryLogs::new(store(), clock()), clock())
    }

    pub(super) fn recommendations(&self) -> Recommendations {
        let store = || Arc::clone(&self.store);
        Recommendations::new(RecommendationsDeps {
            recommendations: store(),
            analytics: store(),
            wallets: store(),
            api_keys: store(),
            events: store(),
            webhook_endpoints: store(),
            clock: Arc::clone(&self.clock),
        })
    }

    pub(super) fn invoices(&self) -> Invoices {
        let store = || Arc::clone(&self.store);
        Invoices::new(InvoicesDeps {
            invoices: store(),
            wallets: store(),
            organizations: store(),
            credit: self.config.delivery.invoice_credit,
            clock: Arc::clone(&self.clock),
        })
    }

    pub(super) fn organization_limits(&self, messages: Messages) -> OrganizationLimits {
        let (usage, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let limits_velocity = self.config.delivery.velocity_limits;
        OrganizationLimits::new(usage, self.limits.clone(), messages, limits_velocity, clock)
    }

    pub(super) fn organizations(&self) -> Organizations {
        let store = || Arc::clone(&self.store);
        Organizations::new(OrganizationsDeps {
            repository: store(),
            wallets: store(),
            identity: store(),
            policies: self.policies.clone(),
            spending: Spending::new(store()),
        })
    }

    pub(super) fn second_factors(&self, session_secret: &[u8]) -> SecondFactors {
        SecondFactors::new(SecondFactorsDeps {
            repository: Arc::clone(&self.store) as _,
            users: Arc::clone(&self.store) as _,
            passwords: Arc::clone(&self.passwords) as _,
            sealer: self.sealer(session_secret),
            clock: Arc::clone(&self.clock),
            random: Arc::clone(&self.random),
            are_required: self.config.security.environment == Environment::Production,
        })
    }

    pub(super) fn request_keys(&self) -> Result<RequestKeys, StartError> {
        let sealer = self.sealer(self.jwt_secret()?.as_bytes());
        Ok(RequestKeys::new(Arc::clone(&self.store) as _, sealer, Arc::clone(&self.clock)))
    }

    /// Returns the sealer of all that is stored sealed. Its secret is that of sessions, unless there is
    /// one for that.
    fn sealer(&self, session_secret: &[u8]) -> Arc<AesSealer> {
        let secret = self.config.security.seal_secret.as_ref();
        Arc::new(AesSealer::new(secret.map_or(session_secret, String::as_bytes)))
    }

    pub(super) fn members(&self, messages: Messages) -> Members {
        let store = || Arc::clone(&self.store);
        Members::new(MembersDeps {
            organizations: store(),
            invitations: store(),
            users: store(),
            identity: store(),
            passwords: Arc::clone(&self.passwords) as _,
            audit_log: store(),
            mailer: Arc::new(messages),
            clock: Arc::clone(&self.clock),
            random: Arc::clone(&self.random),
            verifies_emails: self.config.security.email_verification,
            registration: self.config.security.registration,
        })
    }

    pub(super) fn tenants(&self, messages: Messages) -> Tenants {
        let store = || Arc::clone(&self.store);
        Tenants::new(TenantsDeps {
            repository: store(),
            organizations: store(),
            identity: store(),
            audit_log: store(),
            mailer: Arc::new(messages),
            policies: self.policies.clone(),
            clock: Arc::clone(&self.clock),
        })
    }

    pub(super) fn callbacks(&self) -> Callbacks {
        Callbacks::new(
            Arc::clone(&self.providers),
            self.deliveries.clone(),
            Arc::clone(&self.jobs) as _,
            Arc::clone(&self.callbacks) as _,
            Arc::clone(&self.clock),
        )
    }

    pub(super) fn closings(&self, messages: Messages) -> Closings {
        let store = || Arc::clone(&self.store);
        let closings = Closings::new(ClosingsDeps {
            closings: store(),
            organizations: store(),
            identity: store(),
            wallets: store(),
            corrections: store(),
            campaigns: store(),
            mailer: Arc::new(messages),
            audit_log: store(),
            policies: self.policies.clone(),
            clock: Arc::clone(&self.clock),
        });
        closings.cancelling(Arc::new(self.scheduled_messages()))
    }

    pub(super) fn scheduled_messages(&self) -> ScheduledMessages {
        let repository = self.jobs.scheduled_messages((*self.store).clone());
        ScheduledMessages::new(
            Arc::new(repository),
            Arc::clone(&self.store) as _,
            self.deliveries.clone(),
            Arc::clone(&self.clock),
        )
    }

    pub(super) fn platform_users(&self) -> PlatformUsers {
        let (users, factors) = (Arc::clone(&self.store), Arc::clone(&self.store));
        PlatformUsers::new(users, factors, Arc::clone(&self.store) as _, Arc::clone(&self.clock))
    }

    pub(super) fn wallet_corrections(&self) -> WalletCorrections {
        let (corrections, organizations) = (Arc::clone(&self.store), Arc::clone(&self.store));
        WalletCorrections::new(corrections, organizations, Arc::clone(&self.clock))
    }

    /// Builds the use case that writes texts, with the configured model if there is one.
    pub(super) fn content(&self) -> Result<Content, StartError> {
        let Some(settings) = &self.config.content else { return Ok(Content::by_rules()) };
        let http = HttpClient::new(Arc::clone(&self.clock))?;
        let content = Content::by_model(Arc::new(ChatModel::new(settings.clone(), http)?));
        Ok(content.within(Bounds::new(Arc::clone(&self.store) as _), self.limits.clone()))
    }

    pub(super) fn pricing(&self) -> Pricing {
        let store = || Arc::clone(&self.store);
        Pricing::new(store(), store(), store(), self.prices.clone(), Arc::clone(&self.clock))
    }

    pub(super) fn events(&self, messages: Messages) -> Events {
        let store = || Arc::clone(&self.store);
        Events::new(EventsDeps {
            events: store(),
            triggers: store(),
            templates: store(),
            contacts: store(),
            delivery_logs: store(),
            messages,
            known: self.event_cache.clone(),
            clock: Arc::clone(&self.clock),
        })
    }

    pub(super) fn top_ups(&self) -> TopUps {
        TopUps::new(TopUpsDeps {
            top_ups: Arc::clone(&self.store) as _,
            organizations: Arc::clone(&self.store) as _,
            payments: Arc::clone(&self.store) as _,
            gateway: self.gateway.gateway.clone(),
            invoices: self.invoices(),
            clock: Arc::clone(&self.clock),
            random: Arc::clone(&self.random),
        })
    }

    pub(super) fn webhook_endpoints(&self) -> WebhookEndpoints {
        let endpoints = WebhookEndpoints::new(WebhookEndpointsDeps {
            endpoints: Arc::clone(&self.store) as _,
            deliveries: Arc::clone(&self.store) as _,
            urls: Arc::clone(&self.webhooks.caller) as _,
            caller: Arc::clone(&self.webhooks.caller) as _,
            views: Arc::new(ApiViews),
            wakeup: Arc::clone(&self.webhooks.waker) as _,
            clock: Arc::clone(&self.clock),
            random: Arc::clone(&self.random),
        });
        endpoints.broadcasting(Arc::clone(&self.signals) as _)
    }
}
