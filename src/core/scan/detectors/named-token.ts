import type { CharSet } from "#core/scan/char-set";
import { entropy } from "#core/scan/checksums";
import type { Detector } from "#core/scan/detector";
import type { View } from "#core/scan/view";
import { ASSIGNMENT_MOST, assignedValue } from "./assignment";
import { isPlaceholder } from "./placeholder";

/** A provider whose keys have no mark: its names in assignments, and what its keys look like. */
export type NamedShape = {
  /** Lower case, parted by blanks. */
  readonly names: string;
  readonly set: CharSet;
  readonly lengths: readonly number[];
  /** What the value must look like beyond that. */
  readonly form?: RegExp;
  /** Bits per character; 2.8 if absent. */
  readonly entropy?: number;
};

type Options = Pick<Detector, "id" | "type" | "severity"> & { readonly shapes: readonly NamedShape[] };

/** How much of the name before the provider's is read. */
const NAME_BEFORE = 24;
const CREDENTIAL = /tok|key|secret|pass|pwd|auth|cred|login|pat\b|api|access|client|bearer|license|_id$|id$/i;
/** Masks and words; digits in order are in many a made-up example, and lower the score only. */
const MASK = /example|placeholder|your|x{4,}|\*{3,}|\.{3,}|0{8,}|<|>|\$\{|\{\{/i;

/** A value of a provider's shape, assigned to a name with the provider's name and a word such as "token" in it. */
export function namedToken({ id, type, severity, shapes }: Options): Detector {
  const byName = new Map<string, NamedShape[]>();
  for (const shape of shapes) {
    for (const name of shape.names.split(" ")) byName.set(name, [...(byName.get(name) ?? []), shape]);
  }
  const longest = Math.max(...shapes.flatMap(({ lengths }) => lengths));
  return {
    id,
    ...(type !== undefined && { type }),
    category: "secret",
    severity,
    reach: Math.max(...[...byName.keys()].map((name) => name.length)) + ASSIGNMENT_MOST + longest + 2,
    behind: NAME_BEFORE,
    cue: true,
    maxScore: 0.8,
    keywords: [...byName.keys()],
    read(view, at, length) {
      const assigned = assignedValue(view, at + length);
      if (!assigned || assigned.loose) return null;
      const { start, nameEnd } = assigned;
      const name = view.before(nameEnd, nameEnd - at - length) + view.before(start, start - nameEnd);
      if (![name, view.before(at, NAME_BEFORE)].some((part) => CREDENTIAL.test(part))) return null;
      for (const shape of byName.get(view.slice(at, at + length).toLowerCase()) ?? []) {
        const value = readValue(view, start, shape);
        if (value !== "") return { start, end: start + value.length, score: isPlaceholder(value) ? 0.5 : 0.8 };
      }
      return null;
    },
  };
}

function readValue(view: View, start: number, { set, lengths, form, entropy: least = 2.8 }: NamedShape): string {
  const width = view.run(start, set, Math.max(...lengths) + 1);
  if (!lengths.includes(width)) return "";
  const value = view.before(start + width, width);
  if (!/\d/.test(value) || MASK.test(value) || entropy(value) < least) return "";
  return form?.test(value) === false ? "" : value;
}
