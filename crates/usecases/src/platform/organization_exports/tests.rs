//! Exports of organizations, list by list.

use std::collections::VecDeque;

use async_trait::async_trait;
use domain::platform::organization_export::ExportedRow;

use super::*;

const KNOWN: &str = "00000000-0000-7000-8000-000000000001";

/// Store in which one segment of an organization has five members, and nothing else.
struct FiveMembers;

struct Portions(VecDeque<Vec<ExportedRow>>);

#[async_trait]
impl OrganizationSnapshots for FiveMembers {
    async fn open(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<Box<dyn OrganizationSnapshot>>, StoreError> {
        let is_known = organization.to_string() == KNOWN;
        let snapshot: Box<dyn OrganizationSnapshot> = Box::new(Portions(VecDeque::new()));
        Ok(is_known.then_some(snapshot))
    }
}

#[async_trait]
impl OrganizationSnapshot for Portions {
    async fn begin(&mut self, list: ExportedList) -> Result<(), StoreError> {
        assert!(self.0.is_empty(), "the list before was not read to its end");
        if list == ExportedList::SegmentMembers {
            let object = r#"{"segmentId": "a", "contactId": "b"}"#;
            let row = ExportedRow::parse(list, object).unwrap();
            self.0.extend([2, 2, 1].map(|rows| vec![row.clone(); rows]));
        }
        Ok(())
    }

    async fn next_rows(&mut self) -> Result<Vec<ExportedRow>, StoreError> {
        Ok(self.0.pop_front().unwrap_or_default())
    }
}

/// Record of what was written; it fails at a list if told to.
#[derive(Default)]
struct Recorded {
    begun: Vec<ExportedList>,
    ended: usize,
    rows: usize,
    full_at: Option<ExportedList>,
}

impl ExportFiles for Recorded {
    fn begin(&mut self, list: ExportedList) -> io::Result<()> {
        self.begun.push(list);
        Ok(())
    }

    fn write(&mut self, row: &ExportedRow) -> io::Result<()> {
        self.rows += 1;
        if self.full_at == Some(row.list()) {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            Ok(())
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.ended += 1;
        Ok(())
    }
}

#[tokio::test]
async fn every_list_is_written_to_its_end() {
    let mut files = Recorded::default();

    let counts = export(&FiveMembers, KNOWN.parse().unwrap(), &mut files).await.unwrap();

    assert_eq!(files.begun, ExportedList::ALL);
    assert_eq!((files.ended, files.rows), (ExportedList::ALL.len(), 5));
    let rows = |list| counts.iter().find(|count| count.list == list).unwrap().rows;
    assert_eq!((rows(ExportedList::SegmentMembers), rows(ExportedList::Contacts)), (5, 0));
}

#[tokio::test]
async fn nothing_is_written_of_an_unknown_organization() {
    let mut files = Recorded::default();
    let unknown = "00000000-0000-7000-8000-000000000002".parse().unwrap();

    let error = export(&FiveMembers, unknown, &mut files).await.unwrap_err();

    assert!(matches!(error, ExportError::UnknownOrganization(id) if id == unknown));
    assert!(files.begun.is_empty());
}

#[tokio::test]
async fn a_full_disk_ends_the_export() {
    let mut files = Recorded { full_at: Some(ExportedList::SegmentMembers), ..Recorded::default() };

    let error = export(&FiveMembers, KNOWN.parse().unwrap(), &mut files).await.unwrap_err();

    assert!(matches!(error, ExportError::Write(_)), "{error}");
    assert_eq!(files.begun.last(), Some(&ExportedList::SegmentMembers));
}
