//! Indexing: brackets, gathers, scatters and selections.
//!
//! Brackets are `slice`, where an integer keeps its dimension with size 1; index tensors are
//! `select`, `gather_nd` and their assignments; masks are `mask_select` and `mask_fill`.

use burn::tensor::{Bool, IndexingUpdateOp, Int, Slice, Tensor as BurnTensor, kind::Basic};

use super::pointwise::fill_or_choose;
use super::tensor::{
    Any, Ranked, array, basic, burn_dtype, each_kind, each_rank, mixed_kinds, number, numeric, of_rank,
    same_rank, unsupported,
};
use super::{Args, Operand, Output, Row, one, unsigned};
use crate::ops::{Result, Value};
use crate::tensor::{DType, Scalar};

macro_rules! row {
    ($name:literal, [$($parameter:literal),*], $run:expr) => {
        Row { name: $name, parameters: &["input" $(, $parameter)*], run: $run }
    };
}

pub(super) const ROWS: &[Row] = &[
    row!("getitem", ["index", "*"], getitem),
    row!("setitem", ["index", "value", "*"], setitem),
    row!("select", ["dim", "index"], |args| {
        let index = args.call.required_int("index")?;
        let x = args.tensor("input")?;
        one(of_rank!(x.rank() - 1, D => basic!(x, t => Any::from(t.select_dim::<D>(args.dim()?, index)))))
    }),
    row!("narrow", ["dim", "start", "length"], |args| {
        let start = unsigned(args.call.required_int("start")?, "narrow")?;
        let length = unsigned(args.call.required_int("length")?, "narrow")?;
        one(basic!(args.tensor("input")?, t => Any::from(t.narrow(args.dim()?, start, length))))
    }),
    row!("index_select", ["dim", "index"], |args| {
        let index = indices(args, "index")?;
        one(basic!(args.tensor("input")?, t => Any::from(t.select(args.dim()?, index))))
    }),
    row!("gather", ["dim", "index"], |args| one(gathered(
        args.tensor("input")?,
        args.dim()?,
        args.int("index")?
    )?)),
    row!("take", ["index"], |args| {
        let index = args.int("index")?;
        let shape = index.shape();
        let taken = basic!(args.tensor("input")?.flatten(), t => Any::from(t.select(0, index.flatten())));
        one(taken.reshape(&shape)?)
    }),
    row!("take_along_dim", ["dim", "indices"], |args| {
        let (x, index) = (args.tensor("input")?, args.int("indices")?);
        one(match args.call.int("dim")? {
            Some(dim) => gathered(x, dim, index)?,
            None => gathered(x.flatten(), 0, index.flatten().into())?,
        })
    }),
    row!("index_add", ["dim", "index", "source", "alpha"], |args| {
        let source = args.tensor("source")?;
        let source = match args.call.scalar("alpha")? {
            None => source,
            Some(alpha) => {
                number!(alpha, n => numeric!(source, "mul_scalar", t => Any::from(t.mul_scalar(n)))?)
            }
        };
        select_assign(
            args.tensor("input")?,
            args.dim()?,
            indices(args, "index")?,
            source,
            IndexingUpdateOp::Add,
        )
    }),
    row!("index_copy", ["dim", "index", "source"], |args| {
        let (x, source) = (args.tensor("input")?, args.tensor("source")?);
        select_assign(x, args.dim()?, indices(args, "index")?, source, IndexingUpdateOp::Assign)
    }),
    row!("index_fill", ["dim", "index", "value"], |args| {
        let (x, index, dim) = (args.tensor("input")?, indices(args, "index")?, args.dim()?);
        let Operand::Number(value) = args.operand("value")? else {
            return unsupported("index_fill: a value that is a tensor");
        };
        let mut shape = x.shape();
        let Some(at) = wrapped(dim, shape.len()) else { return unsupported("index_fill: dim out of range") };
        shape[at] = index.dims()[0];
        let values = filled(args, &x, &shape, value)?;
        select_assign(x, dim, index, values, IndexingUpdateOp::Assign)
    }),
    row!("index_reduce", ["dim", "index", "source", "reduce"], |args| {
        let (x, source) = (args.tensor("input")?, args.tensor("source")?);
        select_assign(x, args.dim()?, indices(args, "index")?, source, update(args)?)
    }),
    row!("scatter", ["dim", "index", "src", "value", "reduce"], |args| {
        let (x, index) = (args.tensor("input")?, args.int("index")?);
        let update = update(args)?;
        let values = match args.optional("src")? {
            Some(src) => src,
            None => {
                let Operand::Number(value) = args.operand("value")? else {
                    return unsupported("scatter: a value that is a tensor");
                };
                filled(args, &x, &index.shape(), value)?
            }
        };
        scattered(x, args.dim()?, index, values, update)
    }),
    row!("scatter_add", ["dim", "index", "src"], |args| {
        let (x, index) = (args.tensor("input")?, args.int("index")?);
        scattered(x, args.dim()?, index, args.tensor("src")?, IndexingUpdateOp::Add)
    }),
    row!("scatter_reduce", ["dim", "index", "src", "reduce", "include_self"], |args| {
        if !args.call.flag_or("include_self", true)? {
            return unsupported("scatter_reduce: burn includes the tensor itself");
        }
        let (x, index) = (args.tensor("input")?, args.int("index")?);
        scattered(x, args.dim()?, index, args.tensor("src")?, update(args)?)
    }),
    row!("masked_select", ["mask"], |args| {
        let Any::Bool(mask) = args.tensor("mask")? else {
            return unsupported("masked_select: a mask that is not Bool");
        };
        one(masked(args.tensor("input")?, mask)?)
    }),
    row!("nonzero", ["as_tuple"], |args| {
        let mask = truth(args)?;
        if args.call.flag("as_tuple")? {
            return Ok(each_rank!(mask, t => t.nonzero()).into_iter().map(Output::from).collect());
        }
        one(each_rank!(mask, t => Any::from(t.argwhere())))
    }),
    row!("argwhere", [], |args| one(each_rank!(truth(args)?, t => Any::from(t.argwhere())))),
    row!("slice_scatter", ["src", "dim", "start", "end", "step"], |args| {
        let step = args.call.int("step")?.unwrap_or(1) as isize;
        let start = args.call.int("start")?.unwrap_or(0) as isize;
        let slice = Slice::new(start, args.call.int("end")?.map(|end| end as isize), step);
        slice_dim_assign(
            args.tensor("input")?,
            args.call.int("dim")?.unwrap_or(0),
            slice,
            args.tensor("src")?,
        )
    }),
    row!("select_scatter", ["src", "dim", "index"], |args| {
        let (x, dim) = (args.tensor("input")?, args.dim()?);
        let src = if x.rank() == 1 { args.tensor("src")? } else { args.tensor("src")?.unsqueeze_dim(dim)? };
        slice_dim_assign(x, dim, Slice::index(args.call.required_int("index")? as isize), src)
    }),
    row!("index_put", ["indices", "values", "accumulate"], |args| {
        let update = match args.call.flag("accumulate")? {
            true => IndexingUpdateOp::Add,
            false => IndexingUpdateOp::Assign,
        };
        let list = args.tensors("indices")?;
        if list.iter().any(|index| index.dtype() == burn_dtype(DType::UInt8)) {
            return unsupported("index_put: a mask that is not Bool");
        }
        let list = list.into_iter().map(index_tensor).collect::<Result<Vec<_>>>()?;
        update_at(args.tensor("input")?, list, args.tensor("values")?, update)
    }),
    row!("embedding", ["weight"], |args| {
        let (index, weight) = (args.int("input")?, args.tensor("weight")?);
        let mut shape = index.shape();
        shape.extend(weight.shape().iter().skip(1));
        one(basic!(weight, t => Any::from(t.select(0, index.flatten()))).reshape(&shape)?)
    }),
    row!("one_hot", ["num_classes"], |args| {
        let classes = unsigned(args.call.int("num_classes")?.unwrap_or(-1), "one_hot: num_classes")?;
        let x = args.int("input")?;
        one(of_rank!(x.rank() + 1, D => each_rank!(x, t => Any::from(t.one_hot::<D>(classes)))))
    }),
];

