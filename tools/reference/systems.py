"""The ten systems of the tutorials (docs/systems.md) as PyTorch modules, one sentence at a time.

A system is a `System` of an encoder and a decoder. Parameters have the attribute names of the tutorials, so that the state
dict of a tutorial's model can be loaded. Nothing is batched or padded. Letters: S source length, V target vocabulary, E embedding, H hidden (He encoder outputs, Hd decoder).

    encoder(source [S])                    -> memory [S,He], state
    decoder.step(word [], state, memory)   -> logits [V], state, weights [S] (zeros if there is no attention)

`state` is opaque to the caller: [layers,H], or a pair of them for an LSTM.
"""

from dataclasses import dataclass

import torch
from torch import nn

CELLS = {"gru": nn.GRU, "lstm": nn.LSTM, "rnn": nn.RNN}


@dataclass
class Sizes:
    """The sizes of a system, from the metadata of a golden file."""

    source_vocabulary: int
    target_vocabulary: int
    embedding: int
    encoder_hidden: int
    decoder_hidden: int
    max_length: int = 0

    @staticmethod
    def of(metadata):
        def hidden(side):
            return int(metadata.get(side + "_hidden") or metadata["hidden"])

        return Sizes(
            int(metadata["source_vocabulary"]),
            int(metadata["target_vocabulary"]),
            int(metadata["embedding"]),
            hidden("encoder"),
            hidden("decoder"),
            int(metadata.get("max_length", 0)),
        )


class System(nn.Module):
    """An encoder and a decoder; an embedding that both share is registered once, before them."""

    def __init__(self, encoder, decoder, embedding=None):
        super().__init__()
        if embedding is not None:
            self.embedding = embedding
        self.encoder = encoder
        self.decoder = decoder


def top(state):
    """The hidden vector [H] of the topmost layer."""
    return (state[0] if isinstance(state, tuple) else state)[-1]


def context_of(scores, memory):
    """Softmax over the positions, then the weighted sum: scores [S], memory [S,He] -> context [He], weights [S]."""
    weights = torch.softmax(scores, 0)
    return weights @ memory, weights


class Encoder(nn.Module):
    """Embedding and one forward layer; the cell's module is named after its kind (`gru`, `lstm`)."""

    def __init__(self, sizes, cell="gru"):
        super().__init__()
        self.embedding = nn.Embedding(sizes.source_vocabulary, sizes.embedding)
        self.add_module(cell, CELLS[cell](sizes.embedding, sizes.encoder_hidden))
        self.cell = cell

    def forward(self, source):
        return self.get_submodule(self.cell)(self.embedding(source))


class BridgedEncoder(nn.Module):
    """The study post "Attention Mechanism": both directions; the decoder starts from tanh(fc [backward; forward])."""

    def __init__(self, sizes):
        super().__init__()
        self.embed = nn.Embedding(sizes.source_vocabulary, sizes.embedding)
        self.gru = nn.GRU(sizes.embedding, sizes.encoder_hidden, bidirectional=True)
        self.fc = nn.Linear(2 * sizes.encoder_hidden, sizes.decoder_hidden)

    def forward(self, source):
        memory, (forward, backward) = self.gru(self.embed(source))
        return memory, torch.tanh(self.fc(torch.cat([backward, forward]))).unsqueeze(0)


class Decoder(nn.Module):
    """Common to all decoders: the target embedding and one cell over an input of `width`."""

    def __init__(self, sizes, width, cell="gru"):
        super().__init__()
        self.embedding = nn.Embedding(sizes.target_vocabulary, sizes.embedding)
        self.add_module(cell, CELLS[cell](width, sizes.decoder_hidden))
        self.cell = cell

    def advance(self, state, *inputs):
        """One step of the cell over the concatenated inputs: its output [Hd] and the next state."""
        output, state = self.get_submodule(self.cell)(torch.cat(inputs).unsqueeze(0), state)
        return output[0], state


