import { fold } from "#core/scan/normalize";
import { AMERICAS } from "./americas";
import { ASIA_AFRICA_OCEANIA } from "./asia-africa-oceania";
import { COMPANIES } from "./companies";
import type { IdDocument } from "./document";
import { EUROPE } from "./europe";
import { FAMILIES, type Family } from "./families";

export const DOCUMENTS: readonly IdDocument[] = [...EUROPE, ...AMERICAS, ...ASIA_AFRICA_OCEANIA, ...COMPANIES];

/** What is looked for behind a cue: documents by their length, and a family for what is none of them. */
export type Cue = { readonly documents: ReadonlyMap<number, readonly IdDocument[]>; readonly family?: Family };

/** What a cue that names no country may mean: accounts and things are called by other names. */
const WORLDWIDE = DOCUMENTS.filter(({ type }) => !/^pii\.(?:bank_account|vehicle_id|device_id)/.test(type));
const ALL = byLength(WORLDWIDE);

/** Cue, as the folded text has it in lower case → what may follow. */
export const CUES: ReadonlyMap<string, Cue> = cues();

function cues(): Map<string, Cue> {
  const documents = new Map<string, IdDocument[]>();
  const families = new Map<string, Family>();
  for (const document of DOCUMENTS) {
    for (const form of document.cues.flatMap(formsOf)) documents.set(form, [...(documents.get(form) ?? []), document]);
  }
  for (const family of FAMILIES) for (const form of family.cues.flatMap(formsOf)) families.set(form, family);
  const found = new Map<string, Cue>();
  for (const form of new Set([...documents.keys(), ...families.keys()])) {
    const family = families.get(form);
    const own = documents.get(form) ?? [];
    // Where several countries' check digits fit, the cue's own country comes first.
    const tried = family?.worldwide
      ? own.length > 0
        ? byLength([...new Set([...own, ...WORLDWIDE])])
        : ALL
      : byLength(own);
    found.set(form, { documents: tried, ...(family && { family }) });
  }
  return found;
}

/** In prose, in keys of JSON and of programs; folded from both cases, for capitals may fold to other letters. */
function formsOf(cue: string): string[] {
  const written = cue.includes(" ") ? [cue, ...["_", "-", ""].map((sign) => cue.replaceAll(" ", sign))] : [cue];
  const folded = written.flatMap((form) => [fold(form).text, fold(form.toUpperCase()).text]);
  return [...new Set(folded.map((form) => form.toLowerCase()))];
}

function byLength(documents: readonly IdDocument[]): Map<number, IdDocument[]> {
  const lengths = new Map<number, IdDocument[]>();
  for (const document of documents) {
    for (const length of document.lengths) lengths.set(length, [...(lengths.get(length) ?? []), document]);
  }
  return lengths;
}
