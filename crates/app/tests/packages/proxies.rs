//! Settings of proxies with TLS: the proxies accept them. That they lose no request is in `process`.

use std::{fs, path::Path, process::Output};

use testkit::{free_port, requires};

use crate::files::{read, replaced};

/// Writes a certificate for this machine, and its key.
fn write_certificate(folder: &Path) {
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (certificate, key) = (certified.cert.pem(), certified.signing_key.serialize_pem());
    fs::write(folder.join("atumpan.key"), &key).unwrap();
    fs::write(folder.join("atumpan.pem"), certificate + &key).unwrap();
}

#[track_caller]
fn assert_accepted(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn haproxy_accepts_its_settings() {
    let Some(mut haproxy) = requires("haproxy") else { return };
    let folder = tempfile::tempdir().unwrap();
    write_certificate(folder.path());
    let own = format!("{}/", folder.path().display());
    let settings = replaced(&read("docs/deploy/proxies/haproxy.cfg"), "/etc/haproxy/", &own);
    let path = folder.path().join("haproxy.cfg");
    fs::write(&path, settings).unwrap();

    assert_accepted(&haproxy.arg("-c").arg("-f").arg(path).output().unwrap());
}

#[test]
fn nginx_accepts_its_settings() {
    let Some(mut nginx) = requires("nginx") else { return };
    let folder = tempfile::tempdir().unwrap();
    write_certificate(folder.path());
    let own = format!("{}/", folder.path().display());
    // The first line of the settings names their own path.
    let settings = replaced(&read("docs/deploy/proxies/nginx.conf"), "/etc/nginx/", &own);
    // It binds its addresses even when it only checks.
    let settings = replaced(&settings, "listen 80;", &format!("listen 127.0.0.1:{};", free_port()));
    let tls = format!("listen 127.0.0.1:{} ssl", free_port());
    let settings = replaced(&settings, "listen 443 ssl", &tls);
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {own}{kind};\n"));
    let whole = format!(
        "pid {own}pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{}{settings}}}\n",
        temporary.concat()
    );
    let path = folder.path().join("nginx.conf");
    fs::write(&path, whole).unwrap();

    nginx.arg("-t").arg("-p").arg(folder.path()).arg("-c").arg(path);
    assert_accepted(&nginx.output().unwrap());
}
