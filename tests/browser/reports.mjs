// Runs `compare` on the repository's corpus, and makes a report of several engines out of its
// JSON, with divergences of all kinds and with texts that try to become markup.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const binary = process.env.COMPARE ?? join(root, "target/debug/compare");

export const MARKUP = `<img src=x onerror="window.ran=1"></script><script>window.ran=1</script>'"&`;

const compare = (...args) => {
  try {
    execFileSync(binary, args, { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    if (error.status !== 1) throw error;
  }
};

// Every `step`-th case of an engine diverges, in one way after the other.
const spoil = (engine, name, step) => {
  const kinds = ["value", "known", "unsupported", "error-expected"];
  let count = 0;
  engine.name = name;
  engine.cases.forEach((each, i) => {
    if (each.verdict !== "parity" || i % step !== 0 || each.floating === 0) return;
    const kind = kinds[count++ % kinds.length];
    each.got = { outputs: [{ dtype: "float32", shape: [2, 3], start: 0, data: [0.5, "NaN", 2, 3, -0.0, 1e-9] }] };
    each.verdict = kind === "known" || kind === "unsupported" ? kind : "new";
    if (kind === "unsupported") {
      each.detail = `${each.op} is not in this engine`;
      delete each.got;
    } else {
      each.class = kind === "known" ? "value" : kind;
      each.detail = "output 0 at [1]: NaN; PyTorch has 1.0 (2 of 6 elements differ too far)";
      each.known = kind === "known" ? "Sums in another order than PyTorch does." : null;
      if (each.known) each.entry = 1;
      each.max_ulp = i % 2 ? 3 + i : 2 ** 62;
      each.max_abs = 3.5e-7;
      each.ulps = [[0, 100], [1, 40], [2, 12], [1024, 2], [18446744073709551615n, 1]].map(([d, n]) => [Number(d) === 2 ** 64 ? 4611686018427387904 : Number(d), n]);
      if (each.truth) each.truth = { engine: 1e-3, torch: 1e-7, word: i % 2 ? "further" : "closer" };
    }
  });
};

export const make = () => {
  const folder = mkdtempSync(join(tmpdir(), "torch-parity-browser-"));
  const file = (name) => join(folder, name);
  // Three suites hold every kind of case, and leave the page its full detail.
  const suites = ["reduce", "red_ref", "public"].flatMap((suite) => ["--suite", suite]);
  compare(...suites, "-o", file("one.html"), "-o", file("one.json"));
  const names = ["second", "third", "a-rather-long-engine-name", "candle-metal-model", "fifth", "sixth", MARKUP];
  const reports = names.map((name, i) => {
    const report = JSON.parse(readFileSync(file("one.json"), "utf8"));
    spoil(report.engines[0], name, 3 + 4 * i);
    if (name === MARKUP) {
      const bad = report.engines[0].cases.find((each) => each.verdict === "new");
      bad.detail = MARKUP;
      bad.class = MARKUP;
      const known = report.engines[0].cases.find((each) => each.verdict === "known");
      known.known = MARKUP;
    }
    // The id that is not a corpus's has to be in every report.
    report.engines[0].cases[0].id = MARKUP;
    report.engines[0].cases[0].op = MARKUP;
    writeFileSync(file(`part-${i}.json`), JSON.stringify(report));
    return file(`part-${i}.json`);
  });
  compare("merge", ...reports, "-o", file("many.html"));
  return { url: (name) => `file://${file(name)}`, remove: () => rmSync(folder, { recursive: true }) };
};
