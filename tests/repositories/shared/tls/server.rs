//! A PostgreSQL server on a port, with a certificate.

use std::{
    fs,
    net::TcpListener,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use acceptance::{sql, until};
use app::embedded::{Durability, EmbeddedPostgres, Options};
use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// An authority's certificate, and its key for signing others.
pub(super) type Authority = (Certificate, Issuer<'static, KeyPair>);

/// An authority of that name.
pub(super) fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().unwrap();
    (params.self_signed(&key).unwrap(), Issuer::new(params, key))
}

/// A server that ends with the test.
pub(super) struct TlsServer {
    process: Child,
    port: u16,
    folder: TempDir,
}

impl TlsServer {
    /// Starts a server with a certificate for that name.
    pub(super) async fn start((_, issuer): &Authority, name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, issuer).unwrap();
        Self::start_with(Some((certificate.pem(), key.serialize_pem()))).await
    }

    /// Starts a server without TLS.
    pub(super) async fn start_in_clear() -> Self {
        Self::start_with(None).await
    }

    async fn start_with(certificate: Option<(String, String)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let data_dir = folder.path().join("data");
        let options = Options { data_dir: data_dir.clone(), durability: Durability::None };
        let postgres = EmbeddedPostgres::start(options).await.unwrap();
        write(&postgres, "hba", "local all all trust\nhost all all 127.0.0.1/32 trust\n").await;
        if let Some((certificate, key)) = &certificate {
            write(&postgres, "server.crt", certificate).await;
            write(&postgres, "server.key", key).await;
        }
        let files = files(&data_dir);
        let programs = programs(&files);
        postgres.stop().await.unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let owner = fs::metadata(&files).unwrap();
        let process = Command::new(programs)
            .uid(owner.uid())
            .gid(owner.gid())
            .arg("-D")
            .arg(&files)
            .args(["-p", &port.to_string(), "-k", "", "-c", "listen_addresses=127.0.0.1"])
            .args(["-c", "fsync=off", "-c", &format!("hba_file={}", files.join("hba").display())])
            .args(["-c", if certificate.is_some() { "ssl=on" } else { "ssl=off" }])
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, port, folder };
        let url = server.url("sslmode=disable");
        until("the server takes connections", async || {
            tokio::time::sleep(Duration::from_millis(20)).await;
            tokio_postgres::connect(&url, NoTls).await.is_ok()
        })
        .await;
        server
    }

    /// Address of the server, with parameters.
    pub(super) fn url(&self, parameters: &str) -> String {
        let port = self.port;
        format!("postgres://atumpan@localhost:{port}/atumpan?application_name=tried&{parameters}")
    }

    /// Writes a text to a file, and returns its path.
    pub(super) fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// True if the latest connection was encrypted.
    pub(super) async fn last_is_encrypted(&self) -> bool {
        let url = self.url("sslmode=disable").replace("=tried", "=looking");
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let last = "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                    WHERE application_name = 'tried' ORDER BY backend_start DESC LIMIT 1";
        client.query_one(last, &[]).await.unwrap().get(0)
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Writes a file among those of the database, readable by the server's account only.
async fn write(postgres: &EmbeddedPostgres, name: &str, text: &str) {
    let lines: Vec<_> = text.lines().map(|line| format!("'{line}'")).collect();
    let statement = format!(
        "COPY (SELECT unnest(ARRAY[{}])) TO PROGRAM 'umask 077; cat > {name}'",
        lines.join(", ")
    );
    sql(postgres.url(), &statement).await;
}

/// Folder with the files of the database, for any account of the server.
fn files(data_dir: &Path) -> PathBuf {
    let elsewhere = fs::read_to_string(data_dir.join("postgres.location"));
    elsewhere.map_or(data_dir.to_owned(), |path| path.trim_end().into()).join("postgres")
}

/// Path of the server program.
fn programs(files: &Path) -> PathBuf {
    let command = fs::read_to_string(files.join("postmaster.opts")).unwrap();
    command.split_whitespace().next().unwrap().into()
}
