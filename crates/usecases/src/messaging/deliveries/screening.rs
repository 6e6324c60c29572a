//! Screening: the filled text of each message of a screened organization is scored before a
//! provider gets it. A text that is nearly all values is scored for any organization: an approval
//! of its template or campaign did not cover its content.

use domain::{
    content::compliance::{self, Assessment, BLOCKING_THRESHOLD, Sending},
    identity::organization::{Organization, PLATFORM, WaysOut},
    messaging::{
        attempts,
        delivery::{Failure, FailureCode},
        job::Job,
        message::Draft,
    },
    shared::id::Id,
};
use futures_util::{StreamExt, stream};
use ports::shared::store::StoreError;

use super::{Conclusion, Deliveries, Interruption, Progress, WorkResult};

/// Number of blocked messages of a group recorded at the same time.
const CONCURRENCY: usize = 16;

/// Result of the screening of a message.
pub(super) enum Screening {
    /// The message may be handed over.
    Passed,
    /// The message may not be handed over, for this reason.
    Blocked(Failure),
    /// The policy of its organization is unavailable.
    Unknown,
}

/// Verdict on a text of an organization.
struct Verdict {
    organization: Id<Organization>,
    /// Failure of its messages; `None` if they may be handed over.
    failure: Option<Failure>,
}

impl Deliveries {
    /// Screens a message, unless a provider got it before.
    pub(super) async fn screen(&self, job: &mut Job) -> Screening {
        self.screen_like(job, &mut None).await
    }

    /// Screens messages that all have the same text. Returns the jobs that may be handed over, and
    /// the results of the others.
    pub(super) async fn screen_group(
        &self,
        jobs: Vec<Job>,
    ) -> (Vec<Job>, Vec<Result<WorkResult, StoreError>>) {
        let mut verdict = None;
        let (mut passed, mut blocked) = (Vec::with_capacity(jobs.len()), Vec::new());
        let mut others = Vec::new();
        for mut job in jobs {
            match self.screen_like(&mut job, &mut verdict).await {
                Screening::Passed => passed.push(job),
                Screening::Blocked(failure) => blocked.push((job, failure)),
                Screening::Unknown => others.push(Ok(WorkResult::Waiting(job))),
            }
        }
        let finished = stream::iter(blocked).map(async |(mut job, failure)| {
            let progress = self.block(&mut job, failure).map(Progress::Concluded);
            self.finish(job, progress).await
        });
        others.extend(finished.buffered(CONCURRENCY).collect::<Vec<_>>().await);
        (passed, others)
    }

    /// Fails a message whose text may not be handed over.
    pub(super) fn block(
        &self,
        job: &mut Job,
        failure: Failure,
    ) -> Result<Conclusion, Interruption> {
        attempts::drop_planned(&mut job.message.attempts);
        tracing::info!(
            message_id = %job.message.id, organization = %job.message.organization,
            reason = failure.message, "screening blocked a message"
        );
        self.fail(job, failure)
    }

    /// Screens a message by the `verdict` on its text, which is scored if there is none yet.
    async fn screen_like(&self, job: &mut Job, verdict: &mut Option<Verdict>) -> Screening {
        let Some(policies) = &self.deps.policies else { return Screening::Passed };
        let message = &job.message;
        if message.organization == PLATFORM || job.is_scored || job.rounds > 0 {
            return Screening::Passed;
        }
        let policy = match policies.of_or_last_known(message.organization).await {
            Ok(policy) => policy,
            // The score of its content needs no setting.
            Err(_) if message.draft.is_open => None,
            Err(error) => {
                let message_id = message.id;
                tracing::debug!(%error, %message_id, "failed to read whether an organization is screened");
                return Screening::Unknown;
            }
        };
        let settings = policy.as_deref().map(|policy| &policy.settings);
        if !message.draft.is_open && settings.is_none_or(|settings| !settings.is_screened) {
            return Screening::Passed;
        }
        score(job, settings.map(|settings| &settings.ways_out), verdict)
    }
}

fn score(job: &mut Job, ways_out: Option<&WaysOut>, verdict: &mut Option<Verdict>) -> Screening {
    let organization = job.message.organization;
    let known = verdict.take().filter(|verdict| verdict.organization == organization);
    let known = known
        .unwrap_or_else(|| Verdict { organization, failure: judge(&job.message.draft, ways_out) });
    match &verdict.insert(known).failure {
        Some(failure) => Screening::Blocked(failure.clone()),
        None => {
            job.is_scored = true;
            Screening::Passed
        }
    }
}

/// Returns the failure of a text that may not be handed over; `None` if it may.
fn judge(draft: &Draft, ways_out: Option<&WaysOut>) -> Option<Failure> {
    let vendors = draft.vendor_template.iter().flat_map(|it| it.values.iter().chain(&it.button));
    let texts = draft.subject.iter().chain([&draft.body]).chain(vendors);
    let texts: Vec<_> = texts.map(String::as_str).collect();
    let sending = Sending { ways_out, ..Sending::default() };
    refusal(&compliance::assess_sent(&texts.join("\n"), draft.category, sending))
}

/// Returns the failure of a text with that assessment; `None` if it may be handed over.
pub(super) fn refusal(assessment: &Assessment) -> Option<Failure> {
    if assessment.score < BLOCKING_THRESHOLD {
        return None;
    }
    let issues = assessment.issues.iter().filter(|issue| issue.weight > 0);
    let codes: Vec<_> = issues.map(|issue| issue.code.as_ref()).collect();
    let reason = format!("screening scored the text {}: {}", assessment.score, codes.join(", "));
    Some(Failure::new(FailureCode::BlockedContent, reason))
}
