//! How programs begin and end.

use super::bench::{Bench, program};
use regate::sandbox::{End, Run};

fn told(run: &Run) -> (End, &str, &str) {
    (run.end, run.stdout.as_str(), run.stderr.as_str())
}

#[tokio::test]
async fn output_comes_back() {
    let bench = Bench::new();
    let run = bench.run(program!("ends/hello")).await;
    assert_eq!(told(&run), (End::Exited(0), "hello\n", ""));
    assert!(!run.truncated);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn the_source_goes_in_byte_for_byte() {
    let program = program!("ends/exact");
    let bench = Bench::new();
    let expected = [
        "é e\u{301} \u{fb01} \u{fb00}",
        "\t tab\t trailing   ",
        "\u{10348} \u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{627}\u{200b}\u{628}",
        "one\ntwo",
    ]
    .map(hex)
    .join("\n");
    let plain = bench.run(program).await;
    assert_eq!(told(&plain), (End::Exited(0), &*format!("{expected}\n"), ""));
    let unended = bench.run(program.trim_end()).await;
    assert_eq!(unended.stdout, plain.stdout);
    let windows = bench.run(&program.replace('\n', "\r\n")).await;
    assert_eq!(told(&windows), told(&plain));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_source_larger_than_every_buffer_goes_in_whole() {
    let padding = format!("# {}\n", "padding ".repeat(10)).repeat(8_000);
    let bench = Bench::new();
    let run = bench.run(&(padding + program!("ends/traceback"))).await;
    assert_eq!(run.end, End::Exited(1));
    assert!(run.stderr.contains("line 8006"), "{}", run.stderr);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn an_empty_source_is_a_program_that_does_nothing() {
    let bench = Bench::new();
    let run = bench.run("").await;
    assert_eq!(told(&run), (End::Exited(0), "", ""));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_source_that_is_no_text_is_python_s_to_refuse() {
    let bench = Bench::new();
    let run = bench.try_run(b"print('\xff')\n").await.unwrap();
    assert_eq!(run.end, End::Exited(1));
    assert!(run.stderr.contains("SyntaxError"), "{}", run.stderr);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_traceback_names_the_line() {
    let bench = Bench::new();
    let run = bench.run(program!("ends/traceback")).await;
    assert_eq!(run.end, End::Exited(1));
    assert!(run.stderr.contains("File \"<stdin>\", line 6, in <module>"));
    assert!(run.stderr.ends_with("ZeroDivisionError: division by zero\n"));
    let twin = bench.run(program!("ends/traceback_twin")).await;
    assert_eq!(told(&twin), (End::Exited(0), "division by zero\n", ""));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn exit_codes_are_the_program_s_own() {
    let bench = Bench::new();
    let code = bench.run(program!("ends/exit_code")).await;
    assert_eq!(told(&code), (End::Exited(7), "before\n", ""));
    let message = bench.run(program!("ends/exit_message")).await;
    assert_eq!(told(&message), (End::Exited(1), "", "nothing to do\n"));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_signal_is_told_from_an_exit() {
    let bench = Bench::new();
    let run = bench.run(program!("ends/signal")).await;
    assert_eq!(told(&run), (End::Signalled(11), "", ""));
    let twin = bench.run(program!("ends/signal_twin")).await;
    assert_eq!(told(&twin), (End::Exited(0), "caught 10\n", ""));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn nothing_follows_the_source_on_stdin() {
    let bench = Bench::new();
    let run = bench.run(program!("ends/stdin")).await;
    assert_eq!(told(&run), (End::Exited(0), "''\n", ""));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn the_packages_that_agents_use_work() {
    let bench = Bench::new();
    let run = bench.run(program!("packages/plot")).await;
    let expected = "28.5\n[120, 165]\nb'\\x89PNG'\n";
    assert_eq!(told(&run), (End::Exited(0), expected, ""));
    bench.leaves_nothing().await;
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}
