//! Selection of due jobs by a claim.

use chrono::TimeDelta;
use domain::messaging::{
    job::JobConcluded,
    message::Message,
    priority::{Priority, ProviderQueue},
};
use ports::messaging::messages::{ClaimLimits, ProviderQueueLimit, Recorded};

use super::{PRICE, Subject, subjects};
use crate::minutes;

fn of_priority(subject: &Subject, priority: Priority) -> Message {
    Message { priority, ..subject.message() }
}

#[tokio::test]
async fn urgent_priorities_are_claimed_first() {
    for subject in subjects(PRICE * 20).await {
        println!("on {}", subject.name);
        for priority in Priority::ALL.into_iter().rev() {
            subject
                .accept(&[of_priority(&subject, priority), of_priority(&subject, priority)])
                .await;
        }
        let mut priorities = Vec::new();
        for _ in 0..4 {
            let claimed = subject.jobs.claim(&ClaimLimits::any(3)).await.unwrap();
            priorities.extend(claimed.iter().map(|job| job.message.priority));
        }
        let twice = Priority::ALL.into_iter().flat_map(|priority| [priority; 2]);
        assert_eq!(priorities, twice.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn organizations_take_turns_across_claims() {
    for subject in subjects(PRICE * 100).await {
        println!("on {}", subject.name);
        subject.accept(&subject.messages(50)).await;
        let mut others = Vec::new();
        for _ in 0..5 {
            let other = subject.another_organization(PRICE * 2).await;
            let message = || Message { organization: other, ..subject.message() };
            subject.accept(&[message(), message()]).await;
            others.push(other);
        }

        let mut claimed = Vec::new();
        for _ in 0..4 {
            claimed.extend(subject.jobs.claim(&ClaimLimits::any(3)).await.unwrap());
        }

        assert_eq!(claimed.len(), 12);
        for organization in others.into_iter().chain([subject.organization]) {
            let turns = claimed.iter().filter(|job| job.message.organization == organization);
            assert_eq!(turns.count(), 2, "two turns of each, whoever has more");
        }
    }
}

#[tokio::test]
async fn jobs_of_an_organization_are_claimed_in_due_order() {
    for subject in subjects(PRICE * 20).await {
        println!("on {}", subject.name);
        let messages = subject.messages(6);
        for message in &messages {
            subject.accept(std::slice::from_ref(message)).await;
            subject.pass(TimeDelta::milliseconds(10)).await;
        }
        let mut ids = Vec::new();
        for _ in 0..3 {
            let claimed = subject.jobs.claim(&ClaimLimits::any(2)).await.unwrap();
            let mut both: Vec<_> = claimed.iter().map(|job| job.message.id).collect();
            both.sort();
            ids.push(both);
        }
        let expected: Vec<_> = messages
            .chunks(2)
            .map(|two| {
                let mut two: Vec<_> = two.iter().map(|message| message.id).collect();
                two.sort();
                two
            })
            .collect();
        assert_eq!(ids, expected);
    }
}

#[tokio::test]
async fn room_in_a_provider_queue_limits_all_but_long_waiting_jobs() {
    for subject in subjects(PRICE * 20).await {
        println!("on {}", subject.name);
        subject.accept(&subject.messages(6)).await;
        for (job, provider_queue) in subject.claim().await.into_iter().zip([1, 1, 1, 2, 2, 3]) {
            let delivery = job.message.delivery.clone();
            let waits = JobConcluded {
                provider_queue: ProviderQueue(provider_queue),
                due_in: Some(TimeDelta::zero()),
                ..job.conclude(delivery)
            };
            assert_eq!(subject.record(waits).await, Recorded::Done);
        }
        let room = |provider_queue, jobs| ProviderQueueLimit {
            priority: Priority::Single,
            provider_queue: ProviderQueue(provider_queue),
            jobs,
        };
        let limits = |unknown_queues| ClaimLimits {
            total: 10,
            provider_queues: vec![room(1, 2), room(2, 0)],
            unknown_queues,
        };
        let provider_queues = async |unknown_queues| {
            let claimed = subject.jobs.claim(&limits(unknown_queues)).await.unwrap();
            let mut provider_queues: Vec<_> =
                claimed.iter().map(|job| job.provider_queue.0).collect();
            provider_queues.sort_unstable();
            provider_queues
        };
        assert_eq!(provider_queues(0).await, [1, 1]);
        assert_eq!(provider_queues(5).await, [1, 3], "a line that is not known");
        assert_eq!(provider_queues(5).await, [0; 0]);

        subject.pass(minutes(11)).await;
        let waiting = provider_queues(0).await;
        assert!(waiting.ends_with(&[2, 2]), "they may have expired: {waiting:?}");
    }
}

#[tokio::test]
async fn two_instances_never_claim_the_same_job() {
    for subject in subjects(PRICE * 100).await {
        println!("on {}", subject.name);
        subject.accept(&subject.messages(90)).await;
        let (_, another) = subject.another_instance();
        let limits = ClaimLimits::any(20);
        let mut ids = Vec::new();
        for _ in 0..3 {
            let claimed = tokio::join!(subject.jobs.claim(&limits), another.claim(&limits));
            for jobs in [claimed.0, claimed.1] {
                ids.extend(jobs.unwrap().iter().map(|job| job.message.id));
            }
        }
        assert!(ids.len() >= 20, "{}", ids.len());
        let claimed = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), claimed);
    }
}
