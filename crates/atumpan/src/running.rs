//! Running messaging core.

use std::{sync::Arc, time::Duration};

use domain::{
    identity::{
        caller::{Caller, Identity},
        organization::{Organization, Profile, Role, Settings},
        policy::Policy,
    },
    money::pricing::PricingRule,
    shared::{channel::Channel, country::Country, id::Id, money::Money, trace::TraceHead},
};
use ports::{
    money::pricing::PRICING_RULE_TAKEN,
    providers::provider::ReportSink,
    shared::{clock::Clock, store::StoreError},
};
use runtime::{
    delivery_pool::RunningPool,
    report_relay::ReportRelay,
    supervisor::{Supervisor, TaskEnded},
};
use usecases::{
    Error,
    identity::provisioning::Provisioning,
    messaging::{callbacks::Callbacks, deliveries::Deliveries, messages::Messages},
};

use crate::store::{OpenStore, StorePorts};

/// Messages, deliveries and their workers, as a [`Builder`](crate::Builder) started them. Dropping it ends the workers at
/// once; [`stop`](Self::stop) lets them finish.
pub struct Atumpan {
    pub(crate) messages: Messages,
    pub(crate) deliveries: Deliveries,
    pub(crate) callbacks: Callbacks,
    pub(crate) ports: StorePorts,
    pub(crate) store: Arc<dyn OpenStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) relay: ReportRelay,
    pub(crate) pool: RunningPool,
    pub(crate) tasks: Supervisor,
    /// Tasks that write for senders and workers. They end last.
    pub(crate) writers: Supervisor,
}

impl Atumpan {
    /// Returns the operations on messages.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Returns the operations on accepted messages, which the workers use.
    pub fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }

    /// Returns the operations on callbacks of vendors.
    pub fn callbacks(&self) -> &Callbacks {
        &self.callbacks
    }

    /// Returns the sink for reports of providers in this process.
    pub fn reports(&self) -> Arc<dyn ReportSink> {
        Arc::new(self.relay.clone())
    }

    /// Returns the ports of the store.
    pub fn store(&self) -> &StorePorts {
        &self.ports
    }

    /// Creates an organization, whose wallet opens with `credit`.
    pub async fn create_organization(
        &self,
        name: &str,
        credit: Money,
    ) -> Result<Id<Organization>, StoreError> {
        let Self { ports, store, clock, .. } = self;
        let now = clock.now();
        let organization = Organization {
            id: Id::new(now),
            name: name.to_owned(),
            profile: Profile::default(),
            settings: Settings::default(),
            created_at: now,
        };
        store.insert_organization(&organization).await?;
        let (organizations, wallets) =
            (Arc::clone(&ports.organizations), Arc::clone(&ports.wallets));
        let provisioning = Provisioning::new(organizations, wallets, Arc::clone(clock), credit);
        provisioning.provision(organization.id).await?;
        Ok(organization.id)
    }

    /// Returns a caller that may do in an organization what its owner may. Fails if there is no such
    /// organization. The settings of the organization are those of the moment.
    pub async fn caller(&self, organization: Id<Organization>) -> Result<Caller, Error> {
        let settings = self.ports.organizations.settings(organization).await?;
        let settings = settings.ok_or(Error::NotFound("organization"))?;
        Ok(Caller {
            organization,
            identity: Identity::Member { user: Id::new(self.clock.now()), role: Role::Owner },
            policy: Arc::new(Policy { settings, ..Policy::default() }),
            trace: TraceHead::default(),
        })
    }

    /// Sets what one segment over a channel costs every organization, to a country or, with `None`, to those
    /// that have no price of their own. It holds for what is sent a second later.
    pub async fn set_price(
        &self,
        channel: Channel,
        country: Option<Country>,
        unit_price: Money,
    ) -> Result<(), StoreError> {
        let Self { ports, clock, .. } = self;
        let now = clock.now();
        let rule =
            PricingRule { id: Id::new(now), organization: None, channel, country, unit_price };
        let list = ports.pricing.price_list().await?;
        let is_same = |it: &&PricingRule| it.channel == channel && it.country == country;
        let replaced = list.general().iter().find(is_same).map(|it| it.id);
        if ports.pricing.begin_rule(&rule, replaced, now).await? {
            Ok(())
        } else {
            Err(StoreError::Conflict { constraint: PRICING_RULE_TAKEN.to_owned() })
        }
    }

    /// Returns the money in the wallet of an organization; none if it has no wallet.
    pub async fn balance(&self, organization: Id<Organization>) -> Result<Money, StoreError> {
        let wallet = self.ports.wallets.find(organization).await?;
        Ok(wallet.map(|wallet| wallet.balance).unwrap_or_default())
    }

    /// Waits for a part to end by itself, which happens only if it cannot go on.
    pub async fn ended(&mut self) -> TaskEnded {
        tokio::select! {
            ended = self.pool.ended() => ended,
            ended = self.tasks.ended() => ended,
            ended = self.writers.ended() => ended,
        }
    }

    /// Lets the workers finish, for at most `limit`, and gives back what waits. Returns false if some messages
    /// are still with their providers: whoever shares the store asks about them later.
    pub async fn stop(self, limit: Duration) -> bool {
        let Self { store, pool, mut tasks, mut writers, .. } = self;
        let have_ended = pool.stop(limit).await;
        tasks.stop().await;
        if have_ended && let Err(error) = store.leave().await {
            tracing::warn!(%error, "failed to sign this process off; others will take it for dead");
        }
        writers.stop().await;
        have_ended
    }
}
