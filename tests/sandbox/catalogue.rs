//! What the bundle says of the image is what the image says of itself.

#![expect(clippy::disallowed_methods, reason = "a test starts the program and reads its files")]

use std::path::Path;
use std::process::Command;

const POLICIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/policies");

/// Makes `image/python.json` for the shipped list of modules, in a folder of its own.
fn generated(folder: &Path) -> String {
    for file in bundle() {
        let copy = folder.join(&file);
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(Path::new(POLICIES).join(&file), copy).unwrap();
    }
    let policies = folder.to_str().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_regate"))
        .args(["catalogue", "generate", "--policies", policies])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(folder.join("image/python.json")).unwrap()
}

/// Every file of the shipped bundle but the one that is generated.
fn bundle() -> Vec<String> {
    let files = walkdir::WalkDir::new(POLICIES).into_iter().map(Result::unwrap);
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.path().strip_prefix(POLICIES).unwrap().to_str().unwrap().to_owned())
        .filter(|path| !path.starts_with("image/"))
        .collect()
}

#[test]
fn the_bundle_describes_this_image_and_the_description_is_always_the_same() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (first, second) = (generated(first.path()), generated(second.path()));
    assert!(first == second, "two runs describe the image differently");
    let shipped = std::fs::read_to_string(Path::new(POLICIES).join("image/python.json"));
    assert!(
        first == shipped.unwrap(),
        "the image is another one: run `regate catalogue generate --policies policies`"
    );
}
