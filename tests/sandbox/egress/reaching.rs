//! What may be reached is reached, by the libraries that programs use.

use super::{Outside, fixture, program};
use crate::bench::{Bench, policy};
use crate::network::{self, Network};
use regate::call::{Language, Source};
use regate::facts::drift::drift;
use regate::facts::{Facts, Limits, extract};
use regate::policy::Runtime;

#[tokio::test]
async fn a_host_that_is_open_is_reached_by_every_way() {
    let Some(network) =
        network::enter("egress::reaching::a_host_that_is_open_is_reached_by_every_way")
    else {
        return;
    };
    for runtime in Runtime::ALL {
        reach(&network, runtime).await;
    }
}

async fn reach(network: &Network, runtime: Runtime) {
    let outside = Outside::of(runtime);
    for (url, said) in [
        ("https://api.example.com/a", "200 hello from 443/a with 0\n"),
        ("https://API.Example.com:443/a", "200 hello from 443/a with 0\n"),
        ("http://api.example.com/a?b", "200 hello from 80/a?b with 0\n"),
    ] {
        let text = program(network, fixture!("urllib_get"), &[("PAGE", url)]);
        let (stdout, ended) = outside.told(&text).await;
        assert_eq!(stdout, said, "{url}");
        let [one] = &*ended else { panic!("{ended:?}") };
        assert_eq!((one.asked.number, &*one.asked.host), (1, "api.example.com"));
        assert_eq!(one.how.as_str(), "closed");
        assert!(one.sent_bytes > 50 && one.received_bytes > 50, "{one:?}");
    }
    let heard = network.heard();
    assert!(heard.contains(&"80 GET /a?b HTTP/1.1 api.example.com close".to_owned()), "{heard:?}");

    let (stdout, ended) = outside.words(&program(network, fixture!("http_client"), &[])).await;
    assert_eq!(stdout, "200 hello from 443/one with 3\n200 hello from 443/two with 3\n");
    assert_eq!(ended, ["closed"]);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn much_is_carried_whole() {
    let Some(network) = network::enter("egress::reaching::much_is_carried_whole") else { return };
    for runtime in Runtime::ALL {
        carry(&network, runtime).await;
    }
}

async fn carry(network: &Network, runtime: Runtime) {
    let outside = Outside::of(runtime);
    let down = program(network, fixture!("download"), &[("PATH", "big=20000000")]);
    assert_eq!(outside.words(&down).await, ("whole 20000000\n".to_owned(), vec!["closed"]));
    let up = program(network, fixture!("upload"), &[("COUNT", "3000000")]);
    let (stdout, ended) = outside.words(&up).await;
    assert_eq!(stdout, "200 hello from 80/upload with 3000000\n");
    assert_eq!(ended, ["closed"]);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn who_reads_slowly_keeps_nobody_else_waiting() {
    let name = "egress::reaching::who_reads_slowly_keeps_nobody_else_waiting";
    let Some(network) = network::enter(name) else { return };
    let outside = Outside::new();
    let (stdout, ended) = outside.words(&program(&network, fixture!("slow_reader"), &[])).await;
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[0], "True");
    assert!(lines[1000].starts_with("line 999 x"));
    assert_eq!(lines[1001], "hello from 80/other with 0");
    let read: usize = lines[1002].strip_prefix("read ").unwrap().parse().unwrap();
    assert!(read > 4_000_000, "{read}");
    assert_eq!(ended, ["closed", "closed"]);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn without_an_obligation_there_is_no_proxy() {
    let bench = Bench::new();
    let run = bench.run(fixture!("no_proxy")).await;
    assert_eq!(run.stdout, "[]\nECONNREFUSED\n", "{}", run.stderr);
    let open = Outside::new().run(fixture!("no_proxy")).await;
    let names =
        "['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']";
    assert_eq!(open.stdout, format!("{names}\nNone\n"), "{}", open.stderr);
    bench.leaves_nothing().await;
}

fn facts(code: &str) -> Facts {
    let source = Source::new(Language::Python, code.as_bytes());
    extract(&source, policy().catalogue(), &Limits::default())
}

#[tokio::test]
async fn what_is_done_through_the_proxy_is_foretold_by_code_that_names_a_host_and_by_no_other() {
    let name = "egress::reaching::what_is_done_through_the_proxy_is_foretold_by_code_that_names_a_host_and_by_no_other";
    let Some(_network) = network::enter(name) else { return };
    let outside = Outside::new();
    let program = fixture!("listed");
    let run = outside.run(program).await;
    assert!(run.stdout.starts_with("hello from 80"), "{}", run.stderr);
    let table = policy().events().unwrap();
    assert_eq!(drift(&run.events, &facts(program), table), []);
    let strayed = drift(&run.events, &facts("print(1)"), table);
    let connects = strayed.iter().find(|one| &*one.event == "socket.connect").unwrap();
    assert_eq!(connects.capability, "net");
    outside.bench.leaves_nothing().await;
}
