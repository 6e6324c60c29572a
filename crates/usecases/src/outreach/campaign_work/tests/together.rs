//! The rules of campaigns that have their turns at once.

use domain::messaging::message::Source;

use super::*;

/// A queue that leases both campaigns at once.
fn queue_of_both(campaigns: [&Campaign; 2]) -> MockCampaignQueue {
    let mut queue = MockCampaignQueue::new();
    let both = campaigns.map(leased).to_vec();
    queue.expect_claim().once().return_once(|most| {
        assert!(most >= 2, "{most}");
        Ok(both)
    });
    queue
}

fn confirmed(campaign: &Campaign) -> ConfirmedCampaign {
    let content = CampaignContent::own(None, campaign.body.clone().unwrap());
    ConfirmedCampaign {
        progress: CampaignProgress {
            campaign: campaign.clone(),
            counts: CampaignCounts::default(),
        },
        confirmation: Some(Confirmation { content, hash: [7; 32], rules: None }),
    }
}

#[tokio::test]
async fn campaigns_that_are_leased_together_are_found_together() {
    let (intake, submissions) = open_intake();
    let one = campaign();
    let other = Campaign { id: Id::new_in(NOW + TimeDelta::seconds(1), tenant()), ..campaign() };
    let mut queue = queue_of_both([&one, &other]);
    queue.expect_end_expansion().times(2).returning(|_, _, _| Ok(true));
    let contacts = vec![contact(Some("Ama"), Some("0241234567"), 1)];
    let work = work(one.clone(), contacts, queue, intake);
    let (both, ids) = ([confirmed(&one), confirmed(&other)].to_vec(), [one.id, other.id]);
    let mut campaigns = MockCampaignRepository::new();
    campaigns.expect_find_confirmed().once().returning(move |_| Ok(both.clone()));
    let work = changed(work, |deps| deps.campaigns = Arc::new(campaigns));

    assert!(work.work_once().await.unwrap());

    let submissions = submissions.lock().unwrap();
    let source = |it: &Submission| it.messages[0].source.and_then(Source::campaign);
    let sources: Vec<_> = submissions.iter().filter_map(source).collect();
    assert_eq!(sources.len(), 2);
    assert!(ids.iter().all(|id| sources.contains(id)), "{sources:?}");
}

#[tokio::test]
async fn campaigns_whose_common_search_panics_are_found_alone() {
    let (intake, submissions) = open_intake();
    let one = campaign();
    let other = Campaign { id: Id::new_in(NOW + TimeDelta::seconds(1), tenant()), ..campaign() };
    let mut queue = queue_of_both([&one, &other]);
    queue.expect_end_expansion().times(2).returning(|_, _, _| Ok(true));
    let contacts = vec![contact(Some("Ama"), Some("0241234567"), 1)];
    let work = work(one.clone(), contacts, queue, intake);
    let both = [confirmed(&one), confirmed(&other)];
    let mut campaigns = MockCampaignRepository::new();
    campaigns
        .expect_find_confirmed()
        .withf(|keys| keys.len() == 2)
        .once()
        .returning(|_| panic!("a row is corrupt"));
    campaigns.expect_find_confirmed().withf(|keys| keys.len() == 1).times(2).returning(
        move |keys| {
            let found = both.iter().filter(|it| it.progress.campaign.id == keys[0].1);
            Ok(found.cloned().collect())
        },
    );
    let work = changed(work, |deps| deps.campaigns = Arc::new(campaigns));

    assert!(work.work_once().await.unwrap());

    assert_eq!(submissions.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_campaign_that_cannot_be_read_stops_no_other() {
    let (intake, submissions) = open_intake();
    let good = campaign();
    let bad = Campaign { id: Id::new_in(NOW + TimeDelta::seconds(1), tenant()), ..campaign() };
    let (good_id, bad_id) = (good.id, bad.id);
    let mut queue = queue_of_both([&bad, &good]);
    queue.expect_end_expansion().once().returning(move |leased, _, _| {
        assert_eq!(leased.id, good_id);
        Ok(true)
    });
    queue.expect_give_back().once().returning(move |leased, delay| {
        assert_eq!((leased.id, delay), (bad_id, Some(RETRY)));
        Ok(())
    });
    let contacts = vec![contact(Some("Ama"), Some("0241234567"), 1)];
    let work = work(good.clone(), contacts, queue, intake);
    let mut campaigns = MockCampaignRepository::new();
    campaigns.expect_find_confirmed().returning(move |keys| {
        if keys.iter().any(|(_, id)| *id == bad_id) {
            return Err(StoreError::Internal("a row is corrupt".into()));
        }
        Ok(vec![confirmed(&good)])
    });
    let work = changed(work, |deps| deps.campaigns = Arc::new(campaigns));

    assert!(work.work_once().await.unwrap());

    assert_eq!(submissions.lock().unwrap().len(), 1);
}
