//! `/contacts/delete`, `/contacts/tags` and `/contacts/jobs`

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode, web::Data};
use domain::{
    audience::{
        contact::{Contact, ContactFilter},
        contact_job::{
            ContactJob, ContactJobKind, ContactJobStatus, SelectionRequest, TagChangeRequest,
        },
    },
    identity::{actor::RequestId, caller::Caller, organization::Holding},
    shared::{fault::Faults, id::Id},
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    audience::contact_jobs::{ContactJobRequest, TOO_MANY_CONTACT_JOBS},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    audience::contacts::ContactView,
    shared::{
        answers::{self, Answer, schema_of_one},
        body::Body,
        caller::Member,
        cursor::{self, Cursor, Part},
        endpoint::{
            Area,
            describe::{Describe, Description},
            get, post_once,
        },
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{FromQuery, Parameters, Query},
        request_id::ThisRequest,
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Contact jobs",
        about: "Work on many contacts at once, in the background.",
        endpoints: vec![
            post_once("/contacts/delete", "deleteContacts", delete_many)
                .extension()
                .summary("Delete many contacts and erase the people.")
                .description(
                    "Takes the contacts that fit all conditions of the filter at this moment; \
                     contacts that are made or changed later are not selected anew. With `dryRun` \
                     they are only counted. Otherwise each of them is deleted as `DELETE \
                     /contacts/{id}` does it, some hundred at a time. A filter that cannot be \
                     evaluated within five seconds is a fault of the field `filter`.",
                )
                .refuses(Error::Conflict(TOO_MANY_CONTACT_JOBS)),
            post_once("/contacts/tags", "tagContacts", tag_many)
                .extension()
                .summary("Change the tags of many contacts.")
                .description(
                    "Selects the contacts as `POST /contacts/delete` does. Tags are compared \
                     without letter case. A contact that would have more than 50 tags keeps those \
                     that it has.",
                )
                .fills(&[Holding::ContactBytes])
                .refuses(Error::Conflict(TOO_MANY_CONTACT_JOBS)),
            get("/contacts/jobs", "listContactJobs", list)
                .extension()
                .summary("List jobs on many contacts.")
                .description("Newest first. A job is kept for 30 days after its end.")
                .answers("A part of the list."),
            get("/contacts/jobs/{id}", "getContactJob", show)
                .extension()
                .summary("Get a job on many contacts.")
                .answers("The job. Unless it failed, `done` is `count` at the end."),
        ],
    }
}

impl Identified for ContactJob {
    const NAME: &'static str = "contact job";
}

/// Filter of a selection.
#[derive(Default)]
struct SelectionFilter {
    filter: ContactFilter,
    ids: Option<Vec<Id<Contact>>>,
}

/// Request to delete the selected contacts.
struct Deletion(Command);

/// Request to change the tags of the selected contacts.
struct Tagging(Command);

/// Request for a job, and if it is only to be previewed.
struct Command {
    request: ContactJobRequest,
    is_dry_run: bool,
}

const FILTER: Field = field("filter").about("The conditions, all of which must fit.");
const ALL: Field =
    field("all").about("True to select all contacts; then the filter must be absent or empty.");
const DRY_RUN: Field = field("dryRun").about("True to count the contacts and change nothing.");

impl Command {
    fn from_fields(fields: &mut Fields, tags: Option<TagChangeRequest>) -> Self {
        let SelectionFilter { filter, ids } = fields.part(FILTER).unwrap_or_default();
        let all = fields.optional(ALL).unwrap_or_default();
        let selection = SelectionRequest { filter, ids, all };
        Self {
            request: ContactJobRequest { selection, tags, faults: Faults::default() },
            is_dry_run: fields.optional(DRY_RUN).unwrap_or_default(),
        }
    }

    /// Previews or begins the job.
    async fn run(
        mut self,
        caller: &Caller,
        api: &Api,
        made_by: RequestId,
        faults: Faults,
    ) -> Result<Selected, ApiError> {
        self.request.faults = faults;
        if self.is_dry_run {
            let found = api.contact_jobs.preview(caller, self.request).await?;
            let sample = api.contacts.shown(caller, found.sample).await?;
            let sample = sample.into_iter().map(ContactView::from).collect();
            return Ok(Selected::Preview(SelectedContactsView { count: found.count, sample }));
        }
        let job = api.contact_jobs.begin(caller, self.request, made_by).await?;
        Ok(Selected::Begun(BegunContactJobView { id: job.id.uuid(), count: job.count }))
    }
}

impl FromFields for SelectionFilter {
    const NAME: &'static str = "ContactFilterRequest";
    const ABOUT: &'static str =
        "Conditions that select contacts, all of which must fit. None of them may be null.";

    fn from_fields(fields: &mut Fields) -> Self {
        let search = field("search").limits(&[("maxLength", 200)]).about(
            "Only contacts whose name, phone or email contains this text, as in the list of \
             contacts.",
        );
        let tag = field("tag").about("Only contacts with this tag, in any letter case.");
        let segment = field("segmentId").about("Only contacts of this segment.");
        let suppressed = field("suppressed")
            .about("True for contacts of whom an address is suppressed, false for all others.");
        let ids = field("ids").limits(&[("maxItems", 1_000)]).about("Only these contacts.");
        Self {
            filter: ContactFilter {
                search: fields.condition(search),
                tag: fields.condition(tag),
                segment: fields.condition(segment),
                suppressed: fields.condition(suppressed),
                ..ContactFilter::default()
            },
            ids: fields.condition(ids),
        }
    }
}

