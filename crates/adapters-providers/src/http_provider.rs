//! Provider adapter for a vendor over HTTP.

use std::{collections::HashSet, sync::Arc};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
};
use ports::providers::provider::MessagingProvider;

use crate::{
    account::Account,
    batch::{Batch, not_mentioned, outcome_for_each},
    declaration::{Declaration, DeclarationError},
    deps::Deps,
    health,
    http_vendor::{HttpVendor, Lookup, Request},
    kind::{Callbacks, Vendor},
    registration::Registration,
};

struct HttpProvider<V> {
    facts: &'static Vendor,
    vendor: V,
    account: Account,
}

/// Returns the registration of a vendor over HTTP.
pub(crate) const fn over_http<V: HttpVendor>(vendor: &'static Vendor) -> Registration {
    Registration { vendor, check: check::<V>, build: build::<V>, usual_concurrency: any }
}

fn check<V: HttpVendor>(declaration: &Declaration) -> Result<(), DeclarationError> {
    V::read(declaration)?;
    Ok(())
}

fn build<V: HttpVendor>(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let (vendor, access) = V::read(declaration)?;
    let account = Account::new(access, deps);
    Ok(Arc::new(HttpProvider { facts: declaration.kind.0, vendor, account }))
}

fn any(_: &Declaration) -> Option<u32> {
    None
}

#[async_trait]
impl<V: HttpVendor> MessagingProvider for HttpProvider<V> {
    async fn send(&self, message: &Message) -> Outcome {
        if let Some(refusal) = self.vendor.refusal(message) {
            return refusal;
        }
        self.hand_over(&[message]).await.pop().unwrap_or_else(not_mentioned)
    }

    fn group_limit(&self) -> usize {
        self.facts.group_limit
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let mut outcomes: Vec<_> =
            messages.iter().map(|message| self.vendor.refusal(message)).collect();
        let mut waiting: Vec<_> =
            (0..messages.len()).filter(|index| outcomes[*index].is_none()).collect();
        while !waiting.is_empty() {
            let (next, later) = self.next_call(messages, waiting);
            let call: Vec<_> = next.iter().map(|index| &messages[*index]).collect();
            for (index, outcome) in next.into_iter().zip(self.hand_over(&call).await) {
                outcomes[index] = Some(outcome);
            }
            waiting = later;
        }
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(not_mentioned)).collect()
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        let reference = self.account.reference(message);
        let lookup = Lookup { message, reference, now: self.account.now() };
        let Some(request) = self.vendor.lookup_request(&self.account, lookup) else {
            return LookUp::Unavailable;
        };
        match self.account.call(request).await {
            Ok(answer) => self.vendor.lookup_result(&answer, lookup),
            Err(_) => LookUp::Unavailable,
        }
    }

    async fn check(&self) -> Check {
        let request = self.vendor.check_request(&self.account);
        match self.account.call_with_new_token(request).await {
            Ok(answer) if answer.status.is_success() => self.vendor.check_result(&answer),
            Ok(answer) => self.vendor.check_refusal(&answer),
            Err(outcome) => health::check_of(outcome),
        }
    }

    fn can_be_answered(&self) -> bool {
        self.facts.can_be_answered
    }

    fn session_window(&self) -> Option<TimeDelta> {
        self.facts.session_window
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        if self.facts.callbacks == Callbacks::None {
            return Err(CallbackRefused::Unsupported);
        }
        self.vendor.verify(&self.account, callback)?;
        self.vendor.read_callback(callback, self.account.now())
    }

    fn read_out(&self, text: &str) -> CallbackAnswer {
        self.vendor.read_out(text)
    }
}

impl<V: HttpVendor> HttpProvider<V> {
    /// Sends messages in one call, and returns the outcome of each in their order.
    async fn hand_over(&self, messages: &[&Message]) -> Vec<Outcome> {
        match self.call(messages).await {
            Ok(outcomes) => outcomes,
            Err(outcome) => outcome_for_each(outcome, messages.len()),
        }
    }

    async fn call(&self, messages: &[&Message]) -> Result<Vec<Outcome>, Outcome> {
        let Some(batch) = Batch::new(messages, self.account.now()) else { return Ok(Vec::new()) };
        let request = traced(self.vendor.send_request(&self.account, batch)?, batch);
        let answer = self.account.call(request).await?;
        self.vendor.send_result(&answer, batch)
    }

