//! Folder with the files of an export: each list as JSON Lines and as CSV.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use domain::{
    platform::organization_export::{ExportedList, ExportedRow},
    shared::csv,
};
use ports::platform::organization_exports::ExportFiles;
use usecases::platform::organization_exports::ExportedCount;

/// Name of the file that is written last: an export without it is incomplete.
const CONTENTS: &str = "contents.csv";

/// Folder that an export fills. Only its owner can read it: it has personal data.
pub(crate) struct ExportFolder {
    path: PathBuf,
    /// Files of the list that is being written.
    open: Option<Files>,
}

struct Files {
    json: BufWriter<File>,
    csv: BufWriter<File>,
}

impl ExportFolder {
    /// Creates the folder. One that exists must be empty.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        match fs::read_dir(path) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    let error = format!("{} is not empty", path.display());
                    return Err(io::Error::new(io::ErrorKind::AlreadyExists, error));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(0o700).create(path)?;
            }
            Err(error) => return Err(error),
        }
        Ok(Self { path: path.to_owned(), open: None })
    }

    /// Writes the list of the files, which completes the export.
    pub(crate) fn complete(self, counts: &[ExportedCount]) -> io::Result<()> {
        let mut text = String::new();
        csv::push_line(&mut text, ["list", "rows"]);
        for ExportedCount { list, rows } in counts {
            csv::push_line(&mut text, [list.as_str(), rows.to_string().as_str()]);
        }
        let mut contents = self.file(CONTENTS)?;
        contents.write_all(text.as_bytes())?;
        close(contents)
    }

    fn file(&self, name: &str) -> io::Result<BufWriter<File>> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(self.path.join(name))?;
        Ok(BufWriter::new(file))
    }
}

impl ExportFiles for ExportFolder {
    fn begin(&mut self, list: ExportedList) -> io::Result<()> {
        let json = self.file(&format!("{list}.jsonl"))?;
        let mut csv = self.file(&format!("{list}.csv"))?;
        csv.write_all(list.csv_header().as_bytes())?;
        self.open = Some(Files { json, csv });
        Ok(())
    }

    fn write(&mut self, row: &ExportedRow) -> io::Result<()> {
        let Some(files) = &mut self.open else { return Ok(()) };
        files.json.write_all(row.json_line().as_bytes())?;
        files.csv.write_all(row.csv_line().as_bytes())
    }

    fn end(&mut self) -> io::Result<()> {
        let Some(Files { json, csv }) = self.open.take() else { return Ok(()) };
        close(json)?;
        close(csv)
    }
}

/// Writes what is buffered, and waits until the disk has it: an export often precedes a deletion.
fn close(file: BufWriter<File>) -> io::Result<()> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_owner_reads_the_files() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let mut folder = ExportFolder::create(&path).unwrap();
        let object = r#"{"segmentId": null, "contactId": "c"}"#;
        let row = ExportedRow::parse(ExportedList::SegmentMembers, object);

        folder.begin(ExportedList::SegmentMembers).unwrap();
        folder.write(&row.unwrap()).unwrap();
        folder.end().unwrap();
        let counts = [ExportedCount { list: ExportedList::SegmentMembers, rows: 1 }];
        folder.complete(&counts).unwrap();

        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(&path.join("segment-members.csv")), 0o600);
        assert_eq!(read("segment-members.csv"), "segmentId,contactId\r\n,c\r\n");
        assert_eq!(read("segment-members.jsonl"), "{\"segmentId\":null,\"contactId\":\"c\"}\n");
        assert_eq!(read(CONTENTS), "list,rows\r\nsegment-members,1\r\n");
    }

    #[test]
    fn a_folder_with_files_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();

        let refused = ExportFolder::create(folder.path()).err().unwrap();

        assert!(refused.to_string().ends_with("is not empty"), "{refused}");
    }
}
