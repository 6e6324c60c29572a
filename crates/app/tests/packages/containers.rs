//! Descriptions of containers: they name files, settings and addresses that exist.

use std::{collections::BTreeSet, fs, process::Command};

use serde_json::Value;

use crate::{
    files::{path, read},
    settings,
};

const DOCKERFILE: &str = "docs/deploy/Dockerfile";
const COMPOSE: &str = "docs/deploy/compose.yaml";
const KUBERNETES: [&str; 3] = ["atumpan.yaml", "ingress.yaml", "secrets.example.yaml"];
const PROBES: [&str; 3] = ["startupProbe", "livenessProbe", "readinessProbe"];

/// Returns the documents in a file.
fn documents(name: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the manifest of that kind.
fn manifest(kind: &str) -> Value {
    let files = KUBERNETES.iter().map(|file| format!("docs/deploy/kubernetes/{file}"));
    let mut found = files.flat_map(|file| documents(&file)).filter(|it| it["kind"] == kind);
    found.next().unwrap_or_else(|| panic!("there is no {kind}"))
}

/// Returns the texts of an array.
fn texts(array: &Value) -> BTreeSet<&str> {
    array.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
}

fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_image_copies_files_that_exist_and_that_reach_the_builder() {
    let ignored = read(&format!("{DOCKERFILE}.dockerignore"));
    let sent: BTreeSet<_> = ignored.lines().filter_map(|line| line.strip_prefix('!')).collect();
    let text = read(DOCKERFILE);
    let copies = text.lines().filter_map(|line| line.strip_prefix("COPY "));
    let mut copied = BTreeSet::new();
    for copy in copies.filter(|copy| !copy.starts_with("--from=")) {
        let mut words: Vec<_> = copy.split_whitespace().collect();
        words.pop();
        copied.extend(words);
    }

    assert_eq!(copied, sent);
    for name in copied {
        assert!(path(name).exists(), "{name}");
    }
}

#[test]
fn the_image_runs_without_root_and_is_asked_for_its_health() {
    let text = read(DOCKERFILE);
    let last_stage = text.rsplit("\nFROM ").next().unwrap();
    for part in [
        "USER 65532:65532\n",
        "CMD [\"/usr/bin/atumpan\", \"health\", \"--ready\"]\n",
        "ENTRYPOINT [\"/usr/bin/atumpan\"]\n",
    ] {
        assert!(last_stage.contains(part), "{part}");
    }
    let variables = last_stage.split(['\n', ' ']).filter_map(|word| word.split_once('='));
    settings::assert_known(variables.map(|(name, _)| name).filter(|it| it.starts_with("ATUMPAN_")));
}

#[test]
fn compose_has_two_equal_instances_that_write_nowhere() {
    let [compose]: [Value; 1] = documents(COMPOSE).try_into().unwrap();
    let services = &compose["services"];

    assert_eq!(services["atumpan-1"], services["atumpan-2"]);
    let instance = &services["atumpan-1"];
    assert_eq!(instance["read_only"], true);
    assert_eq!(instance["cap_drop"], serde_json::json!(["ALL"]));
    settings::assert_known(keys(&instance["environment"]).into_iter());
    let postgres = services["postgres"]["image"].as_str().unwrap();
    let major: u32 = postgres.strip_prefix("postgres:").unwrap().parse().unwrap();
    assert!((15..=18).contains(&major), "{postgres}");
    let proxy = read("docs/deploy/Caddyfile");
    for name in ["atumpan-1:8080", "atumpan-2:8080", "health_uri /health/ready"] {
        assert!(proxy.contains(name), "{name}");
    }
}

#[test]
fn the_secrets_of_compose_are_made_once() {
    let [compose]: [Value; 1] = documents(COMPOSE).try_into().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("make-secrets");
    fs::copy(path("docs/deploy/make-secrets"), &script).unwrap();
    let make = || {
        let output = Command::new("sh").arg(&script).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let read = |(name, secret): (&String, &Value)| {
            let file = folder.path().join(secret["file"].as_str().unwrap());
            (name.clone(), fs::read_to_string(file).unwrap())
        };
        let secrets = compose["secrets"].as_object().unwrap().iter();
        secrets.map(read).collect::<Vec<_>>()
    };

    let made = make();

    assert!(made.iter().all(|(_, secret)| secret.len() >= 32), "{made:?}");
    assert_eq!(make(), made);
    let known = keys(&compose["secrets"]);
    for service in compose["services"].as_object().unwrap().values() {
        if let Some(secrets) = service.get("secrets") {
            assert!(texts(secrets).is_subset(&known), "{secrets}");
        }
    }
}

#[test]
fn kubernetes_asks_addresses_that_the_api_has() {
    let api: Value = serde_json::from_str(&read("docs/openapi.json")).unwrap();
    let deployment = manifest("Deployment");
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let ports = container["ports"].as_array().unwrap();
    assert!(ports.iter().any(|port| port["name"] == "http"), "{ports:?}");
    for probe in PROBES {
        let request = &container[probe]["httpGet"];
        let address = request["path"].as_str().unwrap();
        assert!(api["paths"].get(address).is_some(), "{probe}: {address}");
        assert_eq!(request["port"], "http", "{probe}");
    }
}

#[test]
fn kubernetes_stops_one_instance_at_a_time_and_gives_it_time() {
    let deployment = manifest("Deployment");
    let pod = &deployment["spec"]["template"];
    let labels = &pod["metadata"]["labels"];
    let budget = manifest("PodDisruptionBudget");

    assert_eq!(budget["spec"]["maxUnavailable"], 1);
    assert_eq!(&budget["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(&manifest("Service")["spec"]["selector"], labels);
    assert_eq!(deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], 0);
    let drain = &manifest("ConfigMap")["data"]["ATUMPAN_DRAIN_SECONDS"];
    let drain: u64 = drain.as_str().unwrap().parse().unwrap();
    let grace = pod["spec"]["terminationGracePeriodSeconds"].as_u64().unwrap();
    assert!(grace >= drain + 30, "{grace} seconds are too few");
}

#[test]
fn kubernetes_runs_it_without_rights_and_with_settings_that_exist() {
    let deployment = manifest("Deployment");
    let pod = &deployment["spec"]["template"]["spec"];
    let rights = &pod["containers"][0]["securityContext"];
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(rights["readOnlyRootFilesystem"], true);
    assert_eq!(rights["allowPrivilegeEscalation"], false);

    let config = manifest("ConfigMap");
    settings::assert_known(keys(&config["data"]).into_iter());
    let secret = manifest("Secret");
    let secrets = keys(&secret["stringData"]);
    for value in config["data"].as_object().unwrap().values() {
        let file = value.as_str().unwrap().strip_prefix("/etc/atumpan/secrets/");
        assert!(file.is_none_or(|file| secrets.contains(file)), "{value}");
    }
}
