//! Files that are held in a mocked store.

use std::sync::Mutex;

use domain::identity::organization::Role;
use ports::{
    audience::imports::HeldFile,
    shared::{mock::MockImportRepository, nobody::Nobody},
};

use super::*;
use crate::shared::{
    bounds::Bounds,
    fixtures::{away, clock, member},
};

const CONTACTS: ImportKind = ImportKind::Contacts;

/// File that arrives in these pieces.
struct Pieces(std::vec::IntoIter<Vec<u8>>);

#[async_trait]
impl Incoming for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Faults> {
        Ok(self.0.next())
    }
}

fn imports(repository: MockImportRepository) -> Imports {
    Imports::new(Arc::new(repository), Arc::new(Nobody), Bounds::none(), clock())
}

/// Repository that holds a file of these chunks.
fn holding(chunks: &'static [&'static str]) -> MockImportRepository {
    let mut repository = MockImportRepository::new();
    let held =
        HeldFile { name: Some("shop.csv".into()), chunks: u32::try_from(chunks.len()).unwrap() };
    repository.expect_held().returning(move |_, _, _| Ok(Some(held.clone())));
    repository.expect_held_chunk().returning(|_, _, number| {
        let chunk = chunks.get(usize::try_from(number).unwrap());
        Ok(chunk.map(|chunk| chunk.as_bytes().to_vec()))
    });
    repository
}

fn some_file() -> Id<Import> {
    "018bcfe5-6800-7000-8000-000000000001".parse().unwrap()
}

#[tokio::test]
async fn a_file_is_held_as_it_came() {
    let stored = Arc::new(Mutex::new(Vec::new()));
    let its = Arc::clone(&stored);
    let mut repository = MockImportRepository::new();
    repository.expect_begin().once().returning(|_, _| Ok(true));
    repository.expect_add_chunk().returning(move |_, chunk| {
        assert_eq!((chunk.first_row, chunk.rows), (HELD_ROW, 0));
        its.lock().unwrap().push((chunk.number, chunk.bytes.len()));
        Ok(())
    });
    let pieces = vec![vec![b'1'; CHUNK - 1], vec![b'2'; 2], vec![b'3'; 5]];
    let file = Pieces(pieces.into_iter());

    imports(repository).hold(&member(Role::Owner), CONTACTS, None, file).await.unwrap();

    assert_eq!(*stored.lock().unwrap(), [(0, CHUNK + 1), (1, 5)]);
}

#[tokio::test]
async fn an_empty_file_is_not_held() {
    let mut repository = MockImportRepository::new();
    repository.expect_begin().once().returning(|_, _| Ok(true));
    repository.expect_abandon().once().returning(|_, _| Ok(()));
    let file = Pieces(Vec::new().into_iter());

    let refused = imports(repository).hold(&member(Role::Owner), CONTACTS, None, file).await;

    let Err(Error::Invalid(faults)) = refused else { panic!("{refused:?}") };
    assert_eq!(faults, Faults::field("file", "is empty"));
}

#[tokio::test]
async fn a_held_file_without_an_address_shows_its_columns_and_the_fault() {
    let owner = member(Role::Owner);
    let imports = imports(holding(&["Who,Handy\nAma,024", "4123456\n"]));

    let preview = imports.preview_held(&owner, some_file(), FileRequest::default()).await;

    let preview = preview.unwrap();
    let headers: Vec<_> = preview.columns.iter().map(|it| it.header.as_str()).collect();
    assert_eq!(headers, ["Who", "Handy"]);
    assert!(preview.rows.unwrap_err().fields.contains_key("file"));
    let phone = [("Handy".to_owned(), Some("phone".to_owned()))];
    let mapping = domain::audience::import::Mapping(phone.into_iter().collect());
    let request = FileRequest { mapping, ..FileRequest::default() };
    let mapped = imports.preview_held(&owner, some_file(), request).await.unwrap();
    let rows = mapped.rows.unwrap().rows;
    assert_eq!(rows[0].contact.phone.as_ref().unwrap().as_str(), "+233244123456");
}

#[tokio::test]
async fn a_held_file_is_not_in_the_way_of_its_own_import() {
    let mut repository = holding(&["phone\n0244123456\n"]);
    let has_room = |_: &Import, most: &usize| *most == MAX_WAITING + 1;
    repository.expect_begin().once().withf(has_room).returning(|_, _| Ok(false));
    let request = FileRequest::default();

    let refused =
        imports(repository).import_held(&member(Role::Owner), CONTACTS, some_file(), request).await;

    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

#[tokio::test]
async fn a_file_that_is_gone_before_its_end_is_not_imported() {
    let mut repository = MockImportRepository::new();
    let held = HeldFile { name: None, chunks: 2 };
    repository.expect_held().returning(move |_, _, _| Ok(Some(held.clone())));
    repository
        .expect_held_chunk()
        .returning(|_, _, number| Ok((number == 0).then(|| b"phone\n0244123456\n".to_vec())));
    repository.expect_begin().once().returning(|_, _| Ok(true));
    repository.expect_abandon().once().returning(|_, _| Ok(()));
    let request = FileRequest::default();

    let refused =
        imports(repository).import_held(&member(Role::Owner), CONTACTS, some_file(), request).await;

    assert!(matches!(refused, Err(Error::NotFound("file"))), "{refused:?}");
}

#[tokio::test]
async fn a_store_that_is_away_is_not_a_fault_of_the_file() {
    let mut repository = MockImportRepository::new();
    let held = HeldFile { name: None, chunks: 1 };
    repository.expect_held().returning(move |_, _, _| Ok(Some(held.clone())));
    let mut looks = 0;
    repository.expect_held_chunk().returning(move |_, _, _| {
        looks += 1;
        if looks == 1 { Ok(Some(b"phone\n".to_vec())) } else { Err(away()) }
    });
    let owner = member(Role::Owner);
    let refused =
        imports(repository).preview_held(&owner, some_file(), FileRequest::default()).await;
    assert!(matches!(refused, Err(Error::Store(_))), "{refused:?}");
}