fn wrapped(dim: i64, rank: usize) -> Option<usize> {
    let dim = if dim < 0 { dim + rank as i64 } else { dim };
    usize::try_from(dim).ok().filter(|&dim| dim < rank)
}

/// A list of positions.
fn indices(args: &Args, name: &str) -> Result<BurnTensor<1, Int>> {
    match args.int(name)? {
        Ranked::R1(index) => Ok(index),
        _ => unsupported(format!("{}: burn takes positions of rank 1", args.call.op)),
    }
}

fn index_tensor(tensor: Any) -> Result<Ranked<Int>> {
    match tensor {
        Any::Int(index) => Ok(index),
        _ => unsupported("an index that is a mask beside others, or not of integers"),
    }
}

/// `bool` of any kind.
fn truth(args: &Args) -> Result<Ranked<Bool>> {
    match args.tensor("input")?.cast(DType::Bool)? {
        Any::Bool(mask) => Ok(mask),
        _ => mixed_kinds("bool"),
    }
}

fn gathered(x: Any, dim: i64, index: Ranked<Int>) -> Result<Any> {
    macro_rules! gather {
        ($x:expr) => {
            match ($x, index) {
                (Ranked::R1(t), Ranked::R1(i)) => t.gather(dim, i).into(),
                (Ranked::R2(t), Ranked::R2(i)) => t.gather(dim, i).into(),
                (Ranked::R3(t), Ranked::R3(i)) => t.gather(dim, i).into(),
                (Ranked::R4(t), Ranked::R4(i)) => t.gather(dim, i).into(),
                (Ranked::R5(t), Ranked::R5(i)) => t.gather(dim, i).into(),
                (Ranked::R6(t), Ranked::R6(i)) => t.gather(dim, i).into(),
                _ => return unsupported("gather: an index of another rank does not compile"),
            }
        };
    }
    Ok(each_kind!(x, x => gather!(x)))
}

