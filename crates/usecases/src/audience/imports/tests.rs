//! Uploads of files to a mocked store.

use std::collections::VecDeque;

use domain::identity::organization::Role;
use ports::shared::mock::MockImportRepository;

use super::*;
use crate::shared::fixtures::{away, clock, member};

/// File that arrives in these pieces; an error breaks it off.
struct Pieces(VecDeque<Result<Vec<u8>, Faults>>);

#[async_trait]
impl Incoming for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Faults> {
        self.0.pop_front().transpose()
    }
}

fn pieces<const N: usize>(pieces: [&str; N]) -> Pieces {
    Pieces(pieces.map(|piece| Ok(piece.as_bytes().to_vec())).into())
}

fn imports(repository: MockImportRepository) -> Imports {
    Imports::new(Arc::new(repository), clock())
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
    repository.expect_submit().once().returning(|import, received| {
        assert_eq!(received.last.as_ref().unwrap().bytes, b"0244123456\n");
        Ok(Import { total_rows: received.total_rows, ..import.clone() })
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
async fn a_file_that_is_refused_or_breaks_off_leaves_nothing_behind() {
    let broken = Err(Faults::form("the body ended too early"));
    for file in [pieces(["name\nAma\n"]), Pieces([Ok(b"phone\n1\n".to_vec()), broken].into())] {
        let mut repository = open();
        repository.expect_abandon().once().returning(|_| Ok(()));
        let owner = member(Role::Owner);
        let refused = imports(repository)
            .upload(&owner, ImportKind::Contacts, FileRequest::default(), file)
            .await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
    let mut repository = open();
    repository.expect_submit().once().returning(|_, _| Err(away()));
    repository.expect_abandon().once().returning(|_| Err(away()));
    let (owner, file) = (member(Role::Owner), pieces(["phone\n1\n"]));
    let failed = imports(repository)
        .upload(&owner, ImportKind::Contacts, FileRequest::default(), file)
        .await;
    assert!(matches!(failed, Err(Error::Store(_))), "{failed:?}");
}

#[tokio::test]
async fn an_upload_needs_permission_and_a_free_place() {
    let upload = async |repository, role, kind| {
        let file = pieces(["phone\n1\n"]);
        imports(repository)
            .upload(&member(role), kind, FileRequest::default(), file)
            .await
            .unwrap_err()
            .code()
    };
    for (role, kind) in [
        (Role::ComplianceReviewer, ImportKind::Contacts),
        (Role::Developer, ImportKind::Suppressions),
        (Role::Viewer, ImportKind::Suppressions),
    ] {
        let code = upload(MockImportRepository::new(), role, kind).await;
        assert_eq!(code, "FORBIDDEN", "{role:?} {kind}");
    }
    let mut full = MockImportRepository::new();
    full.expect_begin().once().returning(|_, _| Ok(false));
    let code = upload(full, Role::ComplianceReviewer, ImportKind::Suppressions).await;
    assert_eq!(code, "TOO_MANY_IMPORTS");
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
