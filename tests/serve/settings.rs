//! Lines of settings files.

/// Lines of the settings file: a key by its text, its subject and its tenant.
pub(crate) fn keys(of: &[[&str; 3]]) -> String {
    let line = |[text, subject, tenant]: &[&str; 3]| {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        format!(
            "[[keys]]\nhash = \"blake3:{hash}\"\nsubject = \"{subject}\"\ntenant = \"{tenant}\"\n"
        )
    };
    of.iter().map(line).collect()
}

/// The settings, of a sandbox that makes no container before it is asked for one: many gateways
/// start in these tests. Settings that say something of the stock are left alone.
pub(crate) fn without_stock(settings: &str) -> String {
    let none = "[sandbox]\nstock_max = 0\npreload = []\n";
    if settings.contains("stock_max") {
        settings.to_owned()
    } else if settings.contains("[sandbox]") {
        settings.replace("[sandbox]\n", none)
    } else {
        format!("{settings}\n{none}")
    }
}
