//! Identifiers that look like others: letters of one script among those of another.
//!
//! Must never take an identifier of one script for a disguise, nor a word of another script or a
//! Greek symbol beside Latin letters.

/// Letters of other scripts that nobody can tell from a Latin one, and that no formula uses.
const TWINS: &str = concat!(
    // Cyrillic
    "аеорсухіјѕһԁԛԝвкмтнАВЕКМНОРСТУХІЈЅԌԚԜҮ",
    // Greek capitals, omicron and yot
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϳ",
    // Armenian
    "օոսհցզՕՍԼ",
    // Cherokee
    "ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᏒᏚᎢᏙᏔᏃ",
    // Lisu
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓥꓦꓧꓨꓪꓫꓬꓮꓰꓲꓳꓴ",
);

/// Whether an identifier of Latin letters and twins of them looks like one of Latin letters alone.
pub(super) fn is_confusable(identifier: &str) -> bool {
    !identifier.is_ascii()
        && identifier.bytes().any(|byte| byte.is_ascii_alphabetic())
        && identifier.chars().all(|letter| letter.is_ascii() || TWINS.contains(letter))
}
