/**
 * How units of text become columns of the automaton's table. A unit of ASCII has a column of its own. Those beyond
 * it are many and rare, so each takes two steps, a lead and a trail: the table stays narrow, whatever languages the
 * keywords are in, and a text of plain ASCII never leaves the columns it needs.
 */
export type Alphabet = {
  /** Unit → column; 0 for units in no keyword. Letters fall together in both cases. */
  readonly columns: Uint8Array;
  /** Columns from here on are leads: the unit's trail follows. */
  readonly firstLead: number;
  /** Unit → the column of its second step, where the first was a lead. */
  readonly trails: Uint8Array;
  /** How many columns there are, column 0 included. */
  readonly size: number;
};

const ASCII = 128;
const MAX_COLUMNS = 256;

/** Throws an Error when the keywords have more different letters than a table can have. */
export function alphabetOf(keywords: readonly string[]): Alphabet {
  const units = unitsOf(keywords);
  const ascii = units.filter((unit) => unit < ASCII);
  const others = units.filter((unit) => unit >= ASCII);
  const firstLead = ascii.length + 1;
  let leads = 0;
  while (leads * (ascii.length + leads) < others.length) leads++;
  const size = firstLead + leads;
  if (size > MAX_COLUMNS) throw new Error("too many different letters for one prefilter");
  const columns = new Uint8Array(65_536);
  const trails = new Uint8Array(65_536);
  for (const [at, unit] of ascii.entries()) for (const one of casesOf(unit)) columns[one] = 1 + at;
  for (const [at, unit] of others.entries()) {
    for (const one of casesOf(unit)) {
      columns[one] = firstLead + Math.floor(at / (size - 1));
      trails[one] = 1 + (at % (size - 1));
    }
  }
  return { columns, firstLead, trails, size };
}

/** Every unit of the keywords once, in order. By unit, not by code point: the text is read by units. */
function unitsOf(keywords: readonly string[]): number[] {
  const seen = new Uint8Array(65_536);
  for (const keyword of keywords) for (let i = 0; i < keyword.length; i++) seen[keyword.charCodeAt(i)] = 1;
  const units: number[] = [];
  for (let unit = seen.indexOf(1); unit >= 0; unit = seen.indexOf(1, unit + 1)) units.push(unit);
  return units;
}

/** A lower-case unit, and its capital if that is one unit. No letter beyond ASCII may take the capital of one in it. */
function casesOf(unit: number): number[] {
  const capital = String.fromCharCode(unit).toUpperCase();
  const code = capital.charCodeAt(0);
  return capital.length === 1 && (unit < ASCII || code >= ASCII) ? [unit, code] : [unit];
}
