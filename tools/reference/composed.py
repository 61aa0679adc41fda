"""The composable model in PyTorch, for settings that no tutorial has (system "heed").

A configuration is TOML with heed's own keys; README.md lists them and the parameter names. The interface is that of
systems.py: encoder(source) returns the memory and the decoder's first state, decoder.step computes one step.
"""

import tomllib

import torch
from torch import nn

from systems import CELLS, System, context_of, top

CHOICES = {
    "encoder.cell": tuple(CELLS),
    "decoder.cell": tuple(CELLS),
    "decoder.bridge": ("last", "tanh-linear", "zero"),
    "attention.score": ("additive", "dot", "scaled-dot", "general", "concat"),
    "attention.position": ("before", "after"),
    "embeddings.tied": ("none", "decoder", "all"),
}
TYPES = {
    **{key: bool for key in ("encoder.bidirectional", "encoder.residual", "attention.bias", "readout.tanh")},
    **{key: int for key in ("encoder.layers", "encoder.embedding", "encoder.hidden", "decoder.layers",
                            "decoder.embedding", "decoder.hidden", "attention.size", "readout.size")},
}
LISTS = {"decoder.input": ("embedding", "context", "feed"), "readout.parts": ("state", "context", "embedding")}
SOURCE_NAME = "names.source_embedding"  # the name of the one matrix if all embeddings are tied
RENAMED = {"attention.place": "attention.position"}


def flatten(tables):
    """{"encoder": {"cell": "gru"}} -> {"encoder.cell": "gru"}"""
    flat = {}
    for name, value in tables.items():
        flat.update({f"{name}.{key}": v for key, v in value.items()} if isinstance(value, dict) else {name: value})
    return flat


def parse(text):
    """The configuration as a dictionary; every key must be present with an allowed value."""
    config = {RENAMED.get(key, key): value for key, value in flatten(tomllib.loads(text)).items()}
    for key, value in config.items():
        good = (value in CHOICES[key] if key in CHOICES else type(value) is TYPES[key] if key in TYPES
                else set(value) <= set(LISTS[key]) if key in LISTS else key == SOURCE_NAME)
        if not good:
            raise ValueError(f"the configuration has an unknown key or value: {key} = {value!r}")
    missing = {*CHOICES, *TYPES, *LISTS} - set(config)
    if missing:
        raise ValueError(f"the configuration lacks {', '.join(sorted(missing))}")
    return config


