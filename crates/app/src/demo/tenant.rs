//! Organizations of the demonstration with their people, audiences and texts.

use std::{ops::Range, sync::Arc};

use adapters_http::outbound::password::Argon2Hasher;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audience::{contact::Contact, segment::SegmentRequest, suppression::SuppressionRequest},
    content::{
        approval::Verdict,
        sender_name::SenderNameRequest,
        template::{TemplateFilter, TemplateText, TemplateUpdate},
    },
    identity::{
        actor::RequestId,
        caller::{Administrator, Caller, Identity},
        open_session::Client,
        organization::{Organization, Role},
        user::{Registration, User},
    },
    shared::{channel::Channel, fault::Faults, id::Id, page::Page, trace::TraceHead},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use ports::{
    audience::contacts::{ContactRepository, Inserted},
    identity::auth::UserRepository,
    shared::clock::Clock,
};
use usecases::identity::{admins::Admins, members::Addition};

use super::{
    chance::Chance,
    past_clock::PastClock,
    people,
    texts::{self, Text},
};
use crate::service::{PastService, StartError};

/// Number of contacts at the beginning of each list that want no messages.
pub(super) const OPTED_OUT: usize = 25;
/// Number of contacts that are written at the same time.
const AT_ONCE: usize = 8;

/// Organization with what it sends, and to whom.
pub(super) struct Tenant {
    /// Its owner, who does everything.
    pub(super) caller: Caller,
    /// The owner as a user.
    pub(super) owner: User,
    /// Sender of its text messages.
    pub(super) sender: &'static str,
    /// Its contacts, oldest first.
    pub(super) contacts: Vec<Contact>,
    /// Its texts with their templates. The first is for everybody who has a phone.
    pub(super) texts: Vec<Prepared>,
}

/// Text with its template.
pub(super) type Prepared = (Text, TemplateText);

/// People and texts of an organization that is made.
pub(super) struct Plan {
    /// Name of the organization.
    pub(super) name: &'static str,
    /// Owner: address, first name and last name.
    pub(super) owner: [&'static str; 3],
    /// Other members with their roles.
    pub(super) members: &'static [([&'static str; 3], Role)],
    /// Sender of its text messages.
    pub(super) sender: &'static str,
    /// Sender name that it does not get, for it is another company's.
    pub(super) unfit_sender: &'static str,
    /// Its texts.
    pub(super) texts: &'static [Text],
    /// Numbers of its contacts.
    pub(super) people: Range<u32>,
}

/// Returns the identifier of the requests that make the demonstration, for the audit log.
pub(super) fn request() -> RequestId {
    RequestId::new("demo")
}

/// Makes the platform administrator.
pub(super) async fn administrator(
    service: &PastService,
    clock: &Arc<PastClock>,
    (email, password): (&str, &str),
) -> Result<Administrator, StartError> {
    let hasher = Arc::new(Argon2Hasher::new());
    let admins = Admins::new(Arc::clone(&service.store) as _, hasher, Arc::clone(clock) as _);
    admins.create(email, password).await?;
    let user = service.store.find_by_email(email).await?;
    let user = user.ok_or("the administrator of the demo is missing")?;
    Ok(Administrator::of(&user, request())?)
}

impl Tenant {
    /// Makes an organization with its members, contacts and texts. Its promotions are decided by `admin`.
    pub(super) async fn make(
        service: &PastService,
        clock: &PastClock,
        (plan, password): (&Plan, &str),
        admin: &Administrator,
        now: DateTime<Utc>,
    ) -> Result<Self, StartError> {
        let registered = register(service, plan.owner, password, Some(plan.name)).await?;
        let (owner, organization) = registered;
        let organization = organization.ok_or("the organization of the demo is missing")?;
        let policy = service.core.policies.get(organization).await?.unwrap_or_default();
        let identity = Identity::Member { user: owner.id, role: Role::Owner };
        let caller = Caller { organization, identity, policy, trace: TraceHead::default() };
        for (member, role) in plan.members {
            let (user, _) = register(service, *member, password, None).await?;
            let addition = Addition { email: Some(user.email), role: *role };
            service.api.members.add(&caller, addition, request(), Faults::default()).await?;
        }
        let contacts = contacts(service, &caller, plan.people.clone(), (clock.now(), now)).await?;
        let mut tenant = Self { caller, owner, sender: plan.sender, contacts, texts: Vec::new() };
        tenant.make_lists(service).await?;
        clock.set(clock.now() + TimeDelta::minutes(20));
        tenant.make_texts(service, plan).await?;
        clock.set(clock.now() + TimeDelta::minutes(20));
        decide(service, admin).await?;
        tenant.read_texts(service, plan.texts).await?;
        Ok(tenant)
    }

    /// Makes the suppression list, and the segments.
    async fn make_lists(&self, service: &PastService) -> Result<(), StartError> {
        for contact in self.contacts.iter().take(OPTED_OUT) {
            let request = SuppressionRequest {
                phone: contact.phone.as_ref().map(ToString::to_string),
                reason: Some("asked at the counter to get no more messages".to_owned()),
                ..SuppressionRequest::default()
            };
            service.api.suppressions.create(&self.caller, request, Faults::default()).await?;
        }
        for (name, rules) in SEGMENTS {
            let request = SegmentRequest {
                name: Some((*name).to_owned()),
                rules: Some(rules.parse()?),
                ..SegmentRequest::default()
            };
            service.api.segments.create(&self.caller, request, Faults::default()).await?;
        }
        Ok(())
    }