    /// Splits the `waiting` messages into those of the next call and the rest.
    fn next_call(&self, messages: &[Message], waiting: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        let mut recipients = HashSet::new();
        let (mut next, mut later) = (Vec::new(), Vec::new());
        for index in waiting {
            let recipient = messages[index].draft.recipient.as_str();
            if next.len() == self.facts.group_limit
                || (self.facts.distinct_recipients && !recipients.insert(recipient))
            {
                later.push(index);
            } else {
                next.push(index);
            }
        }
        (next, later)
    }
}

/// Returns the request with the span of the first message in a trace, if any.
fn traced(request: Request, batch: Batch<'_>) -> Request {
    match batch.messages.iter().find_map(|message| message.attempt_span()) {
        Some(context) => request.header("traceparent", context.to_string()),
        None => request,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use domain::{
        messaging::delivery::FailureCode,
        shared::{channel::Channel, trace::TraceContext},
    };

    use super::*;
    use crate::{
        fixture::{declared, deps, sms},
        http_vendor::{Access, Answer, Authorization},
        verdict::Verdict,
    };

    /// Vendor that refuses every call, and counts the messages of each.
    struct Refusing(Mutex<Vec<usize>>, Verdict);

    impl HttpVendor for Refusing {
        fn read(_: &Declaration) -> Result<(Self, Access), DeclarationError> {
            unreachable!()
        }

        fn send_request(&self, _: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
            self.0.lock().unwrap().push(batch.len());
            Err(self.1.outcome("400", None))
        }

        fn send_result(&self, _: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
            unreachable!()
        }

        fn check_request(&self, account: &Account) -> Request {
            account.get(&[])
        }

        fn check_result(&self, _: &Answer) -> Check {
            health::up("")
        }
    }

    const FACTS: Vendor = Vendor { group_limit: 2, ..Vendor::DEFAULTS };
    const DISTINCT: Vendor = Vendor { distinct_recipients: true, ..FACTS };

    fn provider(facts: &'static Vendor, verdict: Verdict) -> HttpProvider<Refusing> {
        let declaration = declared("arkesel", Channel::Sms, &[("api_key", "key")]);
        let access = Access::read(&declaration, "https://x.example", Authorization::InRequest);
        let account = Account::new(access.unwrap(), &deps());
        HttpProvider { facts, vendor: Refusing(Mutex::default(), verdict), account }
    }

    #[tokio::test]
    async fn a_group_is_one_call_and_shares_its_refusal() {
        let messages = [sms("+233241234567"), sms("+233241234568")];
        for verdict in [Verdict::Rejected(FailureCode::InvalidRecipient), Verdict::Unknown] {
            let provider = provider(&FACTS, verdict);

            let outcomes = provider.send_group(&messages).await;

            assert_eq!(outcomes, vec![verdict.outcome("400", None); 2]);
            assert!(provider.send_group(&[]).await.is_empty());
            assert_eq!(*provider.vendor.0.lock().unwrap(), [2]);
        }
    }

    #[tokio::test]
    async fn a_call_has_no_more_messages_than_the_vendor_takes() {
        let messages = ["+233241234567", "+233241234567", "+233241234568"].map(sms);
        for (facts, calls) in [(&FACTS, [2, 1]), (&DISTINCT, [2, 1])] {
            let provider = provider(facts, Verdict::Unknown);

            assert_eq!(provider.send_group(&messages).await.len(), 3);

            assert_eq!(*provider.vendor.0.lock().unwrap(), calls);
        }
        let twice = ["+233241234567", "+233241234567"].map(sms);
        for (facts, calls) in [(&FACTS, vec![2]), (&DISTINCT, vec![1, 1])] {
            let provider = provider(facts, Verdict::Unknown);

            provider.send_group(&twice).await;

            assert_eq!(*provider.vendor.0.lock().unwrap(), calls);
        }
    }

    #[test]
    fn a_call_carries_the_span_of_its_first_message_in_a_trace() {
        let account = provider(&FACTS, Verdict::Unknown).account;
        let (plain, mut traced_message) = (sms("+233241234567"), sms("+233241234568"));
        let header = |messages: &[&Message]| {
            let batch = Batch::new(messages, account.now()).unwrap();
            let request = traced(account.post(&[]), batch).build().unwrap();
            request.headers().get("traceparent").map(|value| value.to_str().unwrap().to_owned())
        };

        assert_eq!(header(&[&plain]), None);
        traced_message.trace = Some(TraceContext::root(traced_message.id.uuid()));
        let span = traced_message.attempt_span().map(|context| context.to_string());
        assert_eq!(header(&[&plain, &traced_message]), span);
    }
}
