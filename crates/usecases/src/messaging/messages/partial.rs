//! Bulk requests that are accepted in part: the valid messages are sent, and the others are told.

use std::collections::BTreeMap;

use domain::{
    content::template::TemplateText,
    identity::{caller::Caller, permission::Permission, policy::Policy},
    messaging::message::{Draft, MAX_FILLED_BYTES, Message, MessageRequest},
    shared::{channel::Channel, fault::Faults},
};
use ports::messaging::messages::{Idempotency, Receipt, Submission};

use super::{
    Messages, SendBulk, Sent, TOO_MUCH_TEXT, replay, request::Request, schedules::scheduled,
};
use crate::Error;

/// Place in a bulk request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The message was accepted.
    Accepted(Box<Message>),
    /// The item is wrong, and nothing was sent for it.
    Refused(RefusedItem),
}

/// Item of a bulk request that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedItem {
    /// Channel that it names.
    pub channel: Option<Channel>,
    /// Recipient, as written.
    pub recipient: Option<String>,
    /// Everything that is wrong with it, by the path in the item. Empty if a repeated request finds
    /// nothing wrong with it any more.
    pub faults: Faults,
}

/// Items of a bulk request after their check.
#[derive(Default)]
struct Checked {
    /// Messages that can be sent, in their order.
    drafts: Vec<Draft>,
    /// Faults of each item; `None` if its message can be sent.
    faults: Vec<Option<Faults>>,
}

impl Messages {
    /// Sends several messages, in their order: all or none, or the valid ones if the command says so.
    pub async fn send_places(
        &self,
        caller: &Caller,
        command: SendBulk,
    ) -> Result<Sent<Vec<Place>>, Error> {
        if command.is_partial {
            return self.send_in_part(caller, command).await;
        }
        let Sent { accepted, is_replay } = self.send_bulk(caller, command).await?;
        Ok(Sent { accepted: accepted.into_iter().map(Place::accepted).collect(), is_replay })
    }

    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    async fn send_in_part(
        &self,
        caller: &Caller,
        mut command: SendBulk,
    ) -> Result<Sent<Vec<Place>>, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        let mut request = command.request("bulk in part", caller);
        let idempotency = request.idempotency();
        // A time for all is checked as that of each: a repeated request finds its messages.
        request.scheduled_at = None;
        request.check_schedules(self.deps.clock.now());
        let Request { sender, origin, messages, is_async, faults, rate_limit, .. } = request;
        let Checked { drafts, faults } = self.checked(caller, messages, by_item(faults)?).await?;
        let mut gaps = gaps(&faults);
        let idempotency = idempotency.map(|it| Idempotency { gaps: gaps.clone(), ..it });
        let sent = if drafts.is_empty() {
            let accepted = match &idempotency {
                Some(idempotency) => self.accepted_under(caller.organization, idempotency).await?,
                None => None,
            };
            match accepted {
                Some(accepted) => {
                    gaps = accepted.gaps;
                    replay(accepted.messages, is_async)?
                }
                None => Sent { accepted: Vec::new(), is_replay: false },
            }
        } else {
            self.count(caller, sender, &drafts, &rate_limit).await?;
            let submission = self.submission(sender, drafts, origin, is_async).await?;
            let sent = messages.iter().zip(&faults).filter(|(_, faults)| faults.is_none());
            let submission = scheduled(submission, sent.map(|(message, _)| message.scheduled_at));
            let submission = Submission { idempotency: idempotency.clone(), ..submission };
            let receipt = self.accept(submission).await?;
            if let (Receipt::Replayed(_), Some(idempotency)) = (&receipt, &idempotency) {
                let first = self.accepted_under(caller.organization, idempotency).await?;
                gaps = first.map(|first| first.gaps).unwrap_or_default();
            }
            self.deliver(receipt, is_async).await?
        };
        let Sent { accepted, is_replay } = sent.shown_to(caller);
        Ok(Sent { accepted: places(messages, &gaps, faults, accepted), is_replay })
    }

    /// Checks each message by itself. `found` holds the faults found so far, by the place.
    async fn checked(
        &self,
        caller: &Caller,
        messages: &[MessageRequest],
        mut found: BTreeMap<usize, Faults>,
    ) -> Result<Checked, Error> {
        let templates = self.known_templates(caller.organization, messages).await?;
        let (mut checked, mut filled) = (Checked::default(), 0);
        for (place, message) in messages.iter().enumerate() {
            let known = found.remove(&place).unwrap_or_default();
            match draft(message, &templates, &caller.policy, known) {
                Ok(draft) => {
                    filled += draft.filled_bytes();
                    if filled > MAX_FILLED_BYTES {
                        return Err(Faults::form(TOO_MUCH_TEXT).into());
                    }
                    checked.drafts.push(draft);
                    checked.faults.push(None);
                }
                Err(faults) => checked.faults.push(Some(faults)),
            }
        }
        Ok(checked)
    }
}

