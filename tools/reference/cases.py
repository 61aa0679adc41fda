"""The golden files: their sizes, special ids, sentence lengths and settings."""

import json

# Source and target lengths with the end symbol; they include a side that is only the end symbol.
LENGTHS = ((5, 4), (1, 3), (12, 7), (7, 12), (3, 1))
GREEDY_MAX_LENGTH = 15

# Parameters are drawn from [-SPREAD, SPREAD), wide enough for attention to be far from uniform.
SPREAD = 1.2

# name: (source vocabulary, target vocabulary, sizes). Most sizes are odd, and some exceed one vector of 16 floats.
SYSTEM_CASES = {
    "alignment-gru": (13, 15, {"embedding": 5, "hidden": 9}),
    "bahdanau-lstm": (14, 11, {"embedding": 9, "hidden": 9}),
    "luong-dot": (11, 16, {"embedding": 7, "hidden": 7}),
    "luong-general": (12, 13, {"embedding": 11, "hidden": 11}),
    "luong-concat": (18, 12, {"embedding": 10, "hidden": 10}),
    "location-gru": (15, 14, {"embedding": 7, "hidden": 7, "max_length": 12}),
    "bigru-deep-output": (16, 21, {"embedding": 5, "encoder_hidden": 7, "decoder_hidden": 11}),
    "vanilla": (12, 19, {"embedding": 9, "hidden": 17}),
    "constant-context": (17, 10, {"embedding": 11, "hidden": 6}),
    "tensor-dance": (10, 18, {"embedding": 4, "hidden": 13}),
}

# Special ids (sos, eos, unk), used in turn, so that no code relies on their values.
SPECIAL_IDS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (4, 3, 0))

TRAJECTORY_CASES = {
    "bigru-deep-output": (14, 17, {"embedding": 6, "encoder_hidden": 9, "decoder_hidden": 7}),
    "luong-general": (16, 14, {"embedding": 10, "hidden": 10}),
    "location-gru": (13, 12, {"embedding": 9, "hidden": 9, "max_length": 13}),
}

# The spread of the initial parameters, wide enough for gradient norms above the clipping threshold.
TRAJECTORY_SPREADS = {"bigru-deep-output": 1.2, "luong-general": 2.5, "location-gru": 1.2}

PLAIN = {
    "encoder.cell": "gru", "encoder.layers": 1, "encoder.bidirectional": False, "encoder.residual": False,
    "encoder.embedding": 6, "encoder.hidden": 7,
    "decoder.cell": "gru", "decoder.layers": 1, "decoder.embedding": 5, "decoder.hidden": 7,
    "decoder.bridge": "last", "decoder.input": ["embedding"],
    "attention.score": "dot", "attention.size": 0, "attention.bias": False, "attention.position": "after",
    "readout.parts": ["state", "context"], "readout.tanh": False, "readout.size": 0, "embeddings.tied": "none",
}

# name: (source vocabulary, target vocabulary, differences from PLAIN)
COMPOSED_CASES = {
    "lstm-stack": (12, 13, {
        "encoder.cell": "lstm", "encoder.layers": 2, "encoder.bidirectional": True, "encoder.hidden": 5,
        "decoder.bridge": "tanh-linear", "decoder.cell": "lstm", "decoder.layers": 2,
        "decoder.input": ["embedding", "context"],
        "attention.score": "additive", "attention.size": 9, "attention.position": "before",
        "readout.parts": ["state", "context", "embedding"], "readout.tanh": True, "readout.size": 8}),
    "input-feeding": (13, 12, {
        "encoder.hidden": 9, "decoder.hidden": 9, "decoder.input": ["embedding", "feed"],
        "attention.score": "scaled-dot", "readout.tanh": True, "readout.size": 8}),
    "rnn-concat": (11, 14, {
        "encoder.cell": "rnn", "decoder.cell": "rnn", "encoder.hidden": 9, "decoder.hidden": 9,
        "attention.score": "concat", "attention.size": 6}),
    "tied-three-way": (15, 15, {
        "encoder.bidirectional": True, "encoder.embedding": 7, "decoder.embedding": 7, "encoder.hidden": 5,
        "decoder.bridge": "tanh-linear", "decoder.hidden": 9, "decoder.input": ["embedding", "context"],
        "attention.score": "general", "attention.position": "before", "readout.tanh": True, "readout.size": 7,
        "embeddings.tied": "all", "names.source_embedding": "embedding.weight"}),
    "tied-two-way-residual": (12, 11, {
        "encoder.layers": 3, "encoder.residual": True, "readout.tanh": True, "readout.size": 5,
        "embeddings.tied": "decoder"}),
    "last-stack": (11, 13, {
        "encoder.cell": "lstm", "decoder.cell": "lstm", "encoder.layers": 2, "decoder.layers": 2,
        "attention.score": "general"}),
    "zero-start": (14, 12, {
        "encoder.hidden": 6, "decoder.hidden": 9, "decoder.bridge": "zero", "decoder.input": ["embedding", "context"],
        "attention.score": "additive", "attention.size": 8, "attention.bias": True, "attention.position": "before",
        "readout.parts": ["state"]}),
}


def config_text(changes):
    """The settings as TOML, whose strings, numbers, booleans and lists are written as in JSON."""
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in {**PLAIN, **changes}.items())
