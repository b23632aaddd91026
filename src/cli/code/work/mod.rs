//! One thing done to each of many inputs, over the cores, and told in their order.
//!
//! Must never hold the answers to more than one batch at once.

use crate::cli::output::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Inputs that are worked on before their answers are told.
const BATCH: usize = 64;
/// As much as the main thread has: a debug build's evaluator needs more than a thread's default.
const STACK_BYTES: usize = 8 << 20;
/// Work that is done sooner shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// Does `each` to every input and hands the answers to `tell`, in order.
pub(super) fn over<I: Sync, A: Send>(
    inputs: &[I],
    each: impl Fn(&I) -> A + Sync,
    mut tell: impl FnMut(A),
) -> anyhow::Result<()> {
    if let [input] = inputs {
        tell(each(input));
        return Ok(());
    }
    let progress = Progress::of(inputs.len());
    for batch in inputs.chunks(BATCH) {
        let answers = answers(batch, &each, &progress)?;
        progress.bar.suspend(|| answers.into_iter().for_each(&mut tell));
    }
    progress.bar.finish_and_clear();
    Ok(())
}

fn answers<I: Sync, A: Send>(
    batch: &[I],
    each: &(impl Fn(&I) -> A + Sync),
    progress: &Progress,
) -> anyhow::Result<Vec<A>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = batch.get(index) else { return done };
            done.push((index, each(input)));
            progress.one_more();
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(batch.len());
    let mut done = thread::scope(|scope| {
        let start = || thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let started: Vec<_> = (0..workers).map(|_| start()).collect::<Result<_, _>>()?;
        let mut done = Vec::new();
        for worker in started {
            done.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        anyhow::Ok(done)
    })?;
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, answer)| answer).collect())
}

/// A bar on a terminal, for work that takes long.
struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    fn of(inputs: usize) -> Self {
        let bar = ProgressBar::with_draw_target(
            Some(u64::try_from(inputs).unwrap_or(u64::MAX)),
            ProgressDrawTarget::hidden(),
        );
        let style = ProgressStyle::with_template("reading {wide_bar} {pos}/{len} files {eta}");
        let bar = match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        Self { bar, started: Instant::now() }
    }

    fn one_more(&self) {
        self.bar.inc(1);
        if self.bar.is_hidden() && Output::watched() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

#[cfg(test)]
mod tests;