impl Place {
    fn accepted(message: Message) -> Self {
        Self::Accepted(Box::new(message))
    }
}

/// Returns the draft of a message. Fails with its faults, after those that were found before.
pub(super) fn draft(
    message: &MessageRequest,
    templates: &[TemplateText],
    policy: &Policy,
    mut faults: Faults,
) -> Result<Draft, Faults> {
    let template = message.template.and_then(|id| templates.iter().find(|it| it.id == id));
    match template {
        None if message.template.is_some() => {
            faults.add("templateId", "is not a template of this organization");
        }
        Some(template) if !template.is_approved => faults.add("templateId", "is not approved"),
        _ => {}
    }
    faults.check(message.draft_under(policy, template))
}

/// Returns the faults of single items by their places. Fails with all faults if the request as a
/// whole is wrong, or if there may be more than are told.
fn by_item(faults: Faults) -> Result<BTreeMap<usize, Faults>, Faults> {
    let is_whole = faults.fields.keys().any(|path| place_of(path).is_none());
    if is_whole || !faults.form.is_empty() || faults.is_full() {
        return Err(faults);
    }
    let mut items = BTreeMap::<usize, Faults>::new();
    for (path, found) in faults.fields {
        if let Some((place, field)) = place_of(&path) {
            items.entry(place).or_default().fields.insert(field.to_owned(), found);
        }
    }
    Ok(items)
}

/// Splits the path of a field of an item.
fn place_of(path: &str) -> Option<(usize, &str)> {
    let (place, field) = path.strip_prefix("messages.")?.split_once('.')?;
    Some((place.parse().ok()?, field))
}

/// Returns the places of the items that have faults.
fn gaps(faults: &[Option<Faults>]) -> Vec<u16> {
    let places = (0..).zip(faults);
    places.filter(|(_, faults)| faults.is_some()).map(|(place, _)| place).collect()
}

/// Returns the places of a request, of which all but `gaps` got the next of the accepted messages.
fn places(
    requests: &[MessageRequest],
    gaps: &[u16],
    faults: Vec<Option<Faults>>,
    accepted: Vec<Message>,
) -> Vec<Place> {
    let mut accepted = accepted.into_iter();
    let mut places = Vec::with_capacity(requests.len());
    for ((index, request), faults) in requests.iter().enumerate().zip(faults) {
        let is_gap = gaps.iter().any(|gap| usize::from(*gap) == index);
        let message = if is_gap { None } else { accepted.next() };
        places.push(match message {
            Some(message) => Place::accepted(message),
            None => Place::Refused(RefusedItem {
                channel: request.channel,
                recipient: request.to.clone(),
                faults: faults.unwrap_or_default(),
            }),
        });
    }
    places
}

#[cfg(test)]
mod tests {
    use domain::shared::category::Category;

    use super::*;
    use crate::shared::fixtures::{queued, sms};

    #[test]
    fn faults_of_items_are_separated_from_those_of_the_request() {
        let mut faults = Faults::field("messages.3.metadata.order", "is too long");
        faults.add("messages.0.to", "is required");
        let items = by_item(faults.clone()).unwrap();
        assert_eq!(items[&0].fields["to"], ["is required"]);
        assert_eq!(items[&3].fields["metadata.order"], ["is too long"]);

        for path in ["messages", "messages.3", "isSandbox", "messages.x.to"] {
            let mut faults = faults.clone();
            faults.add(path, "is wrong");
            assert_eq!(by_item(faults.clone()), Err(faults), "{path}");
        }
        assert!(by_item(Faults::form("is wrong")).is_err());
    }

    #[test]
    fn messages_keep_the_places_of_their_items() {
        let requests: Vec<_> = (1..=4).map(|last| sms(&format!("024123456{last}"))).collect();
        let (first, second) = (queued(Category::Alert), queued(Category::Marketing));
        let wrong = || Some(Faults::field("to", "is wrong"));
        let faults = vec![wrong(), None, wrong(), wrong()];

        // The last item was right at first, so that its message was accepted.
        let places = places(&requests, &[0, 2], faults, vec![first.clone(), second.clone()]);

        assert_eq!(places[1], Place::accepted(first));
        assert_eq!(places[3], Place::accepted(second));
        for (place, to) in [(0, "0241234561"), (2, "0241234563")] {
            let Place::Refused(item) = &places[place] else { panic!("{places:?}") };
            assert_eq!(item.recipient.as_deref(), Some(to));
            assert_eq!(item.faults.fields["to"], ["is wrong"]);
        }
    }
}
