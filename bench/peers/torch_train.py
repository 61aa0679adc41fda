#!/usr/bin/env python3
"""Training speed of the bigru-deep-output model in PyTorch: the baseline for `heed bench train`.

usage: OPENBLAS_CORETYPE=HASWELL /usr/bin/python3 bench/peers/torch_train.py SOURCE TARGET [--style expert|tutorial]
           [--updates 8] [--batch 128] [--threads 2] [--embedding 256] [--hidden 512]

SOURCE and TARGET are text, tokenized and separated by spaces. Needs Debian's python3-torch. Debian 12's OpenBLAS does not
know recent CPUs and falls back to slow kernels: set OPENBLAS_CORETYPE (SKYLAKEX, or HASWELL without AVX-512), or PyTorch is
unfairly slow.

The model: bidirectional GRU encoder, additive attention, GRU decoder, an output layer over [state; context; embedding],
words that occur at least twice, at most 10,000 per language. Adam, gradient norm clipped to 1, dropout 0.5, teacher forcing.

    expert     what a PyTorch expert would write: attention keys projected once, one output projection for all steps
    tutorial   the loop of the tutorials: attention over the concatenation, and the output layer, in every step

Both compute the same function of the same batch. Prints one JSON object.
"""

import argparse
import collections
import json
import random
import resource
import time

import torch
import torch.nn.functional as F
from torch import nn

UNK, PAD, SOS, EOS = range(4)


def read(path):
    with open(path, encoding="utf-8") as file:
        return [line.split() for line in file]


def vocabulary(lines):
    counts = collections.Counter(word for line in lines for word in line)
    words = ["<unk>", "<pad>", "<sos>", "<eos>"] + [word for word, n in counts.most_common(10000) if n >= 2]
    return {word: i for i, word in enumerate(words)}


def make_batches(pairs, size):
    """Shuffled batches of sentences of similar length."""
    random.shuffle(pairs)
    batches = []
    for i in range(0, len(pairs), size * 100):
        pool = sorted(pairs[i:i + size * 100], key=lambda pair: (len(pair[0]), len(pair[1])))
        batches += [pool[j:j + size] for j in range(0, len(pool), size)]
    random.shuffle(batches)
    return batches


def pad(rows):
    """[length, batch]"""
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows]).t().contiguous()


class Model(nn.Module):
    def __init__(self, source_words, target_words, embedding, hidden, style):
        super().__init__()
        self.hidden, self.expert = hidden, style == "expert"
        self.dropout = nn.Dropout(0.5)
        self.source = nn.Embedding(source_words, embedding)
        self.target = nn.Embedding(target_words, embedding)
        self.encoder = nn.GRU(embedding, hidden, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)
        self.fc1 = nn.Linear(3 * hidden, hidden)
        self.fc2 = nn.Linear(hidden, 1)
        self.decoder = nn.GRU(2 * hidden + embedding, hidden)
        self.out = nn.Linear(3 * hidden + embedding, target_words)

    def attend(self, state, memory, keys, padding):
        """The context [B,2H] of one step."""
        if self.expert:
            energy = torch.tanh(keys + F.linear(state, self.fc1.weight[:, :self.hidden]).unsqueeze(1))
        else:
            queries = state.unsqueeze(1).repeat(1, memory.size(1), 1)
            energy = torch.tanh(self.fc1(torch.cat((queries, memory), 2)))
        scores = self.fc2(energy).squeeze(2).masked_fill(padding, -1e9)
        return torch.bmm(F.softmax(scores, 1).unsqueeze(1), memory).squeeze(1)

    def forward(self, source, target):
        """Logits [T-1,B,V] of the target words after the first."""
        memory, last = self.encoder(self.dropout(self.source(source)))
        state = torch.tanh(self.bridge(torch.cat((last[-1], last[-2]), 1)))
        memory = memory.permute(1, 0, 2).contiguous()
        padding = source.t() == PAD
        embedded = self.dropout(self.target(target[:-1]))
        keys = F.linear(memory, self.fc1.weight[:, self.hidden:], self.fc1.bias) if self.expert else None
        states, contexts, logits = [], [], []
        for step in embedded:
            context = self.attend(state, memory, keys, padding)
            state = self.decoder(torch.cat((step, context), 1).unsqueeze(0), state.unsqueeze(0))[1][0]
            if self.expert:
                states.append(state)
                contexts.append(context)
            else:
                logits.append(self.out(torch.cat((state, context, step), 1)))
        if self.expert:
            return self.out(torch.cat((torch.stack(states), torch.stack(contexts), embedded), 2))
        return torch.stack(logits)


def update(model, optimizer, batch):
    """One update; returns the loss and the number of target tokens."""
    source, target = pad([pair[0] for pair in batch]), pad([pair[1] for pair in batch])
    optimizer.zero_grad()
    logits = model(source, target)
    loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), target[1:].reshape(-1), ignore_index=PAD)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item(), sum(len(pair[1]) - 1 for pair in batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--style", choices=["expert", "tutorial"], default="expert")
    parser.add_argument("--updates", type=int, default=8)
    parser.add_argument("--warmup", type=int, default=3, help="updates before the measurement")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--embedding", type=int, default=256)
    parser.add_argument("--hidden", type=int, default=512)
    args = parser.parse_args()
    torch.manual_seed(0)
    random.seed(0)
    torch.set_num_threads(args.threads)
    sources, targets = read(args.source), read(args.target)
    source_ids, target_ids = vocabulary(sources), vocabulary(targets)

    def encode(ids, words):
        return [SOS, *(ids.get(word, UNK) for word in words), EOS]

    batches = make_batches([(encode(source_ids, s), encode(target_ids, t)) for s, t in zip(sources, targets)], args.batch)
    model = Model(len(source_ids), len(target_ids), args.embedding, args.hidden, args.style)
    optimizer = torch.optim.Adam(model.parameters())
    for batch in batches[:args.warmup]:
        update(model, optimizer, batch)
    start, tokens, loss = time.time(), 0, float("nan")
    for batch in batches[args.warmup:args.warmup + args.updates]:
        loss, count = update(model, optimizer, batch)
        tokens += count
    seconds = time.time() - start
    print(json.dumps({
        "peer": "pytorch " + torch.__version__, "style": args.style,
        "target_tokens_per_second": round(tokens / seconds, 1),
        "sentences_per_second": round(args.updates * args.batch / seconds, 2), "updates": args.updates,
        "parameters": sum(parameter.numel() for parameter in model.parameters()), "loss": round(loss, 4),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