class AlignmentDecoder(Decoder):
    """Alignment Models (3): a linear score over [previous state; e]; the cell reads relu([context; embedding])."""

    def __init__(self, sizes):
        super().__init__(sizes, sizes.encoder_hidden + sizes.embedding)
        self.attention = nn.Linear(sizes.decoder_hidden + sizes.encoder_hidden, 1)
        self.dense = nn.Linear(sizes.decoder_hidden, sizes.target_vocabulary)

    def step(self, word, state, memory):
        query = top(state).expand(len(memory), -1)
        context, weights = context_of(self.attention(torch.cat([query, memory], 1))[:, 0], memory)
        output, state = self.advance(state, torch.relu(context), torch.relu(self.embedding(word)))
        return self.dense(output), state, weights


class BahdanauDecoder(Decoder):
    """FloydHub's "Attention Mechanism", additive: v . tanh(fc_hidden h + fc_encoder e) on the previous state; v is `weight` [1,H]."""

    def __init__(self, sizes):
        super().__init__(sizes, sizes.embedding + sizes.encoder_hidden, "lstm")
        self.fc_hidden = nn.Linear(sizes.decoder_hidden, sizes.decoder_hidden, bias=False)
        self.fc_encoder = nn.Linear(sizes.encoder_hidden, sizes.decoder_hidden, bias=False)
        self.weight = nn.Parameter(torch.zeros(1, sizes.decoder_hidden))
        self.classifier = nn.Linear(sizes.decoder_hidden, sizes.target_vocabulary)

    def step(self, word, state, memory):
        energy = torch.tanh(self.fc_hidden(top(state)) + self.fc_encoder(memory))
        context, weights = context_of(energy @ self.weight[0], memory)
        output, state = self.advance(state, self.embedding(word), context)
        return self.classifier(output), state, weights


class LuongScore(nn.Module):
    """FloydHub's "Attention Mechanism": dot e.h, general e.(fc h), concat weight.tanh(fc(h + e)).

    Its concat adds the states that the paper concatenates.
    """

    def __init__(self, hidden, method):
        super().__init__()
        self.method = method
        if method != "dot":
            self.fc = nn.Linear(hidden, hidden, bias=False)
        if method == "concat":
            self.weight = nn.Parameter(torch.zeros(1, hidden))

    def forward(self, query, memory):
        if self.method == "dot":
            return memory @ query
        if self.method == "general":
            return memory @ self.fc(query)
        return torch.tanh(self.fc(query + memory)) @ self.weight[0]


class LuongDecoder(Decoder):
    """FloydHub's "Attention Mechanism": the cell first, attention with its new state; the output reads [state; context]."""

    def __init__(self, sizes, method):
        super().__init__(sizes, sizes.embedding, "lstm")
        self.attention = LuongScore(sizes.decoder_hidden, method)
        self.classifier = nn.Linear(sizes.decoder_hidden + sizes.encoder_hidden, sizes.target_vocabulary)

    def step(self, word, state, memory):
        output, state = self.advance(state, self.embedding(word))
        context, weights = context_of(self.attention(output, memory), memory)
        return self.classifier(torch.cat([output, context])), state, weights


class LocationDecoder(Decoder):
    """The Dissected Attention Network: max_length scores from [embedding; previous state], whatever the source is.

    Positions beyond the sentence keep their part of the softmax and multiply nothing: weights is [max_length].
    """

    def __init__(self, sizes):
        super().__init__(sizes, sizes.embedding)
        self.attn = nn.Linear(sizes.embedding + sizes.decoder_hidden, sizes.max_length)
        self.attn_combine = nn.Linear(sizes.embedding + sizes.encoder_hidden, sizes.embedding)
        self.out = nn.Linear(sizes.decoder_hidden, sizes.target_vocabulary)

    def step(self, word, state, memory):
        embedded = self.embedding(word)
        weights = torch.softmax(self.attn(torch.cat([embedded, top(state)])), 0)
        context = weights[: len(memory)] @ memory
        output, state = self.advance(state, torch.relu(self.attn_combine(torch.cat([embedded, context]))))
        return self.out(output), state, weights


