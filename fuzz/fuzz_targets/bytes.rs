//! Any bytes at all, and changed fixtures: reading ends, and its facts are sound.

#![no_main]

#[path = "../reading.rs"]
mod reading;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reading::sound(bytes);
});
