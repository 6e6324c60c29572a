//! Forms that act once, however often they are sent.

use std::time::Duration;

use domain::shared::fault::Faults;
use ports::platform::request_keys::KeyOwner;
use sha2::{Digest, Sha256};
use tokio::time::sleep;
use usecases::Error;
use usecases::platform::request_keys::{Begun, FirstAnswer, KeyedRequest};

use crate::frame::{Person, Posted, Visit};

/// Pause between looks for the end of a form that is still being worked on, and number of looks.
const PAUSE: Duration = Duration::from_millis(100);
const LOOKS: u32 = 50;

/// Does the work of a form, which returns the address of the page to go to. If the form was sent
/// before, returns the address of that time. A form without a key acts each time. The page has
/// `<input type="hidden" name="once" value="{{ frame.once() }}">`.
pub(crate) async fn once(
    visit: &Visit,
    posted: &Posted,
    work: impl Future<Output = Result<String, Error>>,
) -> Result<String, Error> {
    once_of(visit.person(), posted, work).await
}

/// Does the same for a form of a user outside of any organization. The text that `work` returns, and
/// that is returned again, may be any.
pub(crate) async fn once_of(
    person: &Person,
    posted: &Posted,
    work: impl Future<Output = Result<String, Error>>,
) -> Result<String, Error> {
    let Some(key) = posted.once() else { return work.await };
    let keys = &person.api().request_keys;
    let fingerprint = fingerprint(posted);
    let begun = begin(person, key, fingerprint).await;
    if let Err(Error::InProgress(_)) = begun {
        // With another key, the form that is shown again would act twice.
        person.keep_once(key);
    }
    match begun? {
        Begun::First(first) => match work.await {
            Ok(address) => {
                let answer = FirstAnswer { status: 303, body: address.clone().into_bytes() };
                keys.finish(&first, fingerprint, &answer).await;
                Ok(address)
            }
            Err(refusal) => {
                keys.release(&first).await;
                Err(refusal)
            }
        },
        Begun::Repeated(repeated) => {
            let answer = keys.answer_again(&repeated, fingerprint)?;
            Ok(String::from_utf8_lossy(&answer.body).into_owned())
        }
    }
}

/// Begins the work of a form. If it was sent before, waits a while for the end of that time, so that both
/// lead to the same page.
async fn begin(person: &Person, key: &str, fingerprint: [u8; 32]) -> Result<Begun, Error> {
    let mut looks = 0;
    loop {
        let request = KeyedRequest {
            owner: KeyOwner::User(person.user().id),
            key: Some(format!("form-{key}")),
            fingerprint: Some(fingerprint),
            faults: Faults::default(),
        };
        match person.api().request_keys.begin(request).await {
            Err(Error::InProgress(_)) if looks < LOOKS => looks += 1,
            begun => return begun,
        }
        sleep(PAUSE).await;
    }
}

fn fingerprint(posted: &Posted) -> [u8; 32] {
    let mut hash = Sha256::new();
    for text in posted.fields().iter().flat_map(|(name, value)| [name, value]) {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}
