//! Prometheus of a test, which reads the metrics of a service each second and evaluates our rules.

use std::{
    fs,
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

const RULES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/deploy/prometheus/atumpan.rules.yml");

/// Prometheus. It ends when this is dropped.
pub(super) struct Prometheus {
    process: Child,
    url: String,
    _folder: TempDir,
}

impl Prometheus {
    /// Starts Prometheus, which reads the metrics of the service at that address.
    pub(super) fn start(mut command: Command, target: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("prometheus.yml");
        let text = format!(
            "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: ['{RULES}']\n\
             scrape_configs: [{{job_name: atumpan, static_configs: [{{targets: ['{target}']}}]}}]\n"
        );
        fs::write(&config, text).unwrap();
        let listen = format!("127.0.0.1:{}", testkit::free_port());
        let process = command
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address={listen}"))
            .arg("--log.level=error")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, url: format!("http://{listen}/api/v1"), _folder: folder }
    }

    /// Returns nothing once a query has a result.
    pub(super) async fn answer(&self, query: &str) -> Result<(), String> {
        let answer = self.get("query", &[("query", query)]).await?;
        match answer["data"]["result"].as_array() {
            Some(result) if !result.is_empty() => Ok(()),
            _ => Err(answer.to_string()),
        }
    }

    /// Returns the names and the states of the rules once all are evaluated.
    pub(super) async fn rules(&self) -> Result<Vec<(String, String)>, String> {
        let answer = self.get("rules", &[]).await?;
        let groups = answer["data"]["groups"].as_array().into_iter().flatten();
        let rules = groups.filter_map(|group| group["rules"].as_array()).flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        rules
            .map(|rule| match rule["health"].as_str() {
                Some("ok") => Ok((text(&rule["name"]), text(&rule["state"]))),
                _ => Err(rule.to_string()),
            })
            .collect()
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, String> {
        let request = testkit::client().get(format!("{}/{path}", self.url)).query(query);
        let answer = request.send().await.map_err(|error| error.to_string())?;
        let text = answer.text().await.map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
