//! Construction of areas with many dependencies.

use std::sync::Arc;

use adapters_http::{ApiViews, outbound::sealer::AesSealer};
use adapters_providers::{ChatModel, HttpClient};
use usecases::{
    content::writing::Content,
    identity::{
        members::{Members, MembersDeps},
        organizations::{Organizations, OrganizationsDeps},
        second_factors::{SecondFactors, SecondFactorsDeps},
        spending::Spending,
    },
    messaging::messages::Messages,
    money::{
        invoices::{Invoices, InvoicesDeps},
        pricing::Pricing,
        top_ups::{TopUps, TopUpsDeps},
    },
    outreach::{
        campaigns::{Campaigns, CampaignsDeps},
        events::{Events, EventsDeps},
    },
    platform::{
        organization_limits::OrganizationLimits,
        recommendations::{Recommendations, RecommendationsDeps},
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

    /// Builds the use case of second factors, whose secrets are sealed by the secret of sessions unless
    /// there is one for that.
    pub(super) fn second_factors(&self, session_secret: &[u8]) -> SecondFactors {
        let security = &self.config.security;
        let secret = security.seal_secret.as_ref().map_or(session_secret, String::as_bytes);
        SecondFactors::new(SecondFactorsDeps {
            repository: Arc::clone(&self.store) as _,
            users: Arc::clone(&self.store) as _,
            passwords: Arc::clone(&self.passwords) as _,
            sealer: Arc::new(AesSealer::new(secret)),
            clock: Arc::clone(&self.clock),
            random: Arc::clone(&self.random),
            are_required: security.environment == Environment::Production,
        })
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
