//! The unstable algorithms of the GNU C++ library, which PyTorch's CPU kernels sort with.
//!
//! In which order equal elements come out of them is nobody's promise, but it follows from the
//! algorithm alone: introsort (median of three, insertion sort of short ranges, heap sort where
//! the recursion goes too deep), introselect and heap select, as described by Musser and in
//! the library's documentation. Confirmed against PyTorch's indices, many ties among them.
//!
//! Where a comparison is no strict weak order (numbers below each other, NaN among them) the C++
//! code relies on luck to stay inside; here it stops at the ends.

/// Ranges up to this length are left to insertion sort.
const SHORT: usize = 16;

/// How many times a range of a length may be split before heap sort takes over.
fn depth(length: usize) -> u32 {
    2 * length.checked_ilog2().unwrap_or(0)
}

/// `std::sort`.
pub(crate) fn sort<T: Copy>(items: &mut [T], less: impl Fn(T, T) -> bool) {
    split(items, depth(items.len()), &less);
    let (head, _) = items.split_at_mut(items.len().min(SHORT));
    insertion_sort(head, &less);
    for place in SHORT..items.len() {
        sink(items, place, &less);
    }
}

/// `std::nth_element`: afterwards the element at `nth` is the one that sorting would put there.
pub(crate) fn nth_element<T: Copy>(items: &mut [T], nth: usize, less: impl Fn(T, T) -> bool) {
    let (mut start, mut end) = (0, items.len());
    if nth >= end {
        return;
    }
    for _ in 0..depth(items.len()) {
        if end - start <= 3 {
            break;
        }
        let cut = start + partition(&mut items[start..end], &less);
        if cut <= nth {
            start = cut;
        } else {
            end = cut;
        }
    }
    if end - start <= 3 {
        insertion_sort(&mut items[start..end], &less);
    } else {
        let range = &mut items[start..end];
        heap_select(range, nth + 1 - start, &less);
        range.swap(0, nth - start);
    }
}

/// `std::partial_sort`: the first `count` in order, the rest in some order.
pub(crate) fn partial_sort<T: Copy>(items: &mut [T], count: usize, less: impl Fn(T, T) -> bool) {
    heap_sorted(items, count.min(items.len()), &less);
}

fn split<T: Copy>(items: &mut [T], depth: u32, less: &impl Fn(T, T) -> bool) {
    let (mut end, mut depth) = (items.len(), depth);
    while end > SHORT {
        if depth == 0 {
            heap_sorted(&mut items[..end], end, less);
            return;
        }
        depth -= 1;
        let cut = partition(&mut items[..end], less);
        split(&mut items[cut..end], depth, less);
        end = cut;
    }
}

