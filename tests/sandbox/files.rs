//! The workspace: what goes in, what comes out, and what a hostile program makes of it.

use super::bench::{Bench, program};
use regate::policy::Runtime;
use regate::sandbox::workspace::{File, Given, Name};
use regate::sandbox::{End, Run};

fn given(files: &[(&str, &[u8])]) -> Vec<Given> {
    let given = |(name, content): &(&str, &[u8])| {
        let file = File::new(Name::new(name).unwrap(), content.to_vec());
        Given { name: file.name, content: file.content, digest: file.digest }
    };
    files.iter().map(given).collect()
}

fn changed(run: &Run) -> Vec<(&str, usize)> {
    run.files.changed.iter().map(|file| (file.name.as_str(), file.content.len())).collect()
}

fn gone(run: &Run) -> Vec<&str> {
    run.files.gone.iter().map(|(name, _)| name.as_str()).collect()
}

#[tokio::test]
async fn files_go_in_and_what_changed_comes_out() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime);
        let files = given(&[
            ("changed.txt", b"old"),
            ("read.txt", b"read"),
            ("removed.txt", b"removed"),
            ("sub/same.txt", b"same"),
        ]);
        let run = bench.run_with(&files, program!("files/changes")).await;
        assert_eq!((run.end, &*run.stdout, &*run.stderr), (End::Exited(0), "read same\n", ""));
        assert_eq!(changed(&run), [("changed.txt", 3), ("empty", 0), ("made/deep/ü b.csv", 4)]);
        assert_eq!(run.files.changed[0].content, b"new");
        assert_eq!((gone(&run), run.files.left), (vec!["removed.txt"], 0));
        bench.leaves_nothing().await;
    }
}

#[tokio::test]
async fn a_program_without_files_leaves_none() {
    let bench = Bench::new();
    let run = bench.run(program!("ends/hello")).await;
    assert_eq!(run.files, Default::default());
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn files_of_every_size_go_in_and_out_whole() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime);
        let large: Vec<u8> = (0..3_000_001_u32).map(|number| number.to_le_bytes()[1]).collect();
        let files = given(&[("empty", b""), ("large", &large), ("one", b"1")]);
        let run = bench.run_with(&files, program!("files/copies")).await;
        assert_eq!(run.end, End::Exited(0), "{}", run.stderr);
        assert_eq!(
            changed(&run),
            [("copy/empty", 0), ("copy/large", large.len()), ("copy/one", 1)]
        );
        assert!(run.files.changed[1].content == large);
        bench.leaves_nothing().await;
    }
}

#[tokio::test]
async fn a_change_through_a_mapping_is_a_change() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime);
        let files = given(&[("mapped.bin", &[b'o'; 9000])]);
        let run = bench.run_with(&files, program!("files/mapped")).await;
        assert_eq!((run.end, changed(&run)), (End::Exited(0), vec![("mapped.bin", 9000)]));
        assert!(run.files.changed[0].content.starts_with(b"newooo"));
        let twin = bench.run_with(&files, program!("files/mapped_twin")).await;
        assert_eq!((&*twin.stdout, twin.files), ("b'ooo'\n", Default::default()));
        bench.leaves_nothing().await;
    }
}

#[tokio::test]
async fn what_is_no_file_or_has_no_proper_name_stays_where_it_is() {
    let bench = Bench::new();
    let run = bench.run(program!("files/kinds")).await;
    assert_eq!((run.end, &*run.stderr), (End::Exited(0), ""));
    assert_eq!((changed(&run), run.files.left), (vec![("plain.txt", 5)], 11));
    let twin = bench.run(program!("files/kinds_twin")).await;
    let deep = format!("{}deep", "d/".repeat(15));
    let expected = [
        (&*deep, 1),
        ("new line", 1),
        ("passwd", 5),
        ("pipe", 1),
        ("plain.txt", 5),
        ("text.exe", 1),
    ];
    assert_eq!((changed(&twin), twin.files.left), (expected.to_vec(), 0));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn what_cannot_be_looked_at_is_not_taken_for_gone() {
    let bench = Bench::new();
    let files = given(&[("sub/a.txt", b"a")]);
    let run = bench.run_with(&files, program!("files/shut")).await;
    assert_eq!((run.end, run.files), (End::Exited(0), Default::default()));
    let twin = bench.run_with(&files, program!("files/shut_twin")).await;
    assert_eq!((twin.end, gone(&twin)), (End::Exited(0), vec!["sub/a.txt"]));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn of_too_many_files_the_first_come_out_and_nothing_is_taken_for_gone() {
    let bench = Bench::new();
    let files = given(&[("zzz", b"z")]);
    let run = bench.run_with(&files, program!("files/many")).await;
    assert_eq!(run.end, End::Exited(0));
    assert!(run.stdout.ends_with("True\n"), "{}", run.stdout);
    assert_eq!((run.files.changed.len(), gone(&run)), (256, vec![]));
    assert!(run.files.left > 1000, "{}", run.files.left);
    let twin = bench.run(program!("files/many_twin")).await;
    assert_eq!((twin.files.changed.len(), twin.files.left), (256, 0));
    bench.leaves_nothing().await;
}

/// Lengths count, whatever stands behind them: holes and second names multiply nothing.
#[tokio::test]
async fn lengths_that_nothing_stands_behind_stay_within_the_bounds() {
    let bench = Bench::new();
    let run = bench.run(program!("files/large")).await;
    assert_eq!((run.end, &*run.stdout), (End::Exited(0), "File too large\n"));
    let bytes: usize = changed(&run).iter().map(|(_, bytes)| bytes).sum();
    assert_eq!((bytes, run.files.left), (32 << 20, 6));
    let twin = bench.run(program!("files/large_twin")).await;
    assert_eq!((changed(&twin), twin.files.left), (vec![("hard", 1 << 20), ("hole", 1 << 20)], 0));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn files_of_a_program_that_was_killed_come_out_and_nobody_writes_on() {
    let bench = Bench::new();
    let run = bench.run(program!("files/dies")).await;
    assert_eq!((run.end, changed(&run)), (End::Signalled(11), vec![("before.txt", 6)]));
    let bench = bench.wall_ms(1_500);
    let late = bench.run(program!("files/late")).await;
    assert_eq!((late.end, changed(&late)), (End::TimedOut, vec![("before.txt", 6)]));
    bench.leaves_nothing().await;
}

/// They are refused before a container is asked for.
#[tokio::test]
async fn files_that_leave_their_program_no_room_are_refused() {
    let bench = Bench::new();
    let half = usize::try_from(bench.profile.writable_bytes_max / 2).unwrap();
    let fits = given(&[("a", &vec![0; half])]);
    assert_eq!(bench.run_with(&fits, program!("ends/hello")).await.end, End::Exited(0));
    let more = given(&[("a", &vec![0; half]), ("b", b"1")]);
    assert!(bench.try_run_with(&more, program!("ends/hello")).await.is_err());
    bench.leaves_nothing().await;
}