/// How burn names PyTorch's `reduce`.
fn update(args: &Args) -> Result<IndexingUpdateOp> {
    Ok(match args.call.text("reduce")? {
        None => IndexingUpdateOp::Assign,
        Some("add" | "sum") => IndexingUpdateOp::Add,
        Some("multiply" | "prod") => IndexingUpdateOp::Mul,
        Some("amax") => IndexingUpdateOp::Max,
        Some("amin") => IndexingUpdateOp::Min,
        Some(other) => return unsupported(format!("{}: reduce '{other}'", args.call.op)),
    })
}

fn scattered(
    x: Any,
    dim: i64,
    index: Ranked<Int>,
    values: Any,
    update: IndexingUpdateOp,
) -> Result<Vec<Output>> {
    macro_rules! scatter {
        ($x:expr, $v:expr) => {
            match ($x, index, $v) {
                (Ranked::R1(t), Ranked::R1(i), Ranked::R1(v)) => one(t.scatter(dim, i, v, update)),
                (Ranked::R2(t), Ranked::R2(i), Ranked::R2(v)) => one(t.scatter(dim, i, v, update)),
                (Ranked::R3(t), Ranked::R3(i), Ranked::R3(v)) => one(t.scatter(dim, i, v, update)),
                (Ranked::R4(t), Ranked::R4(i), Ranked::R4(v)) => one(t.scatter(dim, i, v, update)),
                (Ranked::R5(t), Ranked::R5(i), Ranked::R5(v)) => one(t.scatter(dim, i, v, update)),
                (Ranked::R6(t), Ranked::R6(i), Ranked::R6(v)) => one(t.scatter(dim, i, v, update)),
                _ => unsupported("scatter: an index of another rank does not compile"),
            }
        };
    }
    match (x, values) {
        (Any::Float(x), Any::Float(values)) => scatter!(x, values),
        (Any::Int(x), Any::Int(values)) => scatter!(x, values),
        (Any::Bool(x), Any::Bool(values)) => scatter!(x, values),
        _ => mixed_kinds("scatter"),
    }
}

