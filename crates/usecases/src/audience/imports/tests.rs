//! Uploads of files to a mocked store.

use std::collections::VecDeque;

use domain::identity::organization::Role;
use ports::shared::{
    mock::{MockImportRepository, MockWakeSignal},
    nobody::Nobody,
};

use super::*;
use crate::shared::fixtures::{away, clock, member};

/// File that arrives in these pieces.
struct Pieces(VecDeque<Vec<u8>>);

#[async_trait]
impl Incoming for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Faults> {
        Ok(self.0.pop_front())
    }
}

#[async_trait]
impl Incoming for &mut Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Faults> {
        Ok(self.0.pop_front())
    }
}

fn pieces<const N: usize>(pieces: [&str; N]) -> Pieces {
    Pieces(pieces.map(|piece| piece.as_bytes().to_vec()).into())
}

fn imports(repository: MockImportRepository) -> Imports {
    Imports::new(Arc::new(repository), Arc::new(Nobody), Bounds::none(), clock())
}

/// Repository that accepts one upload.
fn open() -> MockImportRepository {
    let mut repository = MockImportRepository::new();
    repository.expect_begin().once().returning(|_, _| Ok(true));
    repository
}

#[tokio::test]
async fn a_file_that_has_come_in_is_submitted_with_what_cannot_be_read() {
    let mut repository = open();
    repository.expect_submit().once().returning(|import, received, _| {
        assert_eq!(received.last.as_ref().unwrap().bytes, b"0244123456\n");
        let import = Import { total_rows: received.total_rows, ..import.clone() };
        Ok(Submitted::Done(Box::new(import)))
    });
    let file = pieces(["pho", "ne\n0244123456\n", "\"0244"]);
    let caller = member(Role::CampaignManager);
    let uploaded = imports(repository)
        .upload(&caller, ImportKind::Contacts, FileRequest::default(), file)
        .await;

    let (import, unreadable) = uploaded.unwrap();
    assert_eq!((import.total_rows, import.organization), (2, caller.organization));
    assert_eq!(unreadable.iter().map(|error| error.row).collect::<Vec<_>>(), [3]);
}

#[tokio::test]
async fn a_file_that_has_come_in_wakes_the_workers() {
    let mut repository = open();
    repository
        .expect_submit()
        .once()
        .returning(|import, _, _| Ok(Submitted::Done(Box::new(import.clone()))));
    let mut wake_signal = MockWakeSignal::new();
    wake_signal.expect_signal().once().withf(|work| *work == DueWork::Imports).return_const(());
    let (repository, wake_signal) = (Arc::new(repository), Arc::new(wake_signal));
    let imports = Imports::new(repository, wake_signal, Bounds::none(), clock());
    let caller = member(Role::CampaignManager);
    let file = pieces(["phone\n0244123456\n"]);

    let uploaded =
        imports.upload(&caller, ImportKind::Contacts, FileRequest::default(), file).await;

    assert!(uploaded.is_ok());
}

#[tokio::test]
async fn a_file_that_cannot_be_submitted_is_abandoned() {
    let mut repository = open();
    repository.expect_submit().once().returning(|_, _, _| Err(away()));
    repository.expect_abandon().once().returning(|_, _| Err(away()));
    let (owner, file) = (member(Role::Owner), pieces(["phone\n1\n"]));
    let failed = imports(repository)
        .upload(&owner, ImportKind::Contacts, FileRequest::default(), file)
        .await;
    assert!(matches!(failed, Err(Error::Store(_))), "{failed:?}");
}

#[tokio::test]
async fn a_file_that_is_known_is_refused_and_abandoned() {
    let former = some_import();
    let mut repository = open();
    repository.expect_submit().once().returning(move |_, _, file| {
        // The bytes are the same in any number of pieces.
        let expected = crate::shared::digest::of_bytes(b"phone\n1\n");
        assert_eq!(file, FileIdentity { hash: expected, is_once: true });
        Ok(Submitted::Known(former))
    });
    repository.expect_abandon().once().returning(|_, _| Ok(()));
    let request = FileRequest { is_once: true, ..FileRequest::default() };
    let (owner, file) = (member(Role::Owner), pieces(["pho", "ne\n1\n"]));

    let refused = imports(repository).upload(&owner, ImportKind::Contacts, request, file).await;

    let Err(Error::Conflict(reason)) = refused else { panic!("{refused:?}") };
    assert_eq!(reason.code, "FILE_IMPORTED");
    assert_eq!(reason.details, [("importId", former.to_string())]);
}

#[tokio::test]
async fn a_preview_stores_nothing_and_reads_only_the_beginning() {
    let rows = "0244123456\n".repeat(2_000);
    let mut file = pieces(["phone\n", rows.as_str(), "\0", "\0"]);
    let caller = member(Role::CampaignManager);

    let preview = imports(MockImportRepository::new())
        .preview(&caller, ImportKind::Contacts, FileRequest::default(), &mut file)
        .await;

    assert_eq!(preview.unwrap().rows.len(), 10);
    assert_eq!(file.0.len(), 2, "bytes that no text has are not read");
}

#[tokio::test]
async fn a_consent_is_of_contacts_and_has_a_source() {
    for (kind, source) in [
        (ImportKind::Suppressions, "Fair in Tamale".to_owned()),
        (ImportKind::Contacts, " ".to_owned()),
        (ImportKind::Contacts, "x".repeat(201)),
    ] {
        let request = FileRequest { consent_source: Some(source), ..FileRequest::default() };
        let file = pieces(["phone\n0244123456\n"]);
        let refused = imports(MockImportRepository::new())
            .upload(&member(Role::Owner), kind, request, file)
            .await;
        let Err(Error::Invalid(faults)) = refused else { panic!("{refused:?}") };
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["consentSource"]);
    }
}

#[tokio::test]
async fn all_rows_that_failed_are_read_part_by_part() {
    let mut repository = MockImportRepository::new();
    repository.expect_errors().times(2).returning(|_, _, after, limit| {
        let rows = (after + 1..=1_500).take(limit);
        Ok(rows.map(|row| RowError::whole(row, "is wrong")).collect())
    });
    let id = some_import();
    let mut errors = RowErrors {
        repository: Arc::new(repository),
        organization: crate::shared::fixtures::tenant(),
        id,
        after: Some(0),
    };
    let mut sizes = Vec::new();
    loop {
        let part = errors.next().await.unwrap();
        if part.is_empty() {
            break;
        }
        sizes.push(part.len());
    }
    assert_eq!(sizes, [1_000, 500]);
}

fn some_import() -> Id<Import> {
    "018bcfe5-6800-7000-8000-000000000001".parse().unwrap()
}
