use super::*;
use std::fs;
use std::os::unix::fs::symlink;

fn names(found: Vec<Found>, folder: &Path) -> Vec<String> {
    let own = format!("{}/", folder.display());
    found.into_iter().map(|input| input.unwrap().name().replace(&own, "")).collect()
}

#[test]
fn a_folder_is_its_code_in_order_without_what_was_made_or_installed() {
    let folder = tempfile::TempDir::new().unwrap();
    let root = folder.path();
    let files = [
        "b.py",
        "a/z.py",
        "a/.hidden.py",
        "a/notes.txt",
        ".git/hook.py",
        "__pycache__/b.py",
        "node_modules/c/d.py",
        "own/pyvenv.cfg",
        "own/lib/e.py",
        "own_twin/lib/e.py",
    ];
    for file in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x = 1").unwrap();
    }
    let found = names(gather(&[root.to_owned()]), root);
    assert_eq!(found, ["a/.hidden.py", "a/z.py", "b.py", "own_twin/lib/e.py"]);
    let named = names(gather(&[root.join(".git"), root.join("a/notes.txt")]), root);
    assert_eq!(named, [".git/hook.py", "a/notes.txt"]);
}

#[test]
fn a_link_leads_nowhere_unless_it_is_named() {
    let (folder, outside) = (tempfile::TempDir::new().unwrap(), tempfile::TempDir::new().unwrap());
    fs::write(outside.path().join("secret.py"), "x = 1").unwrap();
    fs::write(folder.path().join("own.py"), "x = 1").unwrap();
    symlink(outside.path(), folder.path().join("linked")).unwrap();
    symlink(outside.path().join("secret.py"), folder.path().join("linked.py")).unwrap();
    symlink(folder.path(), folder.path().join("loop")).unwrap();
    assert_eq!(names(gather(&[folder.path().to_owned()]), folder.path()), ["own.py"]);
    let named = gather(&[folder.path().join("linked")]);
    assert_eq!(names(named, folder.path()), ["linked/secret.py"]);
}

#[test]
fn a_piece_that_is_named_twice_is_one_and_nothing_found_is_an_error() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("a.py");
    fs::write(&file, "x = 1").unwrap();
    let named = [file.clone(), folder.path().to_owned(), "-".into(), "-".into()];
    assert_eq!(names(gather(&named), folder.path()), ["a.py", "<stdin>"]);
    fs::remove_file(file).unwrap();
    let found = gather(&[folder.path().to_owned()]);
    assert!(found.first().unwrap().is_err());
}