/// Splits a range of at least three around the median of its second, middle and last element,
/// which is swapped to the front first.
fn partition<T: Copy>(items: &mut [T], less: &impl Fn(T, T) -> bool) -> usize {
    let end = items.len();
    let (a, b, c) = (1, end / 2, end - 1);
    let below = |x: usize, y: usize| less(items[x], items[y]);
    let median = match below(a, b) {
        true if below(b, c) => b,
        true if below(a, c) => c,
        true => a,
        false if below(a, c) => a,
        false if below(b, c) => c,
        false => b,
    };
    items.swap(0, median);
    let pivot = items[0];
    let (mut low, mut high) = (1, end);
    loop {
        while low < end && less(items[low], pivot) {
            low += 1;
        }
        high -= 1;
        while high > 0 && less(pivot, items[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        items.swap(low, high);
        low += 1;
    }
}

fn insertion_sort<T: Copy>(items: &mut [T], less: &impl Fn(T, T) -> bool) {
    for place in 1..items.len() {
        if less(items[place], items[0]) {
            items[..=place].rotate_right(1);
        } else {
            sink(items, place, less);
        }
    }
}

/// Moves an element towards the front until the one before it is not greater.
fn sink<T: Copy>(items: &mut [T], mut place: usize, less: &impl Fn(T, T) -> bool) {
    let value = items[place];
    while place > 0 && less(value, items[place - 1]) {
        items[place] = items[place - 1];
        place -= 1;
    }
    items[place] = value;
}

/// Heap select, then the heap taken apart from its end.
fn heap_sorted<T: Copy>(items: &mut [T], count: usize, less: &impl Fn(T, T) -> bool) {
    heap_select(items, count, less);
    for last in (1..count).rev() {
        let value = items[last];
        items[last] = items[0];
        adjust(&mut items[..last], 0, value, less);
    }
}

/// Makes the first `count` a heap of the least.
fn heap_select<T: Copy>(items: &mut [T], count: usize, less: &impl Fn(T, T) -> bool) {
    if count == 0 {
        return;
    }
    for parent in (0..count / 2).rev() {
        let value = items[parent];
        adjust(&mut items[..count], parent, value, less);
    }
    for next in count..items.len() {
        if less(items[next], items[0]) {
            let value = items[next];
            items[next] = items[0];
            adjust(&mut items[..count], 0, value, less);
        }
    }
}

/// Fills the hole with the greater child down to a leaf, then lets the value rise from there.
fn adjust<T: Copy>(heap: &mut [T], top: usize, value: T, less: &impl Fn(T, T) -> bool) {
    let mut hole = top;
    while 2 * hole + 2 < heap.len() {
        let right = 2 * hole + 2;
        let child = if less(heap[right], heap[right - 1]) { right - 1 } else { right };
        heap[hole] = heap[child];
        hole = child;
    }
    if 2 * hole + 2 == heap.len() {
        heap[hole] = heap[2 * hole + 1];
        hole = 2 * hole + 1;
    }
    while hole > top && less(heap[(hole - 1) / 2], value) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(length: usize, kinds: u64, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % kinds
        };
        (0..length).map(|_| draw()).collect()
    }

    #[test]
    fn every_algorithm_agrees_with_the_standard_sort() {
        for length in [0, 1, 2, 3, 4, 15, 16, 17, 33, 64, 129, 1000] {
            for (kinds, seed) in [(2, 1), (5, 2), (1 << 30, 3)] {
                let items = drawn(length, kinds, seed);
                let mut expected = items.clone();
                expected.sort_unstable();
                let mut sorted = items.clone();
                sort(&mut sorted, |a, b| a < b);
                assert_eq!(sorted, expected);
                for nth in [0, length / 3, length / 2, length.saturating_sub(1)] {
                    let mut selected = items.clone();
                    nth_element(&mut selected, nth, |a, b| a < b);
                    assert_eq!(selected.get(nth), expected.get(nth));
                    let mut partly = items.clone();
                    partial_sort(&mut partly, nth, |a, b| a < b);
                    assert_eq!(partly[..nth.min(length)], expected[..nth.min(length)]);
                }
            }
        }
    }

    #[test]
    fn sorted_and_organ_pipe_inputs_reach_the_heaps() {
        // A median-of-three killer: the pivots are as bad as they get.
        let half = 500;
        let killer = (1..=half).flat_map(|k| [if k % 2 == 1 { k } else { half + k - 1 }, 2 * k]);
        let mut items: Vec<i32> = killer.collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        let mut selected = items.clone();
        nth_element(&mut selected, 777, |a, b| a < b);
        assert_eq!(selected[777], expected[777]);
        sort(&mut items, |a, b| a < b);
        assert_eq!(items, expected);
    }

    #[test]
    fn an_inconsistent_order_stays_inside() {
        for seed in 0..200 {
            let mut items: Vec<f64> =
                drawn(100, 4, seed).into_iter().map(|x| if x == 0 { f64::NAN } else { x as f64 }).collect();
            sort(&mut items, |a, b| a < b);
            nth_element(&mut items, 50, |a, b| a < b);
        }
    }
}