fn select_assign(
    x: Any,
    dim: i64,
    index: BurnTensor<1, Int>,
    values: Any,
    update: IndexingUpdateOp,
) -> Result<Vec<Output>> {
    macro_rules! assign {
        ($x:expr, $v:expr) => {{
            if $x.rank() != $v.rank() {
                return unsupported("select_assign: values of another rank do not compile");
            }
            one(same_rank!($x, $v, t v => Any::from(t.select_assign(dim, index, v, update))))
        }};
    }
    match (x, values) {
        (Any::Float(x), Any::Float(values)) => assign!(x, values),
        (Any::Int(x), Any::Int(values)) => assign!(x, values),
        (Any::Bool(x), Any::Bool(values)) => assign!(x, values),
        _ => mixed_kinds("select_assign"),
    }
}

/// `Tensor::full` in the kind and dtype of another tensor.
fn filled(args: &Args, like: &Any, shape: &[usize], value: Scalar) -> Result<Any> {
    let options = (&args.device, like.dtype());
    of_rank!(shape.len(), D => {
        let shape: [usize; D] = array(shape)?;
        Ok(match like {
            Any::Float(_) => BurnTensor::<D>::full(shape, value.to_f64(), options).into(),
            Any::Int(_) => number!(value, n => BurnTensor::<D, Int>::full(shape, n, options).into()),
            Any::Bool(_) => BurnTensor::<D, Bool>::full(shape, value.to_bool(), options).into(),
        })
    })
}

fn masked(x: Any, mask: Ranked<Bool>) -> Result<Any> {
    let rank = x.rank().max(mask.rank());
    let mask = mask.unsqueeze(rank)?;
    macro_rules! select {
        ($x:expr) => {
            super::pointwise::same_rank_mask!($x, mask, t m => Any::from(t.mask_select(m)))
        };
    }
    Ok(each_kind!(x.unsqueeze(rank)?, x => select!(x)))
}

fn slice_dim_assign(x: Any, dim: i64, slice: Slice, src: Any) -> Result<Vec<Output>> {
    let Some(at) = wrapped(dim, x.rank()) else {
        return unsupported("slice_assign: a dim out of range has no slice");
    };
    let mut slices = vec![Slice::full(); x.rank()];
    slices[at] = slice;
    slice_assign(x, &slices, src)
}

fn slice_assign(x: Any, slices: &[Slice], src: Any) -> Result<Vec<Output>> {
    macro_rules! assign {
        ($x:expr, $v:expr) => {{
            if $x.rank() != $v.rank() {
                return unsupported("slice_assign: values of another rank do not compile");
            }
            one(same_rank!($x, $v, t v => Any::from(t.slice_assign(slices, v))))
        }};
    }
    match (x, src) {
        (Any::Float(x), Any::Float(src)) => assign!(x, src),
        (Any::Int(x), Any::Int(src)) => assign!(x, src),
        (Any::Bool(x), Any::Bool(src)) => assign!(x, src),
        _ => mixed_kinds("slice_assign"),
    }
}

/// PyTorch's brackets, one entry per dimension of the tensor.
struct Brackets {
    /// An integer and a slice of one are the same to burn.
    slices: Vec<Slice>,
    /// Which of them are integers.
    integers: Vec<bool>,
    /// Index tensors by the dimension that they stand for.
    tensors: Vec<(usize, Any)>,
    /// Where new dimensions go, in the result.
    new: Vec<usize>,
}

