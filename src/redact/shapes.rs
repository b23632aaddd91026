//! The table of well-known tokens: how each begins, what it is spelt with, how long it is, and
//! what beyond that a text must prove before it is taken for one.

use super::alphabet::Alphabet;
use super::detector::Detector;
use super::proof::Proof;
use std::ops::RangeInclusive;

/// One shape of token. Of two that fit, the earlier one is meant.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) detector: Detector,
    pub(super) prefixes: &'static [&'static str],
    /// What follows the prefix.
    pub(super) body: Alphabet,
    /// How long that is.
    pub(super) length: RangeInclusive<usize>,
    pub(super) proof: Proof,
}

const fn shape(
    detector: Detector,
    prefixes: &'static [&'static str],
    body: Alphabet,
    length: RangeInclusive<usize>,
    proof: Proof,
) -> Shape {
    Shape { detector, prefixes, body, length, proof }
}

/// Every shape. What has no prefix of its own is found in `places` and `cards`.
pub(super) const SHAPES: &[Shape] = {
    use Alphabet::{Base32, Base62, Base64Url, Dotted, Hex};
    use Proof::{Checksum, Halves, Jwt, Mixed, Random, Varied};
    &[
        shape(Detector::AwsAccessKey, &["AKIA", "ASIA"], Base32, 16..=16, Varied),
        shape(
            Detector::GithubToken,
            &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
            Base62,
            36..=36,
            Checksum,
        ),
        // What an installation is given may be a signed token of its own.
        shape(Detector::GithubToken, &["ghs_", "ghu_"], Dotted, 100..=2_000, Random),
        shape(Detector::GithubToken, &["github_pat_"], Base64Url, 82..=82, Halves),
        shape(
            Detector::GitlabToken,
            &[
                "glpat-", "glptt-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glft-", "glimt-",
                "glagent-", "gloas-", "glsoat-", "glffct-",
            ],
            Dotted,
            20..=300,
            Random,
        ),
        shape(
            Detector::SlackToken,
            &[
                "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-",
                "xapp-",
            ],
            Base64Url,
            20..=400,
            Random,
        ),
        shape(Detector::StripeKey, &["sk_live_", "rk_live_"], Base62, 24..=250, Random),
        shape(Detector::AnthropicKey, &["sk-ant-"], Base64Url, 40..=500, Mixed),
        shape(
            Detector::OpenaiKey,
            &["sk-proj-", "sk-svcacct-", "sk-admin-"],
            Base64Url,
            40..=500,
            Mixed,
        ),
        shape(Detector::OpenaiKey, &["sk-"], Base62, 48..=48, Mixed),
        shape(Detector::GoogleApiKey, &["AIza"], Base64Url, 35..=35, Random),
        shape(Detector::NpmToken, &["npm_"], Base62, 36..=36, Checksum),
        shape(Detector::PypiToken, &["pypi-AgE"], Base64Url, 50..=2_000, Random),
        shape(Detector::RegateKey, &["rgt_"], Hex, 64..=64, Varied),
        // `{"`, `{ ` and `{` at a line's end.
        shape(Detector::Jwt, &["eyJ", "eyA", "ewo", "ew0"], Dotted, 20..=16_384, Jwt),
    ]
};
