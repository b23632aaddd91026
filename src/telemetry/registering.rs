//! How a metric is made of its description, and put on a registry.

use super::Error;
use super::names::Description;
use prometheus::core::Collector;
use prometheus::{
    Gauge, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry,
};

pub(super) fn counter(registry: &Registry, description: &Description) -> Result<IntCounter, Error> {
    register(registry, IntCounter::with_opts(options(description))?)
}

pub(super) fn counters(
    registry: &Registry,
    description: &Description,
) -> Result<IntCounterVec, Error> {
    register(registry, IntCounterVec::new(options(description), description.labels)?)
}

pub(super) fn gauge(registry: &Registry, description: &Description) -> Result<Gauge, Error> {
    register(registry, Gauge::with_opts(options(description))?)
}

pub(super) fn whole_gauge(
    registry: &Registry,
    description: &Description,
) -> Result<IntGauge, Error> {
    register(registry, IntGauge::with_opts(options(description))?)
}

pub(super) fn gauges(registry: &Registry, description: &Description) -> Result<IntGaugeVec, Error> {
    register(registry, IntGaugeVec::new(options(description), description.labels)?)
}

pub(super) fn histograms(
    registry: &Registry,
    description: &Description,
    buckets: &[f64],
) -> Result<HistogramVec, Error> {
    let options = HistogramOpts::new(description.name, description.help).buckets(buckets.to_vec());
    register(registry, HistogramVec::new(options, description.labels)?)
}

fn options(description: &Description) -> Opts {
    Opts::new(description.name, description.help)
}

fn register<C: Collector + Clone + 'static>(registry: &Registry, metric: C) -> Result<C, Error> {
    registry.register(Box::new(metric.clone()))?;
    Ok(metric)
}
