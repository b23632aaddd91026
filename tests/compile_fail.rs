//! What the types promise of a permit: programs that must not compile, and one that must.

#[test]
fn a_permit_is_neither_forged_nor_cloned_nor_used_twice() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_fail/used_once.rs");
    cases.compile_fail("tests/compile_fail/cloned.rs");
    cases.compile_fail("tests/compile_fail/forged_by_literal.rs");
    cases.compile_fail("tests/compile_fail/forged_by_new.rs");
    cases.compile_fail("tests/compile_fail/forged_by_default.rs");
    cases.compile_fail("tests/compile_fail/used_twice.rs");
}
