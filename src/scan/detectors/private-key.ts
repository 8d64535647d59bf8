import { BASE64, charSet, DIGIT, SPACE } from "#scan/char-set";
import type { Detector, Match, Tail } from "#scan/detector";
import type { View } from "#scan/view";

const TITLE = charSet("A-Z0-9 ");
const MAX_TITLE_LENGTH = 40;
const FENCE = charSet("-");
/** Between the title line and the body: line breaks, also as `\n` or between quoted pieces. */
const GAP = charSet(" \t\r\n\\nr\"'+,|>#*/");
const MAX_GAP_LENGTH = 24;
const MIN_BODY_LENGTH = 16;
const HEADERS = ["Proc-Type:", "Version:", "Comment:", "Charset:"];
/** A 16384-bit RSA key is about 12,600 characters; an escaped one a little more. */
const MAX_BODY_LENGTH = 16_384;
const BEGIN = "-----BEGIN ";

/**
 * A PEM or armoured private key at `at`: RFC 7468 §10 and 11, OpenSSH's PROTOCOL.key, RFC 9580 §6.2.
 * The title alone is a mention; the body's first characters make it a key.
 */
function pemAt(view: View, at: number): Match | null {
  if (!view.has(at, BEGIN)) return null;
  const title = at + BEGIN.length;
  const fence = title + view.run(title, TITLE, MAX_TITLE_LENGTH);
  if (view.run(fence, FENCE, 5) < 5) return null;
  if (!/PRIVATE KEY(?: BLOCK)?$/.test(view.before(fence, fence - title))) return null;
  const gap = fence + 5;
  // A body may begin with a letter of `\n`, so the gap ends at the last unit that is not one.
  const width = view.run(gap, GAP, MAX_GAP_LENGTH);
  const letters = view.before(gap + width, width).match(/(?<!\\)[nr/+]*$/)?.[0].length ?? 0;
  const body = gap + width - letters;
  const header = HEADERS.find((name) => view.has(body, name));
  const known = header?.length ?? (view.run(body, BASE64, MIN_BODY_LENGTH) === MIN_BODY_LENGTH ? MIN_BODY_LENGTH : 0);
  if (known === 0) return null;
  return { start: at, end: body + known, score: 1, tail: TAIL };
}

const TAIL: Tail = {
  kind: "until",
  literal: "-----END",
  closing: [
    { set: TITLE, most: MAX_TITLE_LENGTH },
    { set: FENCE, most: 5 },
  ],
  max: MAX_BODY_LENGTH,
};

const GAP_LINE = charSet(" \t\r\n\\nr");
const LINES = charSet("A-Za-z0-9+/=\r\n");

const REACH = BEGIN.length + MAX_TITLE_LENGTH + 5 + MAX_GAP_LENGTH + MIN_BODY_LENGTH + 1;

export const privateKey: Detector = {
  id: "secret.private_key",
  category: "secret",
  severity: "critical",
  reach: REACH,
  behind: 1,
  keywords: ["-----begin "],
  read: pemAt,
};

/** The private part of a PuTTY key file. Source: PuTTY's manual, appendix C.3. */
export const puttyKey: Detector = {
  id: "secret.private_key.putty",
  type: "secret.private_key",
  category: "secret",
  severity: "critical",
  reach: 14 + 16 + MIN_BODY_LENGTH + 1,
  behind: 1,
  cue: true,
  keywords: ["private-lines:"],
  read(view, at, length) {
    const count = at + length + view.run(at + length, SPACE, 4);
    const digits = view.run(count, DIGIT, 4);
    const body = count + digits + view.run(count + digits, GAP_LINE, 6);
    if (digits === 0 || view.run(body, BASE64, MIN_BODY_LENGTH) < MIN_BODY_LENGTH) return null;
    return { start: body, end: body + MIN_BODY_LENGTH, score: 1, tail: { kind: "run", set: LINES } };
  },
};

/** The key of a Google Cloud service account file. */
export const gcpServiceAccount: Detector = {
  id: "secret.gcp_service_account",
  category: "secret",
  severity: "critical",
  reach: REACH + 40,
  behind: 1,
  keywords: ['private_key"', 'private_key\\"'],
  cue: true,
  read(view, at, length) {
    let i = at + length;
    i += view.run(i, SPACE, 8);
    if (view.code(i) !== 0x3a) return null;
    i += 1 + view.run(i + 1, SPACE, 8);
    i += view.run(i, charSet('\\"'), 2);
    return pemAt(view, i);
  },
};
