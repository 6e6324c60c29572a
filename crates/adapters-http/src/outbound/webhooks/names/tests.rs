//! Lookups of names.

use std::{
    net::Ipv4Addr,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

use futures_util::future::join;

use super::*;

const FOUND: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Two places, of which an organization has one, without waiting.
const TWO: Share = Share { all: 2, one: 1, wait: Duration::ZERO };

fn organization(number: u8) -> Id<Organization> {
    format!("018bcfe5-6800-7000-8000-0000000000{number:02}").parse().unwrap()
}

/// Returns a resolver that is as slow as answers are sent, and the number of its lookups.
fn slow_names() -> (SystemNames, mpsc::Sender<Vec<IpAddr>>, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let (answer, answers) = mpsc::channel();
    let (count, answers) = (Arc::clone(&asked), Mutex::new(answers));
    let slow = move |_: &str| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(answers.lock().unwrap().recv().unwrap())
    };
    (SystemNames::resolved_by(Arc::new(slow), TWO), answer, asked)
}

/// Returns a resolver that finds all names but those that begin with `hangs`: their lookups end
/// with the sender.
fn hanging_names(share: Share) -> (SystemNames, mpsc::Sender<Vec<IpAddr>>) {
    let (answer, answers) = mpsc::channel::<Vec<IpAddr>>();
    let answers = Mutex::new(answers);
    let hangs = move |name: &str| match name {
        name if name.starts_with("hangs") => Ok(answers.lock().unwrap().recv().unwrap_or_default()),
        "fails" => Err(io::Error::other("no such name")),
        _ => Ok(vec![FOUND]),
    };
    (SystemNames::resolved_by(Arc::new(hangs), share), answer)
}

impl SystemNames {
    fn are_resolving(&self) -> bool {
        self.under_way.lock().unwrap().values().any(|it| !it.task.is_finished())
    }
}

/// Starts lookups, and abandons them.
async fn begin(names: &SystemNames, organization: Id<Organization>, wanted: &[&str]) {
    for name in wanted {
        assert!(names.addresses(organization, name).now_or_never().is_none(), "{name}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn joins_a_lookup_that_is_in_progress() {
    let (names, answer, asked) = slow_names();
    let ask = || names.addresses(organization(1), "slow");
    let [mut first, mut second] = [ask(), ask()];
    assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());

    answer.send(vec![FOUND]).unwrap();

    assert_eq!(join(first, second).await, (Ok(vec![FOUND]), Ok(vec![FOUND])));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn caches_no_result_even_if_nobody_waited_for_it() {
    let (names, answer, asked) = slow_names();
    begin(&names, organization(1), &["slow"]).await;
    answer.send(vec![FOUND]).unwrap();
    while names.are_resolving() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    answer.send(Vec::new()).unwrap();

    assert_eq!(names.addresses(organization(1), "slow").await, Ok(Vec::new()));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_hanging_name_takes_one_place_beside_others() {
    let (names, _never) = hanging_names(Share { one: 2, ..TWO });
    begin(&names, organization(1), &["hangs"; 8]).await;

    assert_eq!(names.addresses(organization(1), "other").await, Ok(vec![FOUND]));
    assert_eq!(names.addresses(organization(1), "fails").await, Ok(Vec::new()));
}

#[tokio::test]
async fn refuses_only_the_organization_whose_names_hang() {
    let (names, never) = hanging_names(TWO);
    begin(&names, organization(1), &["hangs"]).await;

    // Nobody waits for the first lookup any more, and it still has its place.
    assert_eq!(names.addresses(organization(1), "own").await, Err(NoPlace::OfOrganization));
    assert_eq!(names.addresses(organization(2), "other").await, Ok(vec![FOUND]));
    // The same name of another organization has a lookup of its own.
    begin(&names, organization(2), &["hangs"]).await;
    assert_eq!(names.addresses(organization(3), "third").await, Err(NoPlace::OfAll));

    drop(never);
    while names.are_resolving() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(names.addresses(organization(1), "own").await, Ok(vec![FOUND]));
}

#[tokio::test]
async fn a_name_that_waits_for_its_organization_takes_no_other_place() {
    let waiting = Share { wait: Duration::from_secs(60), ..TWO };
    let (names, _never) = hanging_names(waiting);
    begin(&names, organization(1), &["hangs-1", "hangs-2", "hangs-3", "own"]).await;

    assert_eq!(names.addresses(organization(2), "other").await, Ok(vec![FOUND]));
}