def run_layer(rnn, k, x):
    """Runs only layer k of a stacked nn.GRU, nn.LSTM or nn.RNN from a zero state: x [S,X] -> outputs, last state."""
    directions = 2 if rnn.bidirectional else 1
    weights = [getattr(rnn, f"{kind}_l{k}{suffix}") for suffix in ("", "_reverse")[:directions]
               for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    zeros = x.new_zeros(directions, 1, rnn.hidden_size)
    lstm = isinstance(rnn, nn.LSTM)
    function = torch.lstm if lstm else torch.gru if isinstance(rnn, nn.GRU) else torch.rnn_tanh
    outputs, *last = function(x.unsqueeze(1), (zeros, zeros) if lstm else zeros, weights, True, 1, 0.0, False,
                              rnn.bidirectional, False)
    last = [part[:, 0] for part in last]
    return outputs[:, 0], tuple(last) if lstm else last[0]


class ComposedEncoder(nn.Module):
    """Stacked layers, and the bridge from the top layer's last state to the decoder's first one."""

    def __init__(self, config, embedding):
        super().__init__()
        self.embedding = embedding
        self.residual = config["encoder.residual"]
        self.rnn = CELLS[config["encoder.cell"]](
            config["encoder.embedding"], config["encoder.hidden"], config["encoder.layers"],
            bidirectional=config["encoder.bidirectional"])
        self.width = config["encoder.hidden"] * (2 if self.rnn.bidirectional else 1)
        self.kind = config["decoder.bridge"]
        self.start = (config["decoder.layers"], config["decoder.hidden"])
        self.decodes_lstm = config["decoder.cell"] == "lstm"
        if self.kind == "tanh-linear":
            self.bridge = nn.Linear(self.width, config["decoder.hidden"])
            if self.decodes_lstm:
                self.bridge_cell = nn.Linear(self.width, config["decoder.hidden"])

    def forward(self, source):
        x, states = self.embedding(source), []
        for k in range(self.rnn.num_layers):
            outputs, last = run_layer(self.rnn, k, x)
            x = outputs + x if self.residual and k > 0 and outputs.shape == x.shape else outputs
            states.append(last if isinstance(last, tuple) else (last,))
        return x, self.first_state(states, x)

    def first_state(self, states, memory):
        """`last`: decoder layer k starts from encoder layer k, a single one from the top. Otherwise every layer starts
        from the same vector, computed from the top layer's [backward; forward] if there are two directions."""
        layers, hidden = self.start
        if self.kind == "last" and layers > 1:
            parts = tuple(torch.cat(part) for part in zip(*states))
        elif self.kind == "zero":
            parts = (memory.new_zeros(hidden),) * (2 if self.decodes_lstm else 1)
        else:
            parts = tuple(part.flip(0).flatten() for part in states[-1])
        if self.kind == "tanh-linear":
            bridges = (self.bridge, self.bridge_cell) if self.decodes_lstm else (self.bridge,)
            parts = tuple(torch.tanh(bridge(part)) for bridge, part in zip(bridges, parts))
        parts = tuple(part.expand(layers, hidden).contiguous() for part in parts)
        return parts if self.decodes_lstm else parts[0]


class Score(nn.Module):
    """The scoring functions: query [Hd], memory [S,He] -> scores [S]."""

    def __init__(self, config, query, key):
        super().__init__()
        self.kind = config["attention.score"]
        size, bias = config["attention.size"], config["attention.bias"]
        if self.kind == "additive":
            self.query = nn.Linear(query, size, bias=False)
            self.key = nn.Linear(key, size, bias=bias)
        elif self.kind == "general":
            self.query = nn.Linear(query, key, bias=False)
        elif self.kind == "concat":
            self.combine = nn.Linear(query + key, size, bias=bias)
        if self.kind in ("additive", "concat"):
            self.v = nn.Linear(size, 1, bias=bias)

    def forward(self, query, memory):
        if self.kind == "additive":
            return self.v(torch.tanh(self.query(query) + self.key(memory)))[:, 0]
        if self.kind == "concat":
            pairs = torch.cat([query.expand(len(memory), -1), memory], 1)
            return self.v(torch.tanh(self.combine(pairs)))[:, 0]
        if self.kind == "general":
            return memory @ self.query(query)
        return memory @ query / (len(query) ** 0.5 if self.kind == "scaled-dot" else 1.0)


class Fed(tuple):
    """(state of the cells, readout of the previous step)"""


class ComposedDecoder(nn.Module):
    """Attention before or after the stacked cells, then the readout; `state` also carries the fed-back readout."""

    def __init__(self, config, vocabulary, width, embedding):
        super().__init__()
        hidden = config["decoder.hidden"]
        sizes = {"state": hidden, "context": width, "embedding": config["decoder.embedding"]}
        self.before = config["attention.position"] == "before"
        self.inputs = config["readout.parts"]
        readout = sum(sizes[name] for name in self.inputs)
        output = config["readout.size"] if config["readout.tanh"] else readout
        self.feed = output if "feed" in config["decoder.input"] else 0
        self.embedding = embedding
        self.rnn = CELLS[config["decoder.cell"]](
            sizes["embedding"] + (width if self.before else 0) + self.feed, hidden, config["decoder.layers"])
        self.attention = Score(config, hidden, width)
        self.readout = nn.Linear(readout, output) if config["readout.tanh"] else None
        self.out = nn.Linear(output, vocabulary)
        if config["embeddings.tied"] != "none":
            self.out.weight = embedding.weight

    def step(self, word, state, memory):
        # The first state comes from the encoder and has no readout to feed back.
        state, fed = state if isinstance(state, Fed) else (state, memory.new_zeros(self.feed))
        values = {"embedding": self.embedding(word)}
        if self.before:
            values["context"], weights = context_of(self.attention(top(state), memory), memory)
        x = torch.cat([*values.values(), fed])
        output, state = self.rnn(x.unsqueeze(0), state)
        values["state"] = output[0]
        if not self.before:
            values["context"], weights = context_of(self.attention(output[0], memory), memory)
        read = torch.cat([values[name] for name in self.inputs])
        if self.readout is not None:
            read = torch.tanh(self.readout(read))
        return self.out(read), Fed((state, read if self.feed else fed)), weights


def compose(config, source_vocabulary, target_vocabulary):
    shared = None
    if config["embeddings.tied"] == "all":
        shared = nn.Embedding(source_vocabulary, config["encoder.embedding"])
    source = shared or nn.Embedding(source_vocabulary, config["encoder.embedding"])
    target = shared or nn.Embedding(target_vocabulary, config["decoder.embedding"])
    encoder = ComposedEncoder(config, source)
    return System(encoder, ComposedDecoder(config, target_vocabulary, encoder.width, target), shared)
