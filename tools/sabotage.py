#!/usr/bin/env python3
"""Breaks the code on purpose, one place at a time, and expects the tests to go red each time.

usage: tools/sabotage.py [--only WORD | --check]
Works on a copy of the tracked files; the checkout is not touched. Exits 1 where a break goes unnoticed, or where the
text to break is no longer found exactly once: then this table needs an update. --check looks at the table alone, which
takes no time and is part of the tests.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ("kernels", "alignment", "autograd", "model", "search", "inspect", "train")

# name, file below src/, text, what replaces it
SABOTAGES = [
    ("a flipped sign in the fast GRU backward", "kernels/cell.cpp",
     "hn::Mul(d, hn::Sub(load(part, h.row(b) + j), n))", "hn::Mul(d, hn::Sub(n, load(part, h.row(b) + j)))"),
    ("a flipped sign in the plain GRU backward", "kernels/ref/cell.h",
     "const T d_n = d * (1 - z) * (1 - n * n);", "const T d_n = d * (1 + z) * (1 - n * n);"),
    ("the LSTM's forget gate gets the input gate's gradient", "kernels/cell.cpp",
     "through_sigmoid(f, hn::Mul(d_cell, load(part, c.row(b) + j)))", "through_sigmoid(i, hn::Mul(d_cell, load(part, c.row(b) + j)))"),
    ("an off-by-one in the softmax's mask", "kernels/softmax.cpp",
     "softmax_row(out.row(i), x.row(i), lengths[i]);", "softmax_row(out.row(i), x.row(i), lengths[i] - (lengths[i] > 1));"),
    ("attention that leaves out a sentence's last word", "kernels/attention.cpp",
     "for (Index s = 0; s < length; ++s)\n        sum = hn::MulAdd", "for (Index s = 0; s + 1 < length; ++s)\n        sum = hn::MulAdd"),
    ("attention's softmax gradient without its mean", "kernels/attention.cpp",
     "hn::Mul(load(part, w + s), hn::Sub(load(part, d + s), sum))", "hn::Mul(load(part, w + s), load(part, d + s))"),
    ("additive scores without the tanh's slope", "kernels/attention.cpp",
     "hn::Mul(load(part, v.data + j), hn::NegMulAdd(d_t, t, d))", "hn::Mul(load(part, v.data + j), d)"),
    ("a dropped accumulate in the linear layer's weight gradient", "autograd/ops/linear.cpp",
     "if (w.grad) kernels::matmul(w.grad, y.grad, x.value, {.transpose_a = true, .accumulate = true});",
     "if (w.grad) kernels::matmul(w.grad, y.grad, x.value, {.transpose_a = true});"),
    ("a step layer that forgets its inputs", "autograd/ops/linear.cpp",
     "if (tape_.recording()) kernels::copy(inputs_.slice_rows(row, x.rows()), x.value);", ""),
    ("an embedding that does not note its rows", "autograd/ops/elementwise.cpp",
     "if (touched != nullptr) touched->add(ids);", ""),
    ("repeated ids that overwrite each other's gradient", "kernels/rows.cpp",
     "add_to(d_x.slice_rows(index[i], 1), d_out.slice_rows(i, 1))", "copy(d_x.slice_rows(index[i], 1), d_out.slice_rows(i, 1))"),
    ("dropout that scales forward but not backward", "kernels/ref/dropout.h",
     "d_out.row(i)[j] * (mask[i * d_x.columns + j] ? scale : T(0))", "d_out.row(i)[j] * (mask[i * d_x.columns + j] ? T(1) : T(0))"),
    ("random numbers whose counter does not carry", "kernels/dropout.cpp",
     "hn::Set(d, first[1] + 1)", "hn::Set(d, first[1])"),
    ("a dropout backward that forgets the mask", "kernels/dropout.cpp",
     "hn::Mul(load_mask(part, mask + i * d_x.columns + j), scale)", "scale"),
    ("layer normalization's backward without the variance term", "kernels/layer_norm.cpp",
     "hn::Sub(d, hn::MulAdd(normal, mean_weighted, mean_d))", "hn::Sub(d, mean_d)"),
    ("label smoothing missing from the loss's gradient", "kernels/softmax.cpp",
     "offset = set(weight * share)", "offset = set(0.0f)"),
    ("the output loss's last chunk left out of the weight gradient", "autograd/ops/loss.cpp",
     "if (w.grad) kernels::matmul(w.grad, logits,", "if (w.grad && row + chunk < x.rows()) kernels::matmul(w.grad, logits,"),
    ("a wrong digit in exp", "kernels/simd/vector-inl.h", "0.16666514802499374f", "0.16676514802499374f"),
    ("a rectifier that lets negative gradients pass", "kernels/elementwise.cpp",
     "hn::Add(o, hn::IfThenElseZero(hn::Gt(y, hn::Zero(D())), d))", "hn::Add(o, d)"),
    ("a worker whose gradients are not added", "train/data_parallel.cpp",
     "const std::size_t first = received_ ? 0 : 1;", "const std::size_t first = received_ ? 0 : 2;"),
    ("a rank whose first worker is not added", "train/data_parallel.cpp",
     "const std::size_t first = received_ ? 0 : 1;", "const std::size_t first = 1;"),
    ("touched rows that the other ranks do not learn of", "train/data_parallel.cpp",
     "      gradients.touched(id)->add(rows.first(own));\n", ""),
    ("a checkpoint that forgets how often the rate fell", "train/run_state.cpp",
     "  visit(\"schedule_falls\", s.schedule.falls);\n", ""),
    ("gradients that are not cleared between runs", "train/data_parallel.h", "      replica.gradients.clear();\n", ""),
    ("micro-batches of which only the last counts", "train/data_parallel.h",
     "        replica.tape.backward();\n", "        if (!more) replica.tape.backward();\n"),
    ("weights transposed with two columns swapped", "kernels/simd/transpose-inl.h",
     "columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce));", "columns[1] = hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce));"),
    ("columns of weights left out if they are not a multiple of four", "kernels/simd/matmul_tile-inl.h",
     "  for (; k < x.columns; ++k) {\n", "  for (; k + 1 < x.columns; ++k) {\n"),
    ("a trainer that goes on from the epoch's first batch", "train/trainer.cpp",
     "  sampler_->seek(state.position);\n}", "  sampler_->seek({state.position.epoch, 0});\n}"),
    ("recurrent dropout of what the state carries on", "model/recurrent.cpp",
     "recurrent.step(keep ? row : 0, read), state)", "recurrent.step(keep ? row : 0, read), CellState{read, state.c})"),
    ("a moving average that stands still", "train/trainer.cpp", "a[i] += rest * (p[i] - a[i]);", "a[i] += 0 * (p[i] - a[i]);"),
    ("a plateau that no validation ends", "train/schedule.cpp", "  ++state_.falls;\n", ""),
    ("a backward reader that forgets where it was", "model/recurrent.cpp",
     "  write(tape, grown.slice_rows(0, state.rows()), state);\n", ""),
    ("a bias that starts without regard to the layer's inputs", "model/linear_layer.h", ", {.fan_in = in});", ");"),
    ("the bias of an old file under its new name", "model/names.cpp", "+ \"bias\");", "+ \"weight\");"),
    ("the bridge reading [forward; backward]", "model/decoder.cpp", "concat(tape, {state(1), state(0)})", "concat(tape, {state(0), state(1)})"),
    ("Adam without bias correction", "kernels/optimizer.cpp", "s.rate / (1 - std::pow(s.beta1, s.t))", "s.rate"),
    ("an HMM that forgets its state at a null word", "alignment/hmm.cpp",
     "beta_[state] = onward + beta_[state] * kNull * null_emission[j] / scale_[j];", "beta_[state] = onward;"),
    ("directions that do not learn from each other", "alignment/text_aligner.cpp", "both = forward * backward", "both = forward"),
    ("sources that stay in a search are read from another's rows", "search/stepper.cpp",
     "from.begin[static_cast<std::size_t>(kept[i])]", "from.begin[static_cast<std::size_t>(kept[0])]"),
    ("a deadline that nobody looks at", "search/search.cpp",
     " || sentence.job().deadline <= now", ""),
    ("a trace that shows the first row of the beam", "search/beam.cpp",
     "h.trace.emplace_back(trace_[node.row])", "h.trace.emplace_back(trace_[0])"),
]


def check_table():
    """Exits with a sentence unless every text is where the table says, once."""
    for name, file, text, replacement in SABOTAGES:
        count = (ROOT / "src" / file).read_text().count(text)
        if count != 1 or text == replacement:
            sys.exit(f"sabotage: '{name}': src/{file} has {count} times: {text}")
    print(f"{len(SABOTAGES)} sabotages find their places")


def run(command, directory):
    return subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def build(copy):
    return run(["cmake", "--build", "build", "--target", *(f"test_{name}" for name in TESTS)], copy)


def failing_test(copy):
    """The name of the first test program that fails, or None."""
    for name in TESTS:
        if run([f"{copy}/build/tests/test_{name}", "--gtest_brief=1"], copy).returncode != 0:
            return name
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only the breaks whose description holds this word")
    parser.add_argument("--check", action="store_true", help="break nothing: see whether the table fits the source")
    arguments = parser.parse_args()
    wanted = arguments.only
    check_table()
    if arguments.check:
        return
    with tempfile.TemporaryDirectory(prefix="heed-sabotage-") as temporary:
        copy = pathlib.Path(temporary)
        for name in run(["git", "ls-files"], ROOT).stdout.split():
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        configured = run(["cmake", "-S", ".", "-B", "build", *generator, "-DCMAKE_BUILD_TYPE=Debug",
                          "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DHEED_BENCH=OFF"], copy)
        if configured.returncode != 0 or build(copy).returncode != 0:
            sys.exit("sabotage: the unbroken copy does not build")
        red = failing_test(copy)
        if red:
            sys.exit(f"sabotage: test_{red} fails on the unbroken copy")
        unnoticed = 0
        cases = [case for case in SABOTAGES if wanted in case[0]]
        for name, file, text, replacement in cases:
            path, start = copy / "src" / file, time.time()
            original = path.read_text()
            path.write_text(original.replace(text, replacement))
            built = build(copy)
            if built.returncode != 0:
                print(built.stdout[-3000:])
                sys.exit(f"sabotage: '{name}' does not compile")
            red = failing_test(copy)
            path.write_text(original)
            unnoticed += red is None
            print(f"{'red, test_' + red if red else 'UNNOTICED':<22} {name} ({time.time() - start:.0f} s)", flush=True)
        print(f"{len(cases) - unnoticed} of {len(cases)} sabotages caught")
        sys.exit(1 if unnoticed or not cases else 0)


if __name__ == "__main__":
    main()
