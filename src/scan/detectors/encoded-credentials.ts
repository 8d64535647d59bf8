import { BASE64, charSet, SPACE } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import type { View } from "#scan/view";
import { pairScore } from "./name-and-password";
import { isPlaceholder } from "./placeholder";

const SIGNS = charSet("\"'\\ \t:=");
const PADDING = charSet("=");
const PADDED = charSet("A-Za-z0-9+/=");
const PAIR_SEEN = 256;
const MIN_PAIR_LENGTH = 12;

/** A registry's name and password in base64: Docker's `config.json` and `.dockercfg`, npm's `.npmrc`. */
export const registryAuth: Detector = {
  id: "secret.registry_auth",
  category: "secret",
  severity: "high",
  reach: 8 + 8 + PAIR_SEEN + 3,
  behind: 1,
  cue: true,
  maxScore: 0.9,
  keywords: ['"auth"', '"auth\\"', "'auth'", "_auth", ".auth"],
  read(view, at, length) {
    const start = at + length + view.run(at + length, SIGNS, 8);
    if (start === at + length) return null;
    const width = view.run(start, BASE64, PAIR_SEEN);
    const score = width < MIN_PAIR_LENGTH ? 0 : (pairScore(view.before(start + width, width)) ?? 0);
    if (score === 0) return null;
    return { start, end: start + width + view.run(start + width, PADDING, 2), score };
  },
};

/** How far `kind: Secret` may stand from the data, in front of it and behind. */
const KIND_BEFORE = 320;
const KIND_BEHIND = 640;
const KIND = /(?:^|\n)[ \t]*kind:[ \t]*["']?secret["']?[ \t]*(?:\r?\n|$)/i;
const DOCUMENT = /\n---[ \t]*\r?\n/;
/** The first value of the block: on the line of its name, or on the next behind `|` or `>`. */
const ENTRY = /^[ \t]*\r?\n(?:[ \t]*#[^\n]*\n)*[ \t]+["']?[\w.-]{1,80}["']?:[ \t]*(?:[|>][-+]?[ \t]*\r?\n[ \t]*)?["']?/;
const ENTRY_SEEN = 320;
const MIN_VALUE_LENGTH = 10;

/** The first value of a Secret of Kubernetes: base64, but not encrypted. */
export const kubernetesSecret: Detector = {
  id: "secret.kubernetes",
  category: "secret",
  severity: "high",
  reach: 6 + KIND_BEHIND,
  behind: KIND_BEFORE,
  cue: true,
  maxScore: 0.65,
  keywords: ["\ndata:", "\tdata:", " data:"],
  read(view, at, length) {
    const from = at + length;
    if (!view.is(from, SPACE)) return null;
    const entry = ENTRY.exec(window(view, from, ENTRY_SEEN))?.[0];
    if (entry === undefined) return null;
    const start = from + entry.length;
    const width = view.run(start, PADDED, PAIR_SEEN);
    const value = view.before(start + width, width);
    if (width < MIN_VALUE_LENGTH || isPlaceholder(value) || !isKind(view, at, from)) return null;
    const tail = { kind: "run", set: BASE64 } as const;
    return { start, end: start + width, score: 0.65, ...(width === PAIR_SEEN && { tail }) };
  },
};

/** Within the same document of a YAML file. */
function isKind(view: View, at: number, from: number): boolean {
  const before =
    view
      .before(at + 1, KIND_BEFORE)
      .split(DOCUMENT)
      .at(-1) ?? "";
  if (KIND.test(before)) return true;
  return KIND.test(window(view, from, KIND_BEHIND - 1).split(DOCUMENT)[0] ?? "");
}

const ANY = new Uint8Array(128).fill(1);

/** Up to `most` units of ASCII from `at` on, fewer only where the text ends. */
function window(view: View, at: number, most: number): string {
  const width = view.run(at, ANY, most);
  return view.before(at + width, width);
}
