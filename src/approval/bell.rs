//! Tells calls that wait that their question was answered.
//!
//! Must never be the answer: whoever was rung looks it up.

use crate::call::Text;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::time::timeout;

/// Answers that a slow listener may be behind; one that is further behind looks up at once.
const BEHIND_MAX: usize = 256;

/// Rings for answered questions.
#[derive(Debug)]
pub struct Bell {
    answered: broadcast::Sender<Text>,
}

/// A listener, who hears what is rung from its making on.
#[derive(Debug)]
pub struct Ear(broadcast::Receiver<Text>);

impl Default for Bell {
    fn default() -> Self {
        Self { answered: broadcast::Sender::new(BEHIND_MAX) }
    }
}

impl Bell {
    /// Begins to listen.
    pub fn listen(&self) -> Ear {
        Ear(self.answered.subscribe())
    }

    /// Rings for the question of this id.
    pub fn ring(&self, id: &Text) {
        // Nobody may be listening.
        let _ = self.answered.send(Text::clone(id));
    }
}

impl Ear {
    /// Waits until it may be that this question was answered, but no longer than this.
    pub async fn wait(&mut self, id: &Text, ms_max: u64) {
        let heard = async {
            loop {
                match self.0.recv().await {
                    Ok(answered) if answered == *id => return,
                    Ok(_) => {}
                    Err(_) => return,
                }
            }
        };
        // Too late is as good as not at all.
        let _ = timeout(Duration::from_millis(ms_max), heard).await;
    }
}
