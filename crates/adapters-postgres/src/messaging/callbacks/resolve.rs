//! Lookup of the messages that vendors name: concurrent lookups are read together.

use std::collections::{HashMap, HashSet};

use domain::{
    messaging::{callback::MessageRef, message::Message},
    shared::id::Id,
};
use ports::shared::store::StoreError;

use crate::{
    messaging::delivery_logs,
    shared::{
        database::session::PgStore,
        error::clone_error,
        query::{batching::BatchReceiver, row::row, sql::sql},
    },
};

/// Lookup of the messages that a provider names.
pub(super) struct Question {
    pub(super) provider: String,
    pub(super) named: Vec<MessageRef>,
}

pub(super) type Answer = Result<Vec<Option<Message>>, StoreError>;

/// Identifiers of messages by provider and the provider's name for them.
type References = HashMap<(String, String), Id<Message>>;

row! {
    struct ReferenceRow {
        provider: String,
        reference: String,
        message_id: Id<Message>,
    }
}

/// Answers lookups until all senders are dropped.
pub(super) async fn answer_all(store: PgStore, mut asked: BatchReceiver<Question, Answer>) {
    while let Some(entries) = asked.next(Vec::new(), |question| question.named.len()).await {
        let questions: Vec<_> = entries.iter().map(|entry| &entry.item).collect();
        let found = find(&store, &questions).await;
        for entry in entries {
            let answer = match &found {
                Ok(found) => Ok(found.answer(&entry.item)),
                Err(error) => Err(clone_error(error)),
            };
            entry.answer(answer);
        }
    }
}

/// Result of all concurrent lookups.
struct Found {
    references: References,
    messages: HashMap<Id<Message>, Message>,
}

async fn find(store: &PgStore, questions: &[&Question]) -> Result<Found, StoreError> {
    let references = references(store, questions).await?;
    let named = questions.iter().flat_map(|question| &question.named);
    let ours = named.filter_map(|about| match about {
        MessageRef::Ours(id) => Some(*id),
        MessageRef::Vendors(_) => None,
    });
    let ids: HashSet<_> = references.values().copied().chain(ours).collect();
    let ids: Vec<_> = ids.into_iter().collect();
    let messages = delivery_logs::find_all(store, &ids).await?;
    Ok(Found { references, messages })
}

async fn references(store: &PgStore, questions: &[&Question]) -> Result<References, StoreError> {
    let wanted: HashSet<_> = questions
        .iter()
        .flat_map(|question| {
            let references = question.named.iter().filter_map(MessageRef::reference);
            references.map(|reference| (question.provider.as_str(), reference))
        })
        .collect();
    if wanted.is_empty() {
        return Ok(References::new());
    }
    let (providers, references): (Vec<_>, Vec<_>) = wanted.into_iter().unzip();
    let find = sql!(FIND_REFERENCES, providers, references);
    let rows: Vec<ReferenceRow> = find.rows(store.session().await?.conn()).await?;
    let known = |row: ReferenceRow| ((row.provider, row.reference), row.message_id);
    Ok(rows.into_iter().map(known).collect())
}

impl Found {
    fn answer(&self, question: &Question) -> Vec<Option<Message>> {
        let message = |about: &MessageRef| {
            let id = match about {
                MessageRef::Ours(id) => *id,
                MessageRef::Vendors(reference) => {
                    *self.references.get(&(question.provider.clone(), reference.clone()))?
                }
            };
            self.messages.get(&id).cloned()
        };
        question.named.iter().map(message).collect()
    }
}

/// Returns the newest message of each name; the identifier is compared as text, for `uuid` has no
/// maximum.
const FIND_REFERENCES: &str = "\
    SELECT wanted.*, known.message_id \
    FROM UNNEST({providers}::text[], {references}::text[]) AS wanted (provider, reference) \
    CROSS JOIN LATERAL (SELECT max(message_id::text)::uuid AS message_id \
        FROM provider_references known \
        WHERE known.provider = wanted.provider AND known.reference = wanted.reference) AS known \
    WHERE known.message_id IS NOT NULL";
