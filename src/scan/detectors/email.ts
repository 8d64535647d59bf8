import { charSet } from "#scan/char-set";
import { type Detector, type Match, ORIGINS } from "#scan/detector";
import type { View } from "#scan/view";

const LOCAL = charSet("A-Za-z0-9._%+-");
const LOCAL_START = charSet("A-Za-z0-9_+");
const DOMAIN = charSet("A-Za-z0-9.-");
/** RFC 5321 §4.5.3.1. */
const MAX_LOCAL_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 253;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const TOP_LABEL = /^(?:[A-Za-z]{2,24}|xn--[A-Za-z0-9-]{2,58})$/;
const FOREIGN = /^(?:[\p{L}\p{M}\p{N}-]{1,40}\.){1,4}\p{L}[\p{L}\p{M}]{1,23}(?![\p{L}\p{N}])/u;
const MAX_FOREIGN_LENGTH = 80;
/** File names such as `icon@2x.png` look like addresses. */
const FILE_ENDING =
  /^(?:png|jpe?g|gif|svg|webp|avif|ico|css|s[ac]ss|less|jsx?|tsx?|mjs|cjs|json|html?|md|txt|pdf|zip|gz|tgz|whl|jar|lock|map)$/i;
/** In `scheme://user:password@host` the password is no local part. */
const USER_INFO = /:\/\/[^\s/@]{0,64}:$/;
const USER_INFO_BEHIND = 68;

/** Mail from it is sent by a program, and nobody reads what is sent to it: it tells of no person. */
const NOBODY = /^(?:no|do[-_.]?not)[-_.]?reply$/i;

/** RFC 2606 §2 and §3: names kept for examples. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/i;
/** Below what the built-in policy flags. */
const NOBODYS_SCORE = 0.2;

export const email: Detector = {
  id: "pii.email",
  origins: ORIGINS.filter((origin) => origin !== "tool_definition"),
  category: "pii",
  severity: "medium",
  reach: MAX_DOMAIN_LENGTH + 3,
  behind: MAX_LOCAL_LENGTH + USER_INFO_BEHIND,
  keywords: ["@"],
  begin: beginOfLocal,
  pending: (view) => beginOfLocal(view, view.text.length),
  read(view, at) {
    const start = beginOfLocal(view, at);
    if (start === at || view.code(at - 1) === 0x2e) return null;
    if (view.code(at + 1) > 0x7f) return readForeign(view, at, start);
    const run = view.run(at + 1, DOMAIN, MAX_DOMAIN_LENGTH + 1);
    if (run < 4) return null;
    const length = domainLength(view.slice(at + 1, at + 1 + Math.min(run, MAX_DOMAIN_LENGTH)));
    if (length === 0) return null;
    const end = at + 1 + length;
    // `git@host:path` names a repository.
    if (view.before(at, at - start) === "git" && view.code(end) === 0x3a) return null;
    if (view.code(start - 1) === 0x3a && USER_INFO.test(view.before(start, USER_INFO_BEHIND))) return null;
    return { start, end, score: NOBODY.test(view.before(at, at - start)) ? NOBODYS_SCORE : 0.95 };
  },
};

/** The same in definitions of tools, where an address on a reserved name shows how to write one. */
export const definedEmail: Detector = {
  ...email,
  id: "pii.email.defined",
  type: "pii.email",
  origins: ["tool_definition"],
  read(view, at, length) {
    const found = email.read(view, at, length);
    if (found === null) return null;
    const isReserved = RESERVED.test(view.slice(at + 1, found.end));
    return isReserved ? { ...found, score: NOBODYS_SCORE } : found;
  },
};

/** A domain in a script of its own, as RFC 6531 allows. */
function readForeign(view: View, at: number, start: number): Match | null {
  const domain = FOREIGN.exec(view.slice(at + 1, at + 1 + MAX_FOREIGN_LENGTH))?.[0];
  return domain === undefined ? null : { start, end: at + 1 + domain.length, score: 0.8 };
}

function beginOfLocal(view: View, at: number): number {
  let start = at - view.runBack(at, LOCAL, MAX_LOCAL_LENGTH);
  while (start < at && !view.is(start, LOCAL_START)) start++;
  return start;
}

/** How much of `text` is a domain with at least two labels and a top label of letters. */
function domainLength(text: string): number {
  const labels = text.split(".");
  const bad = labels.findIndex((label) => !LABEL.test(label));
  for (let count = bad < 0 ? labels.length : bad; count >= 2; count--) {
    const top = labels[count - 1] ?? "";
    if (TOP_LABEL.test(top)) return FILE_ENDING.test(top) ? 0 : labels.slice(0, count).join(".").length;
  }
  return 0;
}
