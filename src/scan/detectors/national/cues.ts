import { fold } from "#scan/fold/normalize";
import { once } from "#scan/fold/once";
import { AMERICAS } from "./americas";
import { ASIA_AFRICA_OCEANIA } from "./asia-africa-oceania";
import { COMPANIES } from "./companies";
import { type CueWeight, weightOf } from "./cue-weight";
import type { IdDocument } from "./document";
import { EUROPE } from "./europe";
import { FAMILIES, type IdFamily } from "./families";

export const DOCUMENTS: readonly IdDocument[] = [...EUROPE, ...AMERICAS, ...ASIA_AFRICA_OCEANIA, ...COMPANIES];

/** What a cue leads to: the documents that it names, and a family for what is none of them. */
export type Cue = { readonly own: IdDocument[]; family?: IdFamily; readonly weight: CueWeight };

type ByLength = ReadonlyMap<number, readonly IdDocument[]>;

/** What a cue that names no country may mean. Accounts and things have names of their own; companies pay taxes too. */
const TAXED = worldwide(/^pii\.(?:bank_account|vehicle_id|device_id)/);
const PERSONS = worldwide(/^pii\.(?:bank_account|vehicle_id|device_id|company_id)/);

function worldwide(but: RegExp): ByLength {
  const lengths = new Map<number, IdDocument[]>();
  for (const document of DOCUMENTS) {
    if (!but.test(document.type)) for (const length of document.lengths) listIn(lengths, length).push(document);
  }
  return lengths;
}

function listIn(lists: Map<number, IdDocument[]>, key: number): IdDocument[] {
  const known = lists.get(key);
  if (known) return known;
  const list: IdDocument[] = [];
  lists.set(key, list);
  return list;
}

/** Cue, as the folded text has it in lower case → what may follow. */
export const cues: () => ReadonlyMap<string, Cue> = once(allCues);

function allCues(): Map<string, Cue> {
  const found = new Map<string, Cue>();
  const cueOf = (form: string): Cue => {
    const known = found.get(form);
    if (known) return known;
    const cue: Cue = { own: [], weight: weightOf(form) };
    found.set(form, cue);
    return cue;
  };
  for (const document of DOCUMENTS) for (const form of formsOf(document.cues)) cueOf(form).own.push(document);
  for (const family of FAMILIES) for (const form of formsOf(family.cues)) cueOf(form).family = family;
  return found;
}

/** Documents of that length behind a cue. Where several countries' check digits fit, the cue's own country comes first. */
export function documentsOf({ own, family }: Cue, length: number): readonly IdDocument[] {
  const named = own.filter(({ lengths }) => lengths.includes(length));
  if (!family?.worldwide) return named;
  const all = (family.type === "pii.tax_id" ? TAXED : PERSONS).get(length) ?? [];
  return named.length === 0 ? all : [...named, ...all.filter((document) => !named.includes(document))];
}

/** In prose, in keys of JSON and of programs; folded from both cases, for capitals may fold to other letters. */
function formsOf(written: readonly string[]): Set<string> {
  const lines = written.join("\n");
  const folded = new Set([fold(lines).text, fold(lines.toUpperCase()).text]);
  const forms = new Set<string>();
  for (const form of [...folded].join("\n").split("\n")) {
    forms.add(form.toLowerCase());
    // Written first: a Greek sigma is another letter where its word ends.
    if (form.includes(" ")) for (const sign of ["_", "-", ""]) forms.add(form.replaceAll(" ", sign).toLowerCase());
  }
  return forms;
}
