//! Parts of sequences: one element, or a slice with its step.

use super::Constant;

impl Constant {
    /// `value[key]`.
    pub(super) fn item(&self, key: &Self) -> Option<Self> {
        if let Self::Pairs(pairs) = self {
            return pairs
                .iter()
                .rev()
                .find(|(known, _)| known == key)
                .map(|(_, value)| value.clone());
        }
        let elements = self.elements()?;
        if let Self::Slice(bounds) = key {
            let taken: Vec<Self> = places(*bounds, elements.len())?
                .filter_map(|at| elements.get(at).cloned())
                .collect();
            return self.like(taken);
        }
        let at = key.whole()?;
        let length = i128::try_from(elements.len()).ok()?;
        let at = if at < 0 { at + length } else { at };
        elements.get(usize::try_from(at).ok()?).cloned()
    }

    /// `value * count`.
    pub(super) fn repeated(&self, count: usize) -> Option<Self> {
        let size = match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Sequence(elements) => elements.len(),
            Self::Whole(_) | Self::Other(_) | Self::Pairs(_) | Self::Slice(_) => return None,
        };
        if size.saturating_mul(count) > super::ELEMENTS_MAX {
            return None;
        }
        let elements = self.elements()?;
        self.like(std::iter::repeat_n(elements, count).flatten().collect())
    }

    /// A sequence of these elements, of the type of this one.
    pub(super) fn like(&self, elements: Vec<Self>) -> Option<Self> {
        match self {
            Self::Text(_) => {
                elements.iter().map(Self::text).collect::<Option<String>>().map(Self::Text)
            }
            Self::Bytes(_) => bytes(&elements).map(Self::Bytes),
            Self::Sequence(_) => Some(Self::Sequence(elements)),
            Self::Whole(_) | Self::Other(_) | Self::Pairs(_) | Self::Slice(_) => None,
        }
    }
}

/// Whole numbers as bytes.
pub(super) fn bytes(elements: &[Constant]) -> Option<Vec<u8>> {
    elements.iter().map(|element| u8::try_from(element.whole()?).ok()).collect()
}

/// The places that a slice takes, in its order.
fn places(
    [start, stop, step]: [Option<i128>; 3],
    length: usize,
) -> Option<Box<dyn Iterator<Item = usize>>> {
    let length = i128::try_from(length).ok()?;
    let step = step.unwrap_or(1);
    let place = |bound: i128, least: i128, most: i128| {
        let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
        bound.clamp(least, most)
    };
    let stride = usize::try_from(step.unsigned_abs()).ok().filter(|stride| *stride > 0)?;
    if step > 0 {
        let start = start.map_or(0, |start| place(start, 0, length));
        let stop = stop.map_or(length, |stop| place(stop, 0, length));
        let (start, stop) = (usize::try_from(start).ok()?, usize::try_from(stop).ok()?);
        return Some(Box::new((start..stop).step_by(stride)));
    }
    let start = start.map_or(length - 1, |start| place(start, -1, length - 1));
    let stop = stop.map_or(-1, |stop| place(stop, -1, length - 1));
    let (start, stop) = (usize::try_from(start + 1).ok()?, usize::try_from(stop + 1).ok()?);
    Some(Box::new((stop..start).rev().step_by(stride)))
}

/// The numbers of a range.
pub(super) fn range(bounds: &[i128]) -> Option<Vec<Constant>> {
    let (start, stop, step) = match bounds {
        [stop] => (0, *stop, 1),
        [start, stop] => (*start, *stop, 1),
        [start, stop, step] => (*start, *stop, *step),
        _ => return None,
    };
    let mut numbers = Vec::new();
    let mut next = start;
    while step != 0 && ((step > 0 && next < stop) || (step < 0 && next > stop)) {
        if numbers.len() >= super::ELEMENTS_MAX {
            return None;
        }
        numbers.push(Constant::Whole(next));
        next = next.checked_add(step)?;
    }
    (step != 0).then_some(numbers)
}

/// Pairs of one dictionary.
const PAIRS_MAX: usize = 256;

/// What a dictionary of these pairs holds: of equal keys the first keeps its place, and the last its
/// value.
pub(super) fn dictionary_of(
    given: impl IntoIterator<Item = (Constant, Constant)>,
) -> Option<Vec<(Constant, Constant)>> {
    let mut pairs: Vec<(Constant, Constant)> = Vec::new();
    for (key, value) in given {
        // `True` is 1, and `1.0` too, alone or in a tuple.
        if !matches!(key, Constant::Text(_) | Constant::Bytes(_) | Constant::Whole(_)) {
            return None;
        }
        let known = pairs.len();
        match pairs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, held)) => *held = value,
            None if known < PAIRS_MAX => pairs.push((key, value)),
            None => return None,
        }
    }
    Some(pairs)
}