    /// Makes the templates, and requests the sender names.
    async fn make_texts(&self, service: &PastService, plan: &Plan) -> Result<(), StartError> {
        let templates = &service.api.templates;
        for text in plan.texts.iter().chain([&texts::APPROVED, &texts::REJECTED]) {
            templates.create(&self.caller, text.request(), Faults::default()).await?;
        }
        for name in [plan.sender, plan.unfit_sender] {
            let request = SenderNameRequest {
                name: Some(name.to_owned()),
                channel: Some(Channel::Sms),
                country: None,
            };
            let names = &service.api.sender_names;
            names.request(&self.caller, request, Faults::default()).await?;
        }
        Ok(())
    }

    /// Reads the texts of the templates, once they are decided.
    async fn read_texts(
        &mut self,
        service: &PastService,
        texts: &[Text],
    ) -> Result<(), StartError> {
        let templates = &service.api.templates;
        let page = Page::new(None, Some(100)).map_err(usecases::Error::from)?;
        let made = templates.page(&self.caller, TemplateFilter::default(), page).await?;
        for text in texts {
            let template = made.items.iter().find(|template| template.name == text.name);
            let template = template.ok_or("a template of the demo is missing")?;
            // Lists show the beginning of a text alone.
            let (template, _) = templates.get(&self.caller, template.id).await?;
            self.texts.push((*text, TemplateText::from(&template)));
        }
        Ok(())
    }

    /// Requests what nobody has decided about: a template, whose first text is withdrawn, and a sender name.
    pub(super) async fn leave_pending(&self, service: &PastService) -> Result<(), StartError> {
        let templates = &service.api.templates;
        let request = texts::PENDING.request();
        let template = templates.create(&self.caller, request, Faults::default()).await?;
        let body = Some(texts::PENDING_AGAIN.to_owned());
        let update = TemplateUpdate { body, ..TemplateUpdate::default() };
        templates.update(&self.caller, template.id, update, Faults::default()).await?;
        let request = SenderNameRequest {
            name: Some(format!("{} GH", self.sender)),
            channel: Some(Channel::Sms),
            country: None,
        };
        service.api.sender_names.request(&self.caller, request, Faults::default()).await?;
        Ok(())
    }
}

/// Beginning of the sender names that no organization of the demo gets.
const UNFIT_SENDER: &str = "MTN ";
/// Segments of both organizations, with their rules.
const SEGMENTS: &[(&str, &str)] = &[
    ("Newsletter", r#"{"tags": ["newsletter"]}"#),
    ("People in Accra", r#"{"attributes.region": "Greater Accra"}"#),
    ("People in Ashanti", r#"{"attributes.region": "Ashanti"}"#),
    ("VIP with a mail address", r#"{"tags": ["vip"], "email": {"exists": true}}"#),
];

/// Registers a user and, if one is named, an organization that the user owns.
async fn register(
    service: &PastService,
    [email, first_name, last_name]: [&str; 3],
    password: &str,
    organization: Option<&str>,
) -> Result<(User, Option<Id<Organization>>), StartError> {
    let registration = Registration {
        email: Some(email.to_owned()),
        password: Some(password.to_owned()),
        first_name: Some(first_name.to_owned()),
        last_name: Some(last_name.to_owned()),
        organization_name: organization.map(str::to_owned),
    };
    let registered = service.api.auth.register(registration, Client::default(), Faults::default());
    let (session, organization) = registered.await?;
    Ok((session.user, organization.map(|organization| organization.id)))
}

/// Writes the contacts: most at the beginning, as an import does, and the others over the time until `now`.
async fn contacts(
    service: &PastService,
    caller: &Caller,
    people: Range<u32>,
    (begin, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<Contact>, StartError> {
    let mut chance = Chance::seeded(u64::from(people.start) + 1);
    let (first, count) = (people.start, people.len());
    let imported = i64::try_from(count * 7 / 10).unwrap_or_default();
    let later = i64::try_from(count).unwrap_or_default() - imported;
    let gap = (now - begin - TimeDelta::hours(2)).num_milliseconds() / later.max(1);
    let mut contacts = Vec::with_capacity(count);
    for number in people {
        let place = i64::from(number - first);
        let wait = if place < imported { place } else { (place - imported) * gap };
        let person = people::person(number, &mut chance);
        let contact = person.contact(caller.organization, begin + TimeDelta::milliseconds(wait));
        contacts.push(contact.map_err(usecases::Error::from)?);
    }
    contacts.sort_by_key(|contact| contact.created_at);
    let store = &service.store;
    stream::iter(&contacts)
        .map(|contact| async move {
            match ContactRepository::insert(&**store, contact).await? {
                Inserted::Done => Ok(()),
                refused => Err(StartError::from(format!("a contact is refused: {refused:?}"))),
            }
        })
        .buffer_unordered(AT_ONCE)
        .try_collect::<Vec<()>>()
        .await?;
    Ok(contacts)
}

/// Decides about everything that waits: rejects what is unfit, and approves the rest.
async fn decide(service: &PastService, admin: &Administrator) -> Result<(), StartError> {
    let page = Page::new(None, Some(100)).map_err(usecases::Error::from)?;
    for approval in service.api.approvals.pending(admin, page).await?.items {
        let is_unfit =
            approval.name == texts::REJECTED.name || approval.name.starts_with(UNFIT_SENDER);
        let decision = if is_unfit {
            let comment = "It passes for something that it is not. Please change it.";
            (Verdict::Rejected, Some(comment.to_owned()))
        } else {
            (Verdict::Approved, None)
        };
        service.api.approvals.decide(admin, approval.id, decision, Faults::default()).await?;
    }
    Ok(())
}
