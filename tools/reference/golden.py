#!/usr/bin/python3
"""Golden numbers from PyTorch: writes the files of tests/model/golden, and verifies files of that format.

usage: golden.py --write DIRECTORY | --verify FILE...
"""

import os
import sys

import numpy
import torch

import cases
import safetensors_file
from composed import compose, parse
from systems import SYSTEMS, Sizes

STEPS = 10
OPTIMIZERS = {
    "adam": lambda p: torch.optim.Adam(p, lr=0.01, betas=(0.9, 0.999), eps=1e-8),
    "adamclip": lambda p: torch.optim.Adam(p, lr=0.01, betas=(0.9, 0.999), eps=1e-8),
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01),
}
CLIP = 1.0
TRIES = 300  # seeds to try before giving up on a case
OPTIMIZER_METADATA = {
    "adam_lr": "0.01", "adam_beta1": "0.9", "adam_beta2": "0.999", "adam_eps": "1e-8", "adamclip_norm": "1.0",
    "sgd_lr": "0.1", "sgd_momentum": "0.9", "adamw_weight_decay": "0.01", "loss_per": "target token",
}

# Absolute for log-probabilities and attention, relative for losses, relative to the file's largest gradient for gradients.
TOLERANCES = {"logprobs": 2e-5, "attention": 2e-5, "greedy_attention": 2e-5, "loss": 1e-5, "grad": 1e-4,
              "trajectory": 1e-4}
DOUBLE_FRACTION = 0.1  # float64 may differ by this fraction of a tolerance, which leaves the rest to other arithmetic


def build(metadata):
    """The untrained model that a file's metadata describes."""
    name = metadata["system"]
    if name == "heed":
        vocabularies = int(metadata["source_vocabulary"]), int(metadata["target_vocabulary"])
        return compose(parse(metadata["config"]), *vocabularies)
    if name not in SYSTEMS:
        raise ValueError(f"the system {name!r} is not one of heed, {', '.join(SYSTEMS)}")
    return SYSTEMS[name](Sizes.of(metadata))


def force(model, source, target, sos):
    """Log-probabilities [T,V] and attention [T,S] with teacher forcing."""
    memory, state = model.encoder(source)
    rows, weights = [], []
    for word in [torch.tensor(sos), *target[:-1]]:
        logits, state, attention = model.decoder.step(word, state, memory)
        rows.append(torch.log_softmax(logits, 0))
        weights.append(attention)
    return torch.stack(rows), torch.stack(weights)


@torch.no_grad()
def greedy(model, source, metadata):
    """Greedy words, their attention, and the smallest lead of the best word over the second best."""
    memory, state = model.encoder(source)
    word, words, weights, lead = torch.tensor(int(metadata["sos"])), [], [], float("inf")
    while len(words) < int(metadata["greedy_max_length"]) and (not words or words[-1] != int(metadata["eos"])):
        logits, state, attention = model.decoder.step(word, state, memory)
        (first, second), (word, _) = logits.topk(2)
        lead = min(lead, float(first - second))
        words.append(int(word))
        weights.append(attention)
    return torch.tensor(words), torch.stack(weights), lead


def total_loss(model, pairs, sos):
    """Sum of -log p over all sentences and steps."""
    return sum(-force(model, source, target, sos)[0].gather(1, target[:, None]).sum() for source, target in pairs)


def recompute(model, pairs, metadata):
    """Everything in a golden file except its parameters and sentences."""
    sos = int(metadata["sos"])
    model.zero_grad()
    loss = total_loss(model, pairs, sos)
    loss.backward()
    found = {"loss": loss.detach().reshape(1)}
    for i, (source, target) in enumerate(pairs):
        with torch.no_grad():
            found[f"logprobs/{i}"], found[f"attention/{i}"] = force(model, source, target, sos)
        found[f"greedy/{i}"], found[f"greedy_attention/{i}"], _ = greedy(model, source, metadata)
    found.update({f"grad/{name}": p.grad for name, p in model.named_parameters()})
    return {name: tensor.numpy() for name, tensor in found.items()}


