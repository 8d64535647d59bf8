import { BLOCK } from "#scan/automaton";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { fold } from "#scan/fold/normalize";
import { type CompiledPolicy, compilePolicy } from "#scan/policy";
import { scanText } from "#scan/scan";

export const WORKS = ["scan", "prefilter", "fold", "sum", "regexp"] as const;
export type Work = (typeof WORKS)[number];

export type Compiled = {
  readonly policy: CompiledPolicy;
  /** The first time in this process, the automaton included, as the first text of a hub has it. */
  readonly compileMs: number;
  readonly detectors: number;
  readonly states: number;
  readonly tableBytes: number;
};

export function compiled(): Compiled {
  const began = performance.now();
  const policy = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);
  const { states, next } = policy.plan("user").prefilter.automaton;
  const compileMs = performance.now() - began;
  return { policy, compileMs, detectors: DETECTORS.length, states, tableBytes: next.byteLength };
}

/** What is timed. Each gives a number that depends on the whole text, so that no work can be left out. */
export function worksOf(policy: CompiledPolicy): Readonly<Record<Work, (text: string) => number>> {
  return {
    scan: (text) => scanText(policy, text, "user").findings.length,
    prefilter: (text) => anchorsIn(policy, text),
    fold: (text) => fold(text).text.length,
    sum: sumOf,
    regexp: (text) => text.match(ALTERNATION)?.length ?? 0,
  };
}

/** The walk of the matcher over the automaton, without the decisions. */
function anchorsIn(policy: CompiledPolicy, text: string): number {
  const { automaton } = policy.plan("user").prefilter;
  let state = 0;
  let anchors = 0;
  for (let from = 0; from < text.length; from += BLOCK) {
    state = automaton.walk(text, from, Math.min(from + BLOCK, text.length), state);
    anchors += automaton.hits.count;
  }
  return anchors;
}

/** The least that anything can do which looks at every unit. */
function sumOf(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum + text.charCodeAt(i)) | 0;
  return sum;
}

/** A dozen well-known words in one expression, as a scanner without a prefilter would begin. */
const ALTERNATION =
  /ignore|disregard|password|secret|token|api_key|akia|ghp_|sk-|xoxb-|eyj|-----begin|@|\b\d{3}-\d{2}-\d{4}\b|\b(?:\d[ -]?){13,16}\b/gi;
