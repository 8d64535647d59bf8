/**
 * How much likelier a letter is behind another one in words than by chance, in thirds of a bit, 17 for as likely; base 36,
 * a row for each of a to z. Counted over names, words and paths of this project and of the packages it uses.
 */
const PAIRS = [
  "ggjj4bi3g29mik2k4ljnga9bd4",
  "n896oaacjh5n83lb9hh8l982j0",
  "m1d2m43nf1jj40pa3jcmg210c0",
  "lb9hs7can05ea5jb3hi7f734e2",
  "jailbfb4540hhm7fdonk5ebic0",
  "l693mj70q45i3an33iehh770d7",
  "j670r5efm30fcied1jijk42073",
  "n804p210p03294n21g9lh10090",
  "fbjjieh0006jhomd0fml0e090e",
  "f235o41cb25300k721t7eag034",
  "g7aatb93m04b6hcf08lae15080",
  "l93hp763o25l40la04ijib20f0",
  "pgbap250l62cgbll00j5d00080",
  "k3jllfm2i1ca8ejd05moed0080",
  "cdhj1eb0c4fjjphj0nfgjfg950",
  "n36dn38bi25k65mi0mjli75365",
  "kb9jb98ba75la45998c9t63986",
  "l7ffq5f0k0ccedm70hjkfe10h0",
  "h0i8p63ik0cb79ii9akpi6a4c0",
  "l0e4o61mn00861lg0kkhe043h0",
  "ghdglbe0g01kim6i0lmn100100",
  "o570s4b0o6502gg008a1578018",
  "m665o77gn4bd3mm40kkc05e005",
  "i6i6k806h409a39q038r4336e2",
  "heeeg875e22hikfr04nl44e336",
  "p365r167h39c85n62394d745ee",
].map((row) => Float32Array.from(row, (digit) => (Number.parseInt(digit, 36) - 17) / 3));

const [LOWER, UPPER, DIGIT, OTHER] = [0, 1, 2, 3] as const;
const KIND_COUNT = 4;
/** Lower case, upper case, digits, others: how likely the second is behind the first in words and names, in bits. */
const KINDS = Float32Array.of(
  ...[-0.22, -4.01, -8.03, -3.69],
  ...[-0.87, -1.44, -5.44, -4.05],
  ...[-3.16, -1.79, -1.84, -1.64],
  ...[-0.45, -3.47, -4.69, -2.86],
);
/** How many of each kind a value may be drawn of; of the signs few are in keys. */
const SIZES = [26, 26, 10, 2];
/** For each set of kinds, as bits: how likely chance draws one of each, in bits. */
const CHANCES = Float32Array.from({ length: 16 * KIND_COUNT }, (_, at) => {
  const kinds = Math.floor(at / KIND_COUNT);
  const all = SIZES.reduce((sum, size, kind) => sum + ((kinds >> kind) & 1) * size, 0);
  return Math.log2((SIZES[at % KIND_COUNT] ?? 0) / Math.max(1, all));
});

function kindOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  return code >= 0x30 && code <= 0x39 ? DIGIT : OTHER;
}

/**
 * By how many bits a value is likelier drawn at random than a word, a name or a path: 10 means a thousand times.
 * Words and names are mostly below 0; of 14 letters and digits drawn at random 99 % are above 8, half above 27.
 */
export function drawnBits(value: string): number {
  let kinds = 0;
  for (let i = 0; i < value.length; i++) kinds |= 1 << kindOf(value.charCodeAt(i));
  // Words in capitals are words.
  const upper = (kinds & 1) === 0 ? LOWER : UPPER;
  let bits = 0;
  let one = value.charCodeAt(0);
  let before = kindOf(one);
  for (let i = 1; i < value.length; i++) {
    const other = value.charCodeAt(i);
    const kind = kindOf(other);
    const row = before === UPPER ? upper : before;
    const seen = KINDS[row * KIND_COUNT + (kind === UPPER ? upper : kind)] ?? 0;
    bits += (CHANCES[kinds * KIND_COUNT + kind] ?? 0) - seen;
    // Bit 6 makes a small letter of a capital.
    if (before <= UPPER && kind <= UPPER && !(before === LOWER && kind === UPPER)) {
      bits -= PAIRS[(one | 0x20) - 0x61]?.[(other | 0x20) - 0x61] ?? 0;
    }
    one = other;
    before = kind;
  }
  return bits;
}