def trajectory(model, pairs, sos, name):
    """The losses, each before its update, of consecutive full-batch steps; the model is restored afterwards."""
    start = {key: tensor.clone() for key, tensor in model.state_dict().items()}
    optimizer = OPTIMIZERS[name](model.parameters())
    tokens = sum(len(target) for _, target in pairs)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = total_loss(model, pairs, sos) / tokens
        loss.backward()
        if name == "adamclip":
            torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        losses.append(loss.item())
    model.load_state_dict(start)
    return numpy.array(losses)


def error(got, expected, scale=1.0):
    """The largest difference divided by the scale; infinite if a shape is wrong or a number is not finite."""
    if expected is None or got.shape != expected.shape or not got.size:
        return float("inf")
    difference = float((numpy.abs(got.astype("f8") - expected.astype("f8")) / scale).max())
    return difference if numpy.isfinite(difference) else float("inf")


def load(path, double=False):
    """A file's model with its parameters, the sentences, the metadata and all tensors."""
    metadata, tensors = safetensors_file.read(path)
    model = build(metadata)
    state = {key[len("param/"):]: torch.from_numpy(value.copy()) for key, value in tensors.items()
             if key.startswith("param/")}
    own = dict(model.named_parameters())
    wrong = sorted({name for name in own.keys() | state.keys()
                    if name not in own or name not in state or own[name].shape != state[name].shape})
    if wrong:
        raise ValueError(f"{path}: parameters that are missing, unknown or of another shape: {', '.join(wrong)}")
    with torch.no_grad():
        for name, parameter in own.items():
            parameter.copy_(state[name])
    pairs = [tuple(torch.from_numpy(tensors[f"{side}/{i}"].copy()) for side in ("src", "trg"))
             for i in range(int(metadata["sentences"]))]
    return model.double() if double else model, pairs, metadata, tensors


def compare(path, double=False):
    """{kind: largest error} of a file; the error of greedy words is 0 or infinity."""
    model, pairs, metadata, tensors = load(path, double)
    computed, scales = {}, {}
    if "loss" in tensors:
        computed = recompute(model, pairs, metadata)
        scales["loss"] = abs(float(computed["loss"][0]))
        scales["grad"] = max(float(numpy.abs(tensors[key]).max()) for key in tensors if key.startswith("grad/"))
    if any(key.endswith("_losses") for key in tensors):
        computed.update({f"{name}_losses": trajectory(model, pairs, int(metadata["sos"]), name) for name in OPTIMIZERS})
    inputs = ("param/", "src/", "trg/")
    unknown = sorted(key for key in tensors if key not in computed and not key.startswith(inputs))
    if unknown or not computed:
        raise ValueError(f"{path}: the file has {'unknown tensors: ' + ', '.join(unknown) if unknown else 'no results to compare'}")
    errors = {}
    for key, got in computed.items():
        kind, expected = key.partition("/")[0], tensors.get(key)
        if kind == "greedy":
            value = 0.0 if numpy.array_equal(got, expected) else float("inf")
        elif kind.endswith("_losses"):
            kind, value = "trajectory", error(got, expected, numpy.abs(got))
        else:
            value = error(got, expected, scales.get(kind, 1.0))
        errors[kind] = max(errors.get(kind, 0.0), value)
    return errors


def verify(paths):
    """Prints the largest errors of each file; returns whether all are within the tolerances."""
    good = True
    for path in paths:
        errors = compare(path)
        passed = all(value <= TOLERANCES.get(kind, 0.0) for kind, value in errors.items())
        good = good and passed
        figures = "  ".join(f"{kind} {value:.1e}" for kind, value in errors.items())
        print(f"{'ok  ' if passed else 'FAIL'} {os.path.basename(path)}: {figures}")
    return good


def random_case(metadata, seed, spread):
    """A model with parameters from [-spread, spread), and random sentences, which may contain unk."""
    random = torch.Generator().manual_seed(seed)
    model = build(metadata)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.uniform_(-spread, spread, generator=random)
    eos, sos = int(metadata["eos"]), int(metadata["sos"])

    def sentence(length, vocabulary):
        words = [word for word in range(vocabulary) if word not in (sos, eos)]
        picks = torch.randint(len(words), (length - 1,), generator=random).tolist()
        return torch.tensor([words[pick] for pick in picks] + [eos])

    vocabularies = int(metadata["source_vocabulary"]), int(metadata["target_vocabulary"])
    pairs = [tuple(map(sentence, lengths, vocabularies)) for lengths in cases.LENGTHS]
    return model, pairs