class AdditiveScore(nn.Module):
    """The study post "Attention Mechanism": fc2 tanh(fc1 [h; e]), both with biases."""

    def __init__(self, sizes):
        super().__init__()
        self.fc1 = nn.Linear(sizes.decoder_hidden + 2 * sizes.encoder_hidden, sizes.decoder_hidden)
        self.fc2 = nn.Linear(sizes.decoder_hidden, 1)

    def forward(self, query, memory):
        pairs = torch.cat([query.expand(len(memory), -1), memory], 1)
        return self.fc2(torch.tanh(self.fc1(pairs)))[:, 0]


class DeepOutputDecoder(Decoder):
    """The study post "Attention Mechanism": attention with the previous state; the output reads [state; context; embedding]."""

    def __init__(self, sizes):
        both = 2 * sizes.encoder_hidden
        super().__init__(sizes, sizes.embedding + both)
        self.attention = AdditiveScore(sizes)
        self.fc = nn.Linear(sizes.decoder_hidden + both + sizes.embedding, sizes.target_vocabulary)

    def step(self, word, state, memory):
        embedded = self.embedding(word)
        context, weights = context_of(self.attention(top(state), memory), memory)
        output, state = self.advance(state, embedded, context)
        return self.fc(torch.cat([output, context, embedded])), state, weights


class VanillaDecoder(Decoder):
    """Seq2seq Model with Attention, without attention: only the first state depends on the source."""

    def __init__(self, sizes):
        super().__init__(sizes, sizes.embedding)
        self.out = nn.Linear(sizes.decoder_hidden, sizes.target_vocabulary)

    def step(self, word, state, memory):
        output, state = self.advance(state, self.embedding(word))
        return self.out(output), state, memory.new_zeros(len(memory))


class ConstantContextDecoder(Decoder):
    """Cho et al. 2014: the encoder's last state z is part of every step's input and output."""

    def __init__(self, sizes):
        super().__init__(sizes, sizes.embedding + sizes.encoder_hidden)
        width = sizes.embedding + sizes.decoder_hidden + sizes.encoder_hidden
        self.fc = nn.Linear(width, sizes.target_vocabulary)

    def step(self, word, state, memory):
        embedded, z = self.embedding(word), memory[-1]
        output, state = self.advance(state, embedded, z)
        return self.fc(torch.cat([embedded, output, z])), state, memory.new_zeros(len(memory))


class TensorDanceDecoder(Decoder):
    """Seq2seq Model with Attention: dot attention after the cell, then tanh(feedforward [state; context])."""

    def __init__(self, sizes):
        super().__init__(sizes, sizes.embedding)
        self.feedforward = nn.Linear(sizes.decoder_hidden + sizes.encoder_hidden, sizes.decoder_hidden)
        self.out = nn.Linear(sizes.decoder_hidden, sizes.target_vocabulary)

    def step(self, word, state, memory):
        output, state = self.advance(state, self.embedding(word))
        context, weights = context_of(memory @ output, memory)
        return self.out(torch.tanh(self.feedforward(torch.cat([output, context])))), state, weights


SYSTEMS = {
    "alignment-gru": lambda s: System(Encoder(s), AlignmentDecoder(s)),
    "bahdanau-lstm": lambda s: System(Encoder(s, "lstm"), BahdanauDecoder(s)),
    "luong-dot": lambda s: System(Encoder(s, "lstm"), LuongDecoder(s, "dot")),
    "luong-general": lambda s: System(Encoder(s, "lstm"), LuongDecoder(s, "general")),
    "luong-concat": lambda s: System(Encoder(s, "lstm"), LuongDecoder(s, "concat")),
    "location-gru": lambda s: System(Encoder(s), LocationDecoder(s)),
    "bigru-deep-output": lambda s: System(BridgedEncoder(s), DeepOutputDecoder(s)),
    "vanilla": lambda s: System(Encoder(s), VanillaDecoder(s)),
    "constant-context": lambda s: System(Encoder(s), ConstantContextDecoder(s)),
    "tensor-dance": lambda s: System(Encoder(s), TensorDanceDecoder(s)),
}
