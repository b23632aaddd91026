//! The detectors by their names, sets of them, and how much each of them found.

/// What finds one kind of secret. A closed set: its names stand in policies, replies, the ledger
/// and metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Detector {
    /// The id of an AWS access key.
    AwsAccessKey,
    /// An AWS secret access key, beside its name.
    AwsSecretKey,
    /// A GitHub token of any kind.
    GithubToken,
    /// A GitLab token of any kind.
    GitlabToken,
    /// A Slack token of any kind.
    SlackToken,
    /// A Stripe key for live data.
    StripeKey,
    /// An OpenAI key.
    OpenaiKey,
    /// An Anthropic key.
    AnthropicKey,
    /// A Google API key.
    GoogleApiKey,
    /// An npm token.
    NpmToken,
    /// A PyPI token.
    PypiToken,
    /// A JSON web token.
    Jwt,
    /// A private key in PEM's form.
    PrivateKey,
    /// A password in a URL.
    UrlPassword,
    /// A key of Regate's own.
    RegateKey,
    /// The number of a payment card.
    Cards,
}

/// The set of everything but cards: whatever opens something by itself.
const SECRETS: &str = "secrets";

impl Detector {
    /// How many there are.
    pub const COUNT: usize = 16;

    /// All of them.
    pub const ALL: [Self; Self::COUNT] = [
        Self::AwsAccessKey,
        Self::AwsSecretKey,
        Self::GithubToken,
        Self::GitlabToken,
        Self::SlackToken,
        Self::StripeKey,
        Self::OpenaiKey,
        Self::AnthropicKey,
        Self::GoogleApiKey,
        Self::NpmToken,
        Self::PypiToken,
        Self::Jwt,
        Self::PrivateKey,
        Self::UrlPassword,
        Self::RegateKey,
        Self::Cards,
    ];

    /// The word in policies, replies, the ledger and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AwsAccessKey => "aws_access_key",
            Self::AwsSecretKey => "aws_secret_key",
            Self::GithubToken => "github_token",
            Self::GitlabToken => "gitlab_token",
            Self::SlackToken => "slack_token",
            Self::StripeKey => "stripe_key",
            Self::OpenaiKey => "openai_key",
            Self::AnthropicKey => "anthropic_key",
            Self::GoogleApiKey => "google_api_key",
            Self::NpmToken => "npm_token",
            Self::PypiToken => "pypi_token",
            Self::Jwt => "jwt",
            Self::PrivateKey => "private_key",
            Self::UrlPassword => "url_password",
            Self::RegateKey => "regate_key",
            Self::Cards => "cards",
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of detectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Detectors(u32);

/// A name that is neither a detector's nor a set's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no detector has this name")]
pub struct UnknownDetector;

impl Detectors {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// Every one of them.
    pub fn all() -> Self {
        Self::of(Detector::ALL)
    }

    /// Those of these names: `secrets` is everything but cards, any other name is a detector's.
    ///
    /// # Errors
    /// Where a name is not known.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownDetector> {
        let sets = names.into_iter().map(|name| match name {
            SECRETS => Ok(Self::of(Detector::ALL).without(Detector::Cards)),
            _ => Detector::ALL
                .into_iter()
                .find(|detector| detector.as_str() == name)
                .map(|detector| Self(detector.bit()))
                .ok_or(UnknownDetector),
        });
        sets.into_iter().try_fold(Self::NONE, |all, set| Ok(all.and(set?)))
    }

    /// Those of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether this one is among them.
    pub const fn contains(self, detector: Detector) -> bool {
        self.0 & detector.bit() != 0
    }

    fn of(detectors: impl IntoIterator<Item = Detector>) -> Self {
        Self(detectors.into_iter().fold(0, |bits, detector| bits | detector.bit()))
    }

    const fn without(self, detector: Detector) -> Self {
        Self(self.0 & !detector.bit())
    }
}

/// How many secrets each detector found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts([u32; Detector::COUNT]);

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, detector: Detector) {
        if let Some(count) = self.0.get_mut(detector as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Adds what another text holds.
    pub fn add_all(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }

    /// Every detector with its count, nothing found included; in the order of [`Detector::ALL`].
    pub fn every(&self) -> impl Iterator<Item = (Detector, u32)> + '_ {
        Detector::ALL.into_iter().zip(self.0)
    }

    /// The detectors that found something.
    pub fn found(&self) -> impl Iterator<Item = (Detector, u32)> + '_ {
        self.every().filter(|(_, count)| *count > 0)
    }
}

impl<'a> FromIterator<&'a super::Hit> for Counts {
    fn from_iter<T: IntoIterator<Item = &'a super::Hit>>(hits: T) -> Self {
        let mut counts = Self::default();
        for hit in hits {
            counts.add(hit.detector);
        }
        counts
    }
}