def inputs_of(model, pairs):
    tensors = {f"{side}/{i}": pair[k].numpy() for i, pair in enumerate(pairs) for k, side in enumerate(("src", "trg"))}
    tensors.update({f"param/{name}": p.detach().numpy() for name, p in model.named_parameters()})
    return tensors


def golden_case(metadata, seed):
    """The tensors of a golden file; None if rounding could change a greedy word, or if no greedy output ends (or all do)."""
    model, pairs = random_case(metadata, seed, cases.SPREAD)
    lengths, limit = [], int(metadata["greedy_max_length"])
    for source, _ in pairs:
        words, _, lead = greedy(model, source, metadata)
        if lead < 1e-3:
            return None
        lengths.append(len(words) if words[-1] == int(metadata["eos"]) else limit + 1)
    if max(lengths) <= limit or not any(1 < length <= limit for length in lengths):
        return None
    return {**inputs_of(model, pairs), **recompute(model, pairs, metadata)}


def trajectory_case(metadata, seed):
    """The tensors of a trajectory file; None if the effect of clipping or weight decay is within the tolerance."""
    model, pairs = random_case(metadata, seed, cases.TRAJECTORY_SPREADS[metadata["system"]])
    losses = {name: trajectory(model, pairs, int(metadata["sos"]), name) for name in OPTIMIZERS}
    clip, decay = (numpy.abs(losses[name] / losses["adam"] - 1).max() for name in ("adamclip", "adamw"))
    if clip < 10 * TOLERANCES["trajectory"] or decay < 2.5 * TOLERANCES["trajectory"]:
        return None
    return {**inputs_of(model, pairs), **{f"{name}_losses": values.astype("f4") for name, values in losses.items()}}


def write_case(path, metadata, case, seed):
    """Writes the first seed's case that is accepted and whose float64 numbers are well within the tolerances."""
    for seed in range(seed, seed + 1000 * TRIES, 1000):
        tensors = case(metadata, seed)
        if tensors is None:
            continue
        safetensors_file.write(path, {**metadata, "seed": str(seed)}, tensors)
        errors = compare(path, double=True)
        if all(value <= TOLERANCES.get(kind, 0.0) * DOUBLE_FRACTION for kind, value in errors.items()):
            return
    raise ValueError(f"{path}: no acceptable case in {TRIES} seeds")


def metadata_of(system, vocabularies, special, sizes):
    fields = {"system": system, "source_vocabulary": vocabularies[0], "target_vocabulary": vocabularies[1],
              "sentences": len(cases.LENGTHS), "sos": special[0], "eos": special[1], "unk": special[2],
              "greedy_max_length": cases.GREEDY_MAX_LENGTH, **sizes}
    return {key: str(value) for key, value in fields.items()}


def write_all(directory):
    os.makedirs(directory, exist_ok=True)
    jobs = [(name, golden_case, name, case) for name, case in cases.SYSTEM_CASES.items()]
    jobs += [(f"trajectory-{name}", trajectory_case, name, case) for name, case in cases.TRAJECTORY_CASES.items()]
    jobs += [(f"heed-{name}", golden_case, "heed", (source, target, {"config": cases.config_text(changes)}))
             for name, (source, target, changes) in cases.COMPOSED_CASES.items()]
    for seed, (name, case, system, (source, target, sizes)) in enumerate(jobs, 1):
        metadata = metadata_of(system, (source, target), cases.SPECIAL_IDS[seed % len(cases.SPECIAL_IDS)], sizes)
        if case is trajectory_case:
            metadata.update(OPTIMIZER_METADATA)
        write_case(os.path.join(directory, f"{name}.safetensors"), metadata, case, seed)


def main(arguments):
    torch.set_num_threads(1)
    if len(arguments) == 2 and arguments[0] == "--write":
        write_all(arguments[1])
        return 0
    if len(arguments) >= 2 and arguments[0] == "--verify":
        return 0 if verify(arguments[1:]) else 1
    print(__doc__.strip().splitlines()[-1], file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError, KeyError) as problem:
        print(f"golden: {problem}", file=sys.stderr)
        sys.exit(1)
