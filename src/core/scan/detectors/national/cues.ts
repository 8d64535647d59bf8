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

/** What a cue that names no country may mean. Accounts and things have names of their own; companies pay taxes too. */
const TAXED = worldwide(/^pii\.(?:bank_account|vehicle_id|device_id)/);
const PERSONS = worldwide(/^pii\.(?:bank_account|vehicle_id|device_id|company_id)/);

function worldwide(but: RegExp) {
  const documents = DOCUMENTS.filter(({ type }) => !but.test(type));
  return { documents, lengths: byLength(documents) };
}

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
    const tried = documentsFor(documents.get(form) ?? [], family);
    found.set(form, { documents: tried, ...(family && { family }) });
  }
  return found;
}

/** Where several countries' check digits fit, the cue's own country comes first. */
function documentsFor(own: readonly IdDocument[], family: Family | undefined): ReadonlyMap<number, IdDocument[]> {
  if (!family?.worldwide) return byLength(own);
  const { documents, lengths } = family.type === "pii.tax_id" ? TAXED : PERSONS;
  return own.length === 0 ? lengths : byLength([...new Set([...own, ...documents])]);
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
