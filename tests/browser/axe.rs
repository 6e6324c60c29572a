//! `axe-core`, which checks a page against the success criteria of WCAG.

use std::{fs, path::Path, slice::from_ref};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::{requires, skipped};

use crate::browser::Browser;

const PACKAGE: &str = "axe-core@4.14.1";
/// File of the package that is run, and its SHA-256 in Base64.
const SCRIPT: &str = "node_modules/axe-core/axe.min.js";
const HASH: &str = "KTSJmUUM3yhJqOcLeRL8LahahJ2jnA0NU5T1HUqe2Vw=";
/// Rules of WCAG 2.0, 2.1 and 2.2, levels A and AA.
const TAGS: [&str; 5] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/// Rules whose outcome differs between colour schemes.
const COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];
const CHECK: &str = "
const options = {runOnly: arguments[0], resultTypes: ['violations']};
return axe.run(document, options)
    .then(results => results.violations.flatMap(violation => violation.nodes.map(node => ({
        rule: violation.id,
        help: violation.help,
        element: node.html.slice(0, 200),
        summary: node.failureSummary,
    }))));";

/// Library, ready to be put into pages.
pub(crate) struct Axe {
    script: String,
}

impl Axe {
    /// Returns the library, which is installed where builds keep temporary files; `None` if it is not to be
    /// had.
    pub(crate) fn installed() -> Option<Self> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PACKAGE);
        let mut installer = requires("npm")?;
        let file = folder.join(SCRIPT);
        if !file.exists() {
            fs::create_dir_all(&folder).unwrap();
            let options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE];
            let done = installer.args(options).arg("--prefix").arg(&folder).output().unwrap();
            if !done.status.success() {
                let problem = String::from_utf8_lossy(&done.stderr);
                skipped(&format!("npm does not install {PACKAGE}: {problem}"));
                return None;
            }
        }
        let script = fs::read_to_string(&file).unwrap();
        let hash = BASE64_STANDARD.encode(Sha256::digest(&script));
        assert_eq!(hash, HASH, "{} is the script of {PACKAGE}", file.display());
        Some(Self { script })
    }

    /// Returns what breaks a rule on the page as it is now, each as one text.
    pub(crate) async fn violations(&self, browser: &Browser) -> Vec<String> {
        self.found(browser, &json!({"type": "tag", "values": TAGS})).await
    }

    /// Returns what breaks a rule on colours, likewise.
    pub(crate) async fn faint_texts(&self, browser: &Browser) -> Vec<String> {
        self.found(browser, &json!({"type": "rule", "values": COLOURS})).await
    }

    async fn found(&self, browser: &Browser, rules: &Value) -> Vec<String> {
        if browser.run("return typeof axe === 'undefined'", &[]).await == true {
            browser.run(&self.script, &[]).await;
        }
        let found = browser.run(CHECK, from_ref(rules)).await;
        found.as_array().unwrap().iter().map(text_of).collect()
    }
}

/// Returns a violation as a text.
fn text_of(violation: &Value) -> String {
    let part = |name: &str| violation[name].as_str().unwrap_or_default().to_owned();
    let summary = part("summary").replace('\n', "\n      ");
    format!("{}: {}\n    {}\n    {summary}", part("rule"), part("help"), part("element"))
}
