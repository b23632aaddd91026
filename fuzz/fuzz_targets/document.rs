//! The facts of any source as the JSON that policy, `regate facts` and the ledger show.

#![no_main]

#[path = "../reading.rs"]
mod reading;

use regate::policy::Code;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let facts = reading::sound(bytes);
    let (complete, calls) = (facts.complete(), facts.calls.len());
    let text = Code::new(facts).to_json();
    let document: serde_json::Value =
        serde_json::from_str(&text).expect("the document of facts is JSON");
    assert_eq!(document["coverage"]["complete"], complete, "the document claims other coverage");
    let told = document["calls"].as_array().expect("calls are a list");
    assert_eq!(told.len(), calls, "the document has other calls");
});
