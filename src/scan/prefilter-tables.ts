import type { Alphabet } from "./alphabet";
import { type AnchorTables, anchorTables } from "./anchor-table";
import { AutomatonBuilder, type AutomatonTables } from "./automaton-tables";
import type { CharSet } from "./char-set";
import type { Detector } from "./detector";
import { buildTrie, type TrieOutput } from "./trie";

const ASCII = 128;
const MAX_BOUNDARIES = 8;
/** Of them, those of keywords. */
const MAX_HELD = 7;
const MIN_BEHIND = 64;

/** What a prefilter is made of: numbers alone, so that they can be made before they are needed. */
export type PrefilterTables = AutomatonTables &
  AnchorTables & {
    readonly alphabet: Alphabet;
    /** Of each node of the trie; a node's number is above its parent's. */
    readonly parent: Uint32Array;
    /** Where the detectors begin that have a keyword end in a node. */
    readonly ownBegins: Uint32Array;
    readonly own: Uint16Array;
    /** Distinct boundary sets, one behind the other. */
    readonly boundaries: Uint8Array;
    /** Per detector: its bit in a hold mask; 0 for those that hold nothing by their keywords. */
    readonly bits: Uint8Array;
    /** Units behind a decision's place that any detector may look at. */
    readonly lookBehind: number;
  };

/** Throws an Error when the keywords are not what a prefilter can hold. */
export function prefilterTables(detectors: readonly Detector[]): PrefilterTables {
  const trie = buildTrie(detectors);
  const automaton = new AutomatonBuilder(trie);
  const named = boundarySets(detectors.map(({ boundary }) => boundary));
  const all = boundarySets(detectors.flatMap(({ boundary, digitBoundary }) => [boundary, digitBoundary]));
  if (named.size > MAX_HELD || all.size > MAX_BOUNDARIES)
    throw new Error("too many different boundaries for one prefilter");
  const places = [...named.keys()];
  // Those of keywords first: a hold mask has room for these.
  const sets = [...new Map([...named, ...all]).values()];
  const bits = detectors.map(({ cue, begin, boundary }) => {
    if (cue || begin) return 0;
    return boundary ? 2 << places.indexOf(boundary.join("")) : 1;
  });
  return {
    ...automaton.built(),
    ...anchorTables(automaton.endings, detectors, sets),
    ...ownOf(trie.outputs, trie.size),
    alphabet: trie.alphabet,
    parent: trie.parent.slice(0, trie.size),
    boundaries: Uint8Array.from(sets.flatMap((set) => [...set])),
    bits: Uint8Array.from(bits),
    lookBehind: detectors.reduce((most, each) => Math.max(most, each.behind + longest(each.keywords)), MIN_BEHIND),
  };
}

/** Different sets, by what is in them. */
const boundarySets = (all: readonly (CharSet | undefined)[]): Map<string, CharSet> =>
  new Map(all.flatMap((set) => (set ? [[set.join(""), set] as const] : [])));

function ownOf(outputs: readonly (readonly TrieOutput[] | undefined)[], size: number) {
  const ownBegins = new Uint32Array(size + 1);
  const own: number[] = [];
  for (let node = 0; node < size; node++) {
    for (const { detector } of outputs[node] ?? []) if (detector >= 0) own.push(detector);
    ownBegins[node + 1] = own.length;
  }
  return { ownBegins, own: Uint16Array.from(own) };
}

export const boundariesOf = ({ boundaries }: PrefilterTables): CharSet[] =>
  Array.from({ length: boundaries.length / ASCII }, (_, at) => boundaries.subarray(at * ASCII, (at + 1) * ASCII));

function longest(keywords: readonly string[]): number {
  return keywords.reduce((most, { length }) => Math.max(most, length), 1);
}
