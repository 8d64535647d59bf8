import { offerBuiltTables } from "#guard/built-tables";
import { compilersGiveWay, giveWay } from "#platform/thread-priority";
import { customDetectors } from "#scan/custom";
import type { Detector } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { packScan } from "#scan/packed-scan";
import { type CompiledPolicy, type PolicyRecipe, policyOfRecipe } from "#scan/policy";
import { scanText } from "#scan/scan";
import type { FailedScan, OrderedText, ScanAnswer, ScanOrder, ScanPiece, ScanText } from "./messages";

/* The entry of a scanning thread, an entrypoint of its own in the executable. One order at a time, each answered. */

declare const self: Worker;

const policies = new Map<number, CompiledPolicy>();
/** Detectors by the operator's rules among them: policies that share those share one automaton. */
const detectorsByRules = new Map<string, readonly Detector[]>();

const detectorsWith = (shared: PolicyRecipe["shared"]): readonly Detector[] => {
  if (shared.length === 0) return DETECTORS;
  const key = JSON.stringify(shared);
  const known = detectorsByRules.get(key);
  if (known) return known;
  // Rules change seldom, and those of a policy in use are kept with it.
  detectorsByRules.clear();
  const made = [...DETECTORS, ...customDetectors(shared)];
  detectorsByRules.set(key, made);
  return made;
};

const policyFor = ({ policy, recipe, forget }: ScanOrder): CompiledPolicy => {
  for (const old of forget) policies.delete(old);
  const known = policies.get(policy);
  if (known) return known;
  if (recipe === null) throw new Error("no recipe for this policy");
  const made = policyOfRecipe(recipe, DETECTORS, detectorsWith(recipe.shared));
  policies.set(policy, made);
  return made;
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "unknown");

giveWay();
offerBuiltTables();

/** UTF-16 units of a text that is long enough for its scanning code to be compiled meanwhile. */
const COMPILED_FOR = 262_144;

let pieces: string[] = [];

const wholeOf = (text: OrderedText): ScanText =>
  "text" in text ? text : { text: pieces.splice(0, text.pieces).join(""), origin: text.origin };

self.onmessage = ({ data }: MessageEvent<ScanOrder | ScanPiece>) => {
  if ("piece" in data) pieces.push(data.piece);
  else carryOut(data);
};

const carryOut = (order: ScanOrder): void => {
  const ms: number[] = [];
  const scanned = (text: ScanText) => {
    const begin = performance.now();
    try {
      const scan = scanText(policyFor(order), text.text, text.origin);
      return scan.findings.length === 0 && !scan.unscanned ? null : packScan(scan);
    } catch (error) {
      const failed: FailedScan = { failed: nameOf(error) };
      return failed;
    } finally {
      ms.push(performance.now() - begin);
    }
  };
  const texts = order.texts.map(wholeOf);
  if (texts.some(({ text }) => text.length > COMPILED_FOR)) compilersGiveWay();
  pieces = [];
  const results = texts.map(scanned);
  const answer: ScanAnswer = { job: order.job, results, ms };
  const blocks = results.flatMap((result) => (result && "spans" in result ? [result.spans.buffer] : []));
  postMessage(answer, blocks);
};
