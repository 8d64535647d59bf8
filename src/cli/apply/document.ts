import { dirname, resolve } from "node:path";
import { parse, stringify } from "smol-toml";
import { isRecord } from "#core/json/json";
import { suggestionFor } from "#core/nearest";
import { type TSchema, Type } from "#core/schema";
import { ShapeCheck } from "#core/shape-check";
import { ConfigurationFile } from "#features/configuration/schema";
import { timestamp } from "#platform/clock";
import type { AnyKind, Given } from "./kind";

/* Configuration files: read, checked, written. What is wrong names file, object and field. */

export type SourceFile = { readonly file: string; readonly text: string };

export type Documents = {
  readonly sections: ReadonlyMap<string, readonly Given[]>;
  /** By file; what has none is not there. */
  readonly etags: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
};

/** Of a file, in characters: many times what a large hub has. */
const MAX_LENGTH = 33_554_432;

const SECTIONS = Object.keys(ConfigurationFile.properties);
const etagCheck = new ShapeCheck(Type.Object({ etag: ConfigurationFile.properties.etag }));

/** Its parser's message is not passed on whole: it quotes the line. */
const parsed = ({ file, text }: SourceFile): { table: Readonly<Record<string, unknown>> } | { fault: string } => {
  try {
    return { table: parse(text) };
  } catch (error) {
    const line = error instanceof Error && "line" in error && typeof error.line === "number" ? `:${error.line}` : "";
    return { fault: `${file}${line}: not valid TOML` };
  }
};

const WHO = ["email", "owner", "sponsor", "user"] as const;

/** Addresses as they are stored, whatever their case in the file, and moments as texts. */
const spelledIn = (entry: unknown, spelled: (email: string) => string): unknown => {
  if (!isRecord(entry)) return entry;
  const people = WHO.flatMap((field) => {
    const email = entry[field];
    return typeof email === "string" ? [[field, spelled(email)] as const] : [];
  });
  const moments = Object.entries(entry).flatMap(([field, value]) =>
    value instanceof Date && !Number.isNaN(value.getTime()) ? [[field, timestamp(value.getTime())] as const] : [],
  );
  return { ...entry, ...Object.fromEntries([...people, ...moments]) };
};

const labelOf = (entry: unknown): string => {
  if (!isRecord(entry)) return "";
  const name = entry["name"] ?? entry["slug"] ?? entry["email"] ?? entry["url"] ?? entry["agent"] ?? entry["model"];
  return typeof name === "string" && !/\p{C}/u.test(name) && name.length <= 200 ? ` ${name}` : "";
};

const entriesOf = (section: string, value: unknown): readonly unknown[] | null => {
  if (section === "policy") return isRecord(value) ? [value] : null;
  return Array.isArray(value) && value.every(isRecord) ? value : null;
};

/** What all files say together. */
export const readDocuments = (
  files: readonly SourceFile[],
  kinds: readonly AnyKind[],
  spelled: (email: string) => string,
): Documents => {
  const reader = new DocumentReader(kinds, spelled);
  for (const source of files) reader.read(source);
  return reader;
};

class DocumentReader implements Documents {
  readonly sections = new Map<string, Given[]>();
  readonly etags = new Map<string, number>();
  readonly faults: string[] = [];
  readonly #checks: ReadonlyMap<string, { readonly kind: AnyKind; readonly check: ShapeCheck<TSchema> }>;

  constructor(
    kinds: readonly AnyKind[],
    private readonly spelled: (email: string) => string,
  ) {
    this.#checks = new Map(kinds.map((kind) => [kind.section, { kind, check: new ShapeCheck(kind.schema) }]));
  }

  read(source: SourceFile): void {
    if (source.text.length > MAX_LENGTH) {
      this.faults.push(`${source.file}: is longer than ${MAX_LENGTH} characters`);
      return;
    }
    const read = parsed(source);
    if ("fault" in read) this.faults.push(read.fault);
    else for (const [section, value] of Object.entries(read.table)) this.#section(source.file, section, value);
  }

  #section(file: string, section: string, value: unknown): void {
    if (section === "etag") {
      this.#etag(file, value);
      return;
    }
    const known = this.#checks.get(section);
    if (known === undefined) {
      this.faults.push(`${file}: ${plainName(section)} is not known here${suggestionFor(section, SECTIONS)}`);
      return;
    }
    const entries = entriesOf(section, value);
    if (entries === null) {
      this.faults.push(
        `${file}: ${section} must be written as ${section === "policy" ? "[policy]" : `[[${section}]]`}`,
      );
      return;
    }
    const given = this.sections.get(section) ?? [];
    this.sections.set(section, given);
    for (const [at, raw] of entries.entries()) {
      const entry = spelledIn(raw, this.spelled);
      const problems = known.check.problems(entry);
      const what = `${file}: ${known.kind.kind}${labelOf(entry) || ` ${at + 1}`}`;
      if (problems.length === 0) given.push({ file, entry });
      else this.faults.push(...problems.map((problem) => `${what}: ${problem}`));
    }
  }

  #etag(file: string, value: unknown): void {
    const problems = etagCheck.problems({ etag: value });
    if (problems.length === 0) this.etags.set(file, Number(value));
    else this.faults.push(...problems.map((problem) => `${file}: ${problem}`));
  }
}

const plainName = (name: string): string => (/^[\w-]{1,64}$/.test(name) ? name : "a key");

/** Where paths of a file begin. */
export const folderOf = (file: string): string => (file === "-" ? resolve(".") : dirname(resolve(file)));

/** TOML of what is exported, section by section in the order of the schema. */
export const writeDocument = (etag: number, sections: ReadonlyMap<string, readonly unknown[]>): string => {
  const said = SECTIONS.flatMap((section) => {
    const entries = sections.get(section) ?? [];
    if (entries.length === 0) return [];
    return [[section, section === "policy" ? entries[0] : entries] as const];
  });
  return `${stringify({ etag: String(etag), ...Object.fromEntries(said) })}\n`;
};
