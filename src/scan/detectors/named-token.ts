import { entropy } from "#core/checksums";
import { type CharSet, charSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { type Assigned, assignedValue, MAX_ASSIGNMENT_LENGTH } from "./assignment";
import { drawnBits } from "./drawn";
import { CUT_OFF_REACH, isCutOff, isPlaceholder } from "./placeholder";
import { isNumbered, isObjectId, isOtherThing } from "./secret-name";
import { isName, isWordy } from "./spoken";
import { shapeOf } from "./value-shape";

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
  /** Beside the provider's name alone it can be nothing else. */
  readonly bare?: boolean;
  /** The form is the provider's own: its name anywhere before the value will do. */
  readonly sure?: boolean;
};

type Options = Pick<Detector, "id" | "type" | "severity"> & { readonly shapes: readonly NamedShape[] };

const LOWER = charSet("a-z");
const UPPER = charSet("A-Z");
/** How much of the name before the provider's is read. */
const NAME_BEFORE = 24;
const CREDENTIAL = /tok|key|secret|pass|pwd|auth|cred|login|pat\b|api|access|client|bearer|license|_id$|id$/i;
/** Names of what identifies an app or a site to everybody: RFC 6749 §2.2 says that a client id is no secret. */
const PUBLIC_NAME = /(?:client|app|application|consumer)[_-]?id/i;
const SECRET_NAME = /secret|token|pass|private/i;
/** Masks and words; digits in order are in many a made-up example, and lower the score only. */
const MASK = /example|placeholder|your|x{4,}|\*{3,}|\.{3,}|0{8,}|<|>|\$\{|\{\{/i;

/** From here on a value may be without digits, but not made of words. */
const LONG = 20;

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
    reach:
      Math.max(...[...byName.keys()].map((name) => name.length)) + MAX_ASSIGNMENT_LENGTH + longest + 2 + CUT_OFF_REACH,
    behind: NAME_BEFORE,
    cue: true,
    maxScore: 0.8,
    keywords: [...byName.keys()],
    read(view, at, length) {
      if (isInside(view, at)) return null;
      const assigned = assignedValue(view, at + length);
      if (!assigned) return null;
      const known = byName.get(view.slice(at, at + length).toLowerCase()) ?? [];
      const told = reasonFor(view, at, length, assigned);
      const { start } = assigned;
      for (const shape of known.filter((one) => suffices(one, told))) {
        const value = readValue(view, start, shape);
        if (value !== "") return matchOf(view, start, value, shape, told);
      }
      return told === "name" ? beside(view, start) : null;
    },
  };
}

function matchOf(view: View, start: number, value: string, { set }: NamedShape, told: Reason): Match | null {
  const end = start + value.length;
  if (isCutOff(view, end, set)) return null;
  return { start, end, score: told === "public" || isPlaceholder(value) ? 0.5 : 0.8 };
}

const ANY_KEY = charSet("A-Za-z0-9_.~+/=-");
/** Shorter ones are ids of documents, songs and pictures. */
const MIN_ALONE = 24;
const MAX_ALONE = 64;
/** Two bits a character, about. */
const SURELY_DRAWN = 40;
const CAPITAL = /[A-Z]/;
const SMALL = /[a-z]/;
const TWO_DIGITS = /\d\D*\d/;

/** Of no known shape, beside a provider's name and nothing that says what it is: noted, where it looks drawn beyond doubt. */
function beside(view: View, start: number): Match | null {
  const width = view.run(start, ANY_KEY, MAX_ALONE + 1);
  const value = view.before(start + width, width);
  if (width < MIN_ALONE || width > MAX_ALONE || ![CAPITAL, SMALL, TWO_DIGITS].every((kind) => kind.test(value)))
    return null;
  if (drawnBits(value) < SURELY_DRAWN || shapeOf(value, false, false) === null) return null;
  return isCutOff(view, start + width, ANY_KEY) ? null : { start, end: start + width, score: 0.65 };
}

/** What belongs to the value's name or sentence. */
const SAME_LINE = /[^\n;,{}()]*$/;

/** `public`: an id of a client or an app, which every browser that signs in is shown; `number`: what is shown in logs. */
type Reason = "credential" | "public" | "number" | "name" | "nothing";

const suffices = ({ sure, bare }: NamedShape, told: Reason): boolean =>
  told !== "number" &&
  (sure === true || told === "credential" || told === "public" || (bare === true && told === "name"));

/** What the name says: that this is a credential, or no more than the provider's name. */
function reasonFor(view: View, at: number, length: number, assigned: Assigned): Reason {
  const { start, nameEnd, loose } = assigned;
  if (loose) return "nothing";
  const name = view.before(nameEnd, nameEnd - at - length);
  const before = SAME_LINE.exec(view.before(at, NAME_BEFORE))?.[0] ?? "";
  // `acme.clients.retrieve("…")`: what is called says what is given to it.
  if (assigned.listed && !CREDENTIAL.test(name.slice(name.lastIndexOf(".") + 1))) return "nothing";
  const around = [name + view.before(start, start - nameEnd), before];
  if (!SECRET_NAME.test(name)) {
    if (PUBLIC_NAME.test(name)) return "public";
    if (isNumbered(name) || isOtherThing(name)) return "number";
  }
  if (around.some((part) => CREDENTIAL.test(part))) return "credential";
  return name === "" ? "name" : "nothing";
}

/** Whether the name is a piece of a word: `figma` in `configManagement`. */
const isInside = (view: View, at: number): boolean =>
  (view.is(at, LOWER) && view.is(at - 1, LOWER)) || (view.is(at, UPPER) && view.is(at - 1, UPPER));

function readValue(view: View, start: number, { set, lengths, form, entropy: least = 2.8 }: NamedShape): string {
  const width = view.run(start, set, Math.max(...lengths) + 1);
  if (view.short || !lengths.includes(width)) return "";
  const value = view.before(start + width, width);
  if (MASK.test(value) || entropy(value) < least || isName(value) || isObjectId(value)) return "";
  if (width < LONG ? !/\d/.test(value) : isWordy(value)) return "";
  return form?.test(value) === false ? "" : value;
}