fn brackets(args: &Args, rank: usize) -> Result<Brackets> {
    let Some(Value::List(items)) = args.call.get("index") else {
        return unsupported("an index that is no list");
    };
    let mut dims = 0;
    for item in items {
        dims += match item {
            Value::Scalar(Scalar::Int(_)) | Value::Slice(_) => 1,
            Value::Input(name) => match args.tensor(name)? {
                Any::Bool(mask) => mask.rank(),
                _ => 1,
            },
            _ => 0,
        };
    }
    let mut found = Brackets { slices: vec![], integers: vec![], tensors: vec![], new: vec![] };
    for item in items {
        let (slice, integer) = match item {
            Value::Scalar(Scalar::Int(index)) => (Slice::index(*index as isize), true),
            Value::Slice([start, stop, step]) => {
                let (start, step) = (start.unwrap_or(0) as isize, step.unwrap_or(1) as isize);
                (Slice::new(start, stop.map(|stop| stop as isize), step), false)
            }
            Value::Str(word) if word == "..." => {
                let all = rank.saturating_sub(dims);
                found.slices.extend(vec![Slice::full(); all]);
                found.integers.extend(vec![false; all]);
                continue;
            }
            Value::Str(word) if word == "newaxis" => {
                found.new.push(found.slices.len() + found.new.len());
                continue;
            }
            Value::Input(name) => {
                let tensor = args.tensor(name)?;
                let covered = if let Any::Bool(mask) = &tensor { mask.rank() } else { 1 };
                if args.call.tensor(name).is_ok_and(|tensor| tensor.dtype() == DType::UInt8) {
                    return unsupported("a mask that is not Bool");
                }
                found.tensors.push((found.slices.len(), tensor));
                found.slices.extend(vec![Slice::full(); covered]);
                found.integers.extend(vec![false; covered]);
                continue;
            }
            _ => return unsupported("an index item that burn's slices have not"),
        };
        found.slices.push(slice);
        found.integers.push(integer);
    }
    Ok(found)
}

fn getitem(args: &Args) -> Result<Vec<Output>> {
    let x = args.tensor("input")?;
    let Brackets { slices, integers, mut tensors, new } = brackets(args, x.rank())?;
    if !tensors.is_empty() && !new.is_empty() {
        return unsupported("getitem: new dimensions beside index tensors");
    }
    let sliced =
        integers.iter().any(|&integer| integer) || slices.iter().any(|slice| *slice != Slice::full());
    let mut x =
        if sliced || tensors.is_empty() { basic!(x, t => Any::from(t.slice(slices.as_slice()))) } else { x };
    for dim in new {
        x = x.unsqueeze_dim(dim as i64)?;
    }
    if tensors.len() > 1 {
        let list = leading(tensors)?;
        return one(gather_nd(x, list)?);
    }
    let Some((dim, tensor)) = tensors.pop() else { return one(x) };
    match tensor {
        Any::Float(_) => unsupported("getitem: an index of floats"),
        Any::Bool(mask) if mask.rank() == x.rank() => one(masked(x, mask)?),
        Any::Bool(Ranked::R1(mask)) => {
            let index = mask.argwhere().flatten::<1>(0, 1);
            one(basic!(x, t => Any::from(t.select(dim, index))))
        }
        Any::Bool(_) => unsupported("getitem: a mask of a lower rank"),
        Any::Int(index) => {
            let mut shape = x.shape();
            let rank = index.rank();
            if dim < shape.len() {
                shape.splice(dim..=dim, index.shape());
            }
            let selected = basic!(x, t => Any::from(t.select(dim, index.flatten())));
            one(if rank == 1 { selected } else { selected.reshape(&shape)? })
        }
    }
}

/// Index tensors that stand for the first dimensions, all of them positions.
fn leading(tensors: Vec<(usize, Any)>) -> Result<Vec<Ranked<Int>>> {
    let mut list = Vec::new();
    for (place, (dim, tensor)) in tensors.into_iter().enumerate() {
        if place != dim {
            return unsupported("index tensors that do not stand for the first dimensions");
        }
        list.push(index_tensor(tensor)?);
    }
    Ok(list)
}

/// One position a row, as `gather_nd` and `scatter_nd` want them.
fn stacked(list: Vec<Ranked<Int>>) -> Result<BurnTensor<2, Int>> {
    let flat = list.into_iter().map(|index| match index {
        Ranked::R1(index) => Ok(index),
        _ => unsupported("several index tensors of rank 2 or more"),
    });
    Ok(BurnTensor::stack::<2>(flat.collect::<Result<Vec<_>>>()?, 1))
}

fn gather_nd(x: Any, list: Vec<Ranked<Int>>) -> Result<Any> {
    let rank = (x.rank() + 1).saturating_sub(list.len());
    let index = stacked(list)?;
    of_rank!(rank, D => Ok(basic!(x, t => Any::from(t.gather_nd::<2, D>(index)))))
}

