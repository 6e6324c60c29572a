//! Signals end the process in order.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::program::{folder, serve};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_under_load_answers_what_came_in_and_leaves_nothing_leased() {
    let folder = folder();
    let mut program = serve(folder.path());
    let tenant = program.tenant().await;
    let ending = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let (tenant, ending, url) = (tenant.clone(), Arc::clone(&ending), program.url.clone());
            tokio::spawn(async move {
                let mut accepted = 0_u64;
                for number in 0.. {
                    match tenant.send(&url, &format!("{client}-{number}")).await {
                        Some((202, _)) => accepted += 1,
                        // Trial credit is limited.
                        Some((402, _)) => return accepted,
                        Some((status, answer)) => panic!("{status}: {answer}"),
                        None => {
                            assert!(ending.load(Ordering::SeqCst), "a connection broke too early");
                            return accepted;
                        }
                    }
                }
                accepted
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(150)).await;

    let began = Instant::now();
    ending.store(true, Ordering::SeqCst);
    program.signal("TERM");
    let status = program.wait();
    assert!(status.success(), "{status}");
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(program.rest().contains("Stopping"));
    let mut accepted = 0;
    for client in clients {
        accepted += client.await.unwrap();
    }

    // Returned jobs are delivered at once by the next process, which waits for no lease.
    let program = serve(folder.path());
    let began = Instant::now();
    loop {
        let (delivered, sent) =
            (tenant.count(&program, "DELIVERED").await, tenant.count(&program, "SENT").await);
        assert!(delivered + sent <= accepted + 8);
        if delivered >= accepted {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{delivered} of {accepted} delivered");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[test]
fn sigint_ends_the_process_in_order_too() {
    let folder = folder();
    let mut program = serve(folder.path());
    program.signal("INT");
    assert!(program.wait().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signals_that_mean_a_reload_end_nothing() {
    let folder = folder();
    let mut program = serve(folder.path());

    for signal in ["HUP", "USR1", "USR2"] {
        program.signal(signal);
        assert_eq!(program.status("/health/live").await, 200, "{signal}");
    }

    program.signal("TERM");
    assert!(program.wait().success());
}