impl FromFields for Deletion {
    const NAME: &'static str = "DeleteContactsRequest";
    const ABOUT: &'static str = "Contacts to delete.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self(Command::from_fields(fields, None))
    }

    fn example() -> Value {
        json!({ "filter": { "tag": "trial" }, "dryRun": true })
    }
}

impl FromFields for Tagging {
    const NAME: &'static str = "TagContactsRequest";
    const ABOUT: &'static str = "Contacts whose tags change.";

    fn from_fields(fields: &mut Fields) -> Self {
        let limits = &[("maxItems", 50)];
        let add = field("add").limits(limits).about("Tags that each of the contacts gets.");
        let remove = field("remove").limits(limits).about("Tags that each of them loses.");
        let tags = TagChangeRequest {
            add: fields.optional(add).unwrap_or_default(),
            remove: fields.optional(remove).unwrap_or_default(),
        };
        Self(Command::from_fields(fields, Some(tags)))
    }

    fn example() -> Value {
        json!({ "filter": { "tag": "trial" }, "add": ["former"], "remove": ["trial"], "dryRun": true })
    }
}

type ContactJobKindName = Names<ContactJobKind>;
type ContactJobStatusName = Names<ContactJobStatus>;

impl Vocabulary for ContactJobKind {
    const TITLE: &'static str = "ContactJobKind";
    const DESCRIPTION: &'static str = "The work of a job on each contact.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for ContactJobStatus {
    const TITLE: &'static str = "ContactJobStatus";
    const DESCRIPTION: &'static str = "The state of a job on many contacts.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Selected contacts: 200; or a job for them that has begun: 202.
enum Selected {
    Preview(SelectedContactsView),
    Begun(BegunContactJobView),
}

impl Responder for Selected {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        match self {
            Self::Preview(view) => answers::success(StatusCode::OK, view),
            Self::Begun(view) => answers::success(StatusCode::ACCEPTED, view),
        }
    }
}

impl Describe for Selected {
    fn describe(description: &mut Description) {
        let preview = schema_of_one::<SelectedContactsView>(&mut description.schemas);
        description.answers_json(200, preview).description = "With `dryRun`: the contacts.";
        let begun = schema_of_one::<BegunContactJobView>(&mut description.schemas);
        description.answers_json(202, begun).description = "The job begins.";
    }
}

/// Contacts that a job would work on.
#[derive(Serialize, ToSchema)]
#[schema(as = SelectedContacts)]
struct SelectedContactsView {
    /// Number of contacts.
    #[schema(example = 3)]
    count: u64,
    /// Newest of them, five at most.
    sample: Vec<ContactView>,
}

/// Job that has begun.
#[derive(Serialize, ToSchema)]
#[schema(as = BegunContactJob)]
struct BegunContactJobView {
    id: Uuid,
    /// Number of contacts.
    #[schema(example = 3)]
    count: u64,
}

/// Job on many contacts.
#[derive(Serialize, ToSchema)]
#[schema(as = ContactJob)]
#[serde(rename_all = "camelCase")]
struct ContactJobView {
    id: Uuid,
    /// Work on each contact.
    #[schema(value_type = ContactJobKindName)]
    kind: &'static str,
    /// State of the job. A failed one was given up; what was done stays so.
    #[schema(value_type = ContactJobStatusName)]
    status: &'static str,
    /// Number of contacts that were selected.
    #[schema(example = 3)]
    count: u64,
    /// Number of contacts so far that were worked on.
    #[schema(example = 3)]
    done: u64,
    created_at: Timestamp,
    /// Time of its end.
    finished_at: Option<Timestamp>,
    /// User who requested it, or who made the API key.
    created_by: Uuid,
}

impl From<ContactJob> for ContactJobView {
    fn from(job: ContactJob) -> Self {
        Self {
            id: job.id.uuid(),
            kind: job.task.kind().as_str(),
            status: job.status.as_str(),
            count: job.count,
            done: job.done,
            created_at: job.created_at.into(),
            finished_at: job.finished_at.map(Timestamp::from),
            created_by: job.created_by.uuid(),
        }
    }
}

/// Part of the list.
struct ContactJobQuery {
    after: Option<Id<ContactJob>>,
    limit: u32,
}

impl FromQuery for ContactJobQuery {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let after = parameters.optional("after", cursor::ABOUT).map(|Cursor(after)| after);
        Some(Self { after, limit: parameters.limit()? })
    }
}

async fn delete_many(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    body: Body<Deletion>,
) -> Result<Selected, ApiError> {
    let (Deletion(command), faults) = body.read_some()?;
    command.run(&caller, &api, request, faults).await
}

async fn tag_many(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    body: Body<Tagging>,
) -> Result<Selected, ApiError> {
    let (Tagging(command), faults) = body.read_some()?;
    command.run(&caller, &api, request, faults).await
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ContactJobQuery>,
) -> Result<Part<ContactJobView>, ApiError> {
    let ContactJobQuery { after, limit } = query.read()?;
    let part = api.contact_jobs.list(&caller, after, limit).await?;
    Ok(Part::new(part.jobs, limit, part.next.map(|next| next.to_string())))
}

async fn show(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<ContactJob>,
) -> Result<Answer<ContactJobView>, ApiError> {
    Ok(Answer::new(api.contact_jobs.get(&caller, id.read()?).await?))
}