/// An update of the places that index tensors name.
fn update_at(
    x: Any,
    mut list: Vec<Ranked<Int>>,
    values: Any,
    update: IndexingUpdateOp,
) -> Result<Vec<Output>> {
    let mut shape = x.shape();
    if list.len() == 1
        && let Ranked::R1(index) = list.remove(0)
    {
        shape[0] = index.dims()[0];
        return select_assign(x, 0, index, values.expand(&shape)?, update);
    }
    if list.is_empty() {
        return unsupported("an index tensor of rank 2 or more");
    }
    shape.drain(..list.len().min(shape.len()));
    let index = stacked(list)?;
    shape.insert(0, index.dims()[0]);
    let values = values.expand(&shape)?;
    fn scatter<K: Basic, const DV: usize>(
        x: Ranked<K>,
        index: BurnTensor<2, Int>,
        values: BurnTensor<DV, K>,
        update: IndexingUpdateOp,
    ) -> Ranked<K> {
        each_rank!(x, t => t.scatter_nd::<2, DV>(index, values, update).into())
    }
    Ok(vec![
        match (x, values) {
            (Any::Float(x), Any::Float(values)) => {
                each_rank!(values, v => Any::from(scatter(x, index, v, update)))
            }
            (Any::Int(x), Any::Int(values)) => {
                each_rank!(values, v => Any::from(scatter(x, index, v, update)))
            }
            (Any::Bool(x), Any::Bool(values)) => {
                each_rank!(values, v => Any::from(scatter(x, index, v, update)))
            }
            _ => return mixed_kinds("scatter_nd"),
        }
        .into(),
    ])
}

fn setitem(args: &Args) -> Result<Vec<Output>> {
    let x = args.tensor("input")?;
    let Brackets { slices, integers, mut tensors, new } = brackets(args, x.rank())?;
    let value = args.operand("value")?;
    if !new.is_empty() {
        return unsupported("setitem: a new dimension");
    }
    let plain = slices.iter().all(|slice| *slice == Slice::full());
    if !tensors.is_empty() && !plain {
        return unsupported("setitem: slices beside index tensors");
    }
    match tensors.len() {
        0 => {}
        1 => {
            let (dim, tensor) = tensors.remove(0);
            return match (tensor, value) {
                (Any::Bool(mask), value) if mask.rank() == x.rank() && is_single(&value) => {
                    one(fill_or_choose(x, mask, value)?)
                }
                (Any::Int(Ranked::R1(index)), value) => {
                    let mut shape = x.shape();
                    shape[dim] = index.dims()[0];
                    let values = match value {
                        Operand::Number(value) => filled(args, &x, &shape, value)?,
                        Operand::Tensor(values) => values.expand(&shape)?,
                    };
                    select_assign(x, dim as i64, index, values, IndexingUpdateOp::Assign)
                }
                _ => unsupported("setitem: an index tensor of this kind or rank"),
            };
        }
        _ => {
            let Operand::Tensor(values) = value else {
                return unsupported("setitem: a number at several index tensors");
            };
            return update_at(x, leading(tensors)?, values, IndexingUpdateOp::Assign);
        }
    }
    match value {
        Operand::Number(value) => one(match x {
            Any::Float(x) => each_rank!(x, t => Any::from(t.slice_fill(slices.as_slice(), value.to_f64()))),
            Any::Int(x) => {
                number!(value, n => each_rank!(x, t => Any::from(t.slice_fill(slices.as_slice(), n))))
            }
            Any::Bool(x) => each_rank!(x, t => Any::from(t.slice_fill(slices.as_slice(), value.to_bool()))),
        }),
        Operand::Tensor(values) => {
            let mut kept = x.shape();
            for (size, slice) in kept.iter_mut().zip(&slices) {
                *size = slice.output_size(*size);
            }
            let dropped =
                kept.iter().enumerate().filter(|(dim, _)| !integers.get(*dim).copied().unwrap_or(false));
            let shape: Vec<usize> = dropped.map(|(_, &size)| size).collect();
            let values = if shape.is_empty() { values } else { values.expand(&shape)? };
            slice_assign(x, &slices, values.reshape(&kept)?)
        }
    }
}

/// A value that a mask spreads over all its places.
fn is_single(value: &Operand) -> bool {
    match value {
        Operand::Number(_) => true,
        Operand::Tensor(tensor) => tensor.numel() == 1,
    }
}
