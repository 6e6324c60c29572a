//! The rules of the first turn of a campaign.

use super::*;

/// A queue that leases `campaign`, which has not started and will start with the contacts before
/// `cutoff`.
fn queue_before_the_start(campaign: &Campaign, cutoff: Id<Contact>) -> MockCampaignQueue {
    let mut queue = MockCampaignQueue::new();
    let leased = LeasedCampaign { contacts_until: None, ..leased(campaign) };
    queue.expect_claim().once().return_once(|_| Ok(vec![leased]));
    queue.expect_set_cutoff().once().returning(move |_, latest| {
        assert_eq!(latest, Id::floor(NOW));
        Ok(cutoff)
    });
    queue
}

#[tokio::test]
async fn a_campaign_excludes_contacts_made_after_its_start() {
    let (intake, submissions) = open_intake();
    let contacts = vec![
        contact(Some("Ama"), Some("0241234567"), 3),
        contact(Some("Esi"), Some("0241234568"), 2),
        contact(Some("Yaw"), Some("0241234569"), 1),
    ];
    let cutoff = contacts[2].id;
    let campaign = campaign();
    let mut queue = queue_before_the_start(&campaign, cutoff);
    queue.expect_start().once().returning(move |_, start| {
        assert_eq!((start.contacts_until, start.audience), (cutoff, Some(2)));
        Ok(true)
    });
    queue.expect_end_expansion().once().returning(|_, _, _| Ok(true));
    let work = work(campaign, contacts.clone(), queue, intake);
    let mut audience = MockAudienceRepository::new();
    audience.expect_members_after().returning(move |_, _, _, _| Ok(contacts.clone()));

    let work = changed(work, |deps| deps.audience = Arc::new(audience));
    work.work_once().await.unwrap();

    assert_eq!(submissions.lock().unwrap()[0].messages.len(), 2);
}

#[tokio::test]
async fn contacts_are_counted_unless_the_first_batch_has_all_of_them() {
    let contacts: Vec<_> = (0..501)
        .map(|number| contact(Some("Ama"), Some(&format!("024{number:07}")), 1_000 - number))
        .collect();
    let cutoff = Id::floor(NOW);
    for (count, is_counted) in [(499, false), (500, true)] {
        let campaign = campaign();
        let mut queue = queue_before_the_start(&campaign, cutoff);
        let expected = if is_counted { COUNTED } else { 499 };
        queue.expect_start().once().returning(move |_, start| {
            assert_eq!(start.audience, Some(expected));
            Ok(true)
        });
        queue.expect_end_expansion().returning(|_, _, _| Ok(true));
        queue.expect_give_back().returning(|_, _| Ok(()));
        let (intake, _) = open_intake();
        let work = work(campaign, Vec::new(), queue, intake);
        let mut audience = MockAudienceRepository::new();
        audience.expect_count_until().times(usize::from(is_counted)).returning(
            move |_, _, until| {
                assert_eq!(until, cutoff);
                Ok(COUNTED)
            },
        );
        let contacts = contacts[..count].to_vec();
        audience.expect_members_after().returning(move |_, _, _, _| Ok(contacts.clone()));

        let work = changed(work, |deps| deps.audience = Arc::new(audience));
        work.work_once().await.unwrap();
    }
}

#[tokio::test]
async fn a_contact_that_is_erased_while_all_are_counted_gets_no_message() {
    let contacts: Vec<_> = (0..500)
        .map(|number| contact(Some("Ama"), Some(&format!("024{number:07}")), 1_000 - number))
        .collect();
    let erased = Arc::new(Mutex::new(0_usize));
    let campaign = campaign();
    let mut queue = queue_before_the_start(&campaign, Id::floor(NOW));
    queue.expect_start().once().returning(|_, _| Ok(true));
    queue.expect_end_expansion().once().returning(|_, _, _| Ok(true));
    let (intake, submissions) = open_intake();
    let work = work(campaign, Vec::new(), queue, intake);
    let mut audience = MockAudienceRepository::new();
    let erase = Arc::clone(&erased);
    audience.expect_count_until().once().returning(move |_, _, _| {
        *erase.lock().unwrap() = 1;
        Ok(COUNTED)
    });
    audience
        .expect_members_after()
        .returning(move |_, _, _, _| Ok(contacts[*erased.lock().unwrap()..].to_vec()));

    let work = changed(work, |deps| deps.audience = Arc::new(audience));
    work.work_once().await.unwrap();

    assert_eq!(submissions.lock().unwrap()[0].messages.len(), 499);
}

#[tokio::test]
async fn the_first_turn_of_a_campaign_is_one_batch() {
    let contacts: Vec<_> = (0..1_200)
        .map(|number| contact(Some("Ama"), Some(&format!("024{number:07}")), 2_000 - number))
        .collect();
    let campaign = campaign();
    let mut first = queue_before_the_start(&campaign, Id::floor(NOW));
    first.expect_start().once().returning(|_, _| Ok(true));
    first.expect_give_back().once().returning(|_, delay| {
        assert_eq!(delay, Some(TimeDelta::zero()));
        Ok(())
    });
    let mut later = queue_of(&campaign);
    later.expect_end_expansion().once().returning(|_, _, _| Ok(true));
    for (queue, expected) in [(first, [500].as_slice()), (later, &[500, 500, 200])] {
        let (intake, submissions) = open_intake();

        work(campaign.clone(), contacts.clone(), queue, intake).work_once().await.unwrap();

        let submissions = submissions.lock().unwrap();
        let sizes: Vec<_> = submissions.iter().map(|it| it.messages.len()).collect();
        assert_eq!(sizes, expected);
    }
}
