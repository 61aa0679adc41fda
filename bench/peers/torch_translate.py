#!/usr/bin/env python3
"""Translation speed of the bigru-deep-output model in PyTorch: the baseline for `heed bench translate`.

usage: OPENBLAS_CORETYPE=HASWELL /usr/bin/python3 bench/peers/torch_translate.py MODEL SOURCE [--batch 64] [--threads 2]

MODEL is heed's model file, SOURCE is text, tokenized and separated by spaces. Needs Debian's python3-torch. Debian 12's
OpenBLAS does not know recent CPUs and falls back to slow kernels: set OPENBLAS_CORETYPE (SKYLAKEX, or HASWELL without
AVX-512), or PyTorch is unfairly slow.

Greedy search, written with care for speed: no gradients, sentences sorted by length, a packed encoder, attention keys
projected once per sentence, the query's weights copied once. A batch runs until its last sentence has ended; words after
the end of a sentence do not count. Prints one JSON object.
"""

import argparse
import json
import pathlib
import resource
import sys
import time
import tomllib

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "reference"))
import safetensors_file


class Model:
    def __init__(self, path):
        metadata, tensors = safetensors_file.read(path)
        config = tomllib.loads(metadata["heed.config"])
        if config["system"] != "bigru-deep-output":
            sys.exit(f"{path} is a model of the preset {config['system']}; this script supports only bigru-deep-output")
        self.tensors = {name: torch.from_numpy(array.copy()) for name, array in tensors.items()}
        ids = config["vocabulary"]
        self.sos, self.eos, self.unk = ids["sos"], ids["eos"], ids["unk"]
        self.words = {w: i for i, w in enumerate(metadata["heed.vocabulary.source"].split("\n"))}
        get = self.tensors.__getitem__
        self.hidden = get("decoder.rnn.weight_hh_l0").shape[1]
        embedding = get("encoder.embedding.weight").shape[1]
        self.encoder = torch.nn.GRU(embedding, get("encoder.rnn.weight_hh_l0").shape[1], bidirectional=True)
        self.encoder.load_state_dict({name[len("encoder.rnn."):]: tensor for name, tensor in self.tensors.items()
                                      if name.startswith("encoder.rnn.")})
        self.cell = torch.nn.GRUCell(get("decoder.rnn.weight_ih_l0").shape[1], self.hidden)
        self.cell.load_state_dict({name: get(f"decoder.rnn.{name}_l0")
                                   for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")})

    def ids(self, line):
        return [self.words.get(word, self.unk) for word in line.split()] + [self.eos]

    def greedy(self, sources):
        """The output words of each source, with the end symbol if it was reached; expects the longest source first."""
        get = self.tensors.__getitem__
        lengths = torch.tensor([len(s) for s in sources])
        padded = torch.nn.utils.rnn.pad_sequence([torch.tensor(s) for s in sources])
        packed = torch.nn.utils.rnn.pack_padded_sequence(F.embedding(padded, get("encoder.embedding.weight")), lengths)
        states, last = self.encoder(packed)
        states = torch.nn.utils.rnn.pad_packed_sequence(states)[0].transpose(0, 1).contiguous()
        state = torch.tanh(F.linear(torch.cat((last[1], last[0]), 1), get("encoder.bridge.weight"), get("encoder.bridge.bias")))
        weight = get("decoder.attention.combine.weight")
        keys = F.linear(states, weight[:, self.hidden:], get("decoder.attention.combine.bias"))
        query, v = weight[:, : self.hidden].contiguous(), get("decoder.attention.v.weight")
        past = torch.arange(states.shape[1])[None, :] >= lengths[:, None]
        limits = 2 * lengths + 10
        word = torch.full((len(sources),), self.sos)
        ended, written = torch.zeros(len(sources), dtype=torch.bool), []
        while not bool(ended.all()):
            embedded = F.embedding(word, get("decoder.embedding.weight"))
            scores = F.linear(torch.tanh(keys + F.linear(state, query)[:, None]), v, get("decoder.attention.v.bias"))
            weights = F.softmax(scores[:, :, 0].masked_fill(past, -1e9), 1)
            context = torch.bmm(weights[:, None], states)[:, 0]
            state = self.cell(torch.cat((embedded, context), 1), state)
            word = F.linear(torch.cat((state, context, embedded), 1), get("decoder.out.weight"),
                            get("decoder.out.bias")).argmax(1)
            written.append(word)
            ended |= (word == self.eos) | (len(written) >= limits)
        rows = torch.stack(written, 1).tolist()
        results = []
        for row, limit in zip(rows, limits.tolist()):
            row = row[:limit]
            results.append(row[: row.index(self.eos) + 1] if self.eos in row else row)
        return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sentences", type=int, default=0, help="translate only the first N sentences; 0: all")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with torch.no_grad():
        model = Model(arguments.model)
        with open(arguments.source, encoding="utf-8") as file:
            sources = [model.ids(line) for line in file]
        sources = sorted(sources[: arguments.sentences or None], key=len, reverse=True)
        model.greedy(sources[-arguments.batch:])  # warm-up
        start, tokens = time.time(), 0
        for i in range(0, len(sources), arguments.batch):
            tokens += sum(map(len, model.greedy(sources[i : i + arguments.batch])))
        seconds = time.time() - start
    print(json.dumps({
        "peer": "pytorch " + torch.__version__, "threads": arguments.threads, "batch": arguments.batch,
        "target_tokens_per_second": round(tokens / seconds, 1),
        "sentences_per_second": round(len(sources) / seconds, 2), "target_tokens": tokens,
        "parameters": sum(tensor.numel() for tensor in model.tensors.values()),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
