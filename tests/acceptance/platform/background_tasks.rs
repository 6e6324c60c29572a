//! Background tasks, as platform administrators see them.

use acceptance::{World, unique_email, until};
use serde_json::Value;

const PATH: &str = "/admin/background-tasks";

fn named<'t>(tasks: &'t Value, name: &str) -> &'t Value {
    let found = tasks.as_array().unwrap().iter().find(|task| task["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}: {tasks}"))
}

#[tokio::test]
async fn administrators_see_which_background_tasks_work() {
    let world = World::shared().await;
    let admin = world.administrator().await;

    until("imports were looked for", async || {
        let tasks = admin.get(PATH).await.data(200).clone();
        named(&tasks, "imports")["lastSucceededAt"].is_string()
    })
    .await;
    let tasks = admin.get(PATH).await.data(200).clone();

    let names: Vec<_> = tasks.as_array().unwrap().iter().map(|task| &task["name"]).collect();
    assert!(names.len() > 30, "{names:?}");
    assert!(names.is_sorted_by_key(|name| name.as_str()), "{names:?}");
    let imports = named(&tasks, "imports");
    let fields: Vec<_> = imports.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "failures",
        "firstFailedAt",
        "isFailing",
        "lastDurationMs",
        "lastError",
        "lastSucceededAt",
        "name",
        "turns",
    ];
    assert_eq!(fields, expected);
    assert!(imports["turns"].as_u64() > Some(0), "{imports}");
    assert!(imports["lastDurationMs"].is_u64() && imports["failures"].is_u64(), "{imports}");
    // Other tests may occupy what a task waits for.
    assert_eq!(imports["isFailing"], imports["firstFailedAt"].is_string());
}

#[tokio::test]
async fn nobody_else_sees_the_background_tasks() {
    let world = World::shared().await;
    let user = world.user(&unique_email("ama")).await;
    let token = format!("Bearer {}", user["token"].as_str().unwrap());

    world.guest().with("Authorization", &token).get(PATH).await.fails(403, "FORBIDDEN");
    world.tenant().await.owner().get(PATH).await.fails(403, "FORBIDDEN");
    world.get(PATH).await.fails(401, "UNAUTHORIZED");
}
