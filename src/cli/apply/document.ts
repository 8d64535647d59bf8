import { dirname, resolve } from "node:path";
import { parse, stringify } from "smol-toml";
import { isRecord } from "#core/json/json";
import { suggestionFor } from "#core/nearest";
import { Type } from "#core/schema";
import { ShapeCheck } from "#core/shape-check";
import { ConfigurationFile } from "#features/configuration/schema";
import type { AnyKind, Given } from "./kind";

/* Configuration files: read, checked, written. What is wrong names file, object and field. */

export type SourceFile = { readonly file: string; readonly text: string };

export type Documents = {
  readonly sections: ReadonlyMap<string, readonly Given[]>;
  /** By file; what has none is not there. */
  readonly etags: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
};

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

/** Addresses as they are stored, whatever their case in the file. */
const spelledIn = (entry: unknown, spelled: (email: string) => string): unknown => {
  if (!isRecord(entry)) return entry;
  const people = WHO.flatMap((field) => {
    const email = entry[field];
    return typeof email === "string" ? [[field, spelled(email)] as const] : [];
  });
  return { ...entry, ...Object.fromEntries(people) };
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
  const sections = new Map<string, Given[]>();
  const etags = new Map<string, number>();
  const faults: string[] = [];
  const checks = new Map(kinds.map((kind) => [kind.section as string, { kind, check: new ShapeCheck(kind.schema) }]));
  for (const source of files) {
    const { file } = source;
    const read = parsed(source);
    if ("fault" in read) {
      faults.push(read.fault);
      continue;
    }
    for (const [section, value] of Object.entries(read.table)) {
      const known = checks.get(section);
      if (section === "etag") {
        const problems = etagCheck.problems({ etag: value });
        faults.push(...problems.map((problem) => `${file}: ${problem}`));
        if (problems.length === 0) etags.set(file, Number(value));
      } else if (known === undefined) {
        faults.push(`${file}: ${section} is not known here${suggestionFor(section, SECTIONS)}`);
      } else {
        const entries = entriesOf(section, value);
        const form = section === "policy" ? "[policy]" : `[[${section}]]`;
        if (entries === null) faults.push(`${file}: ${section} must be written as ${form}`);
        for (const [at, raw] of (entries ?? []).entries()) {
          const entry = spelledIn(raw, spelled);
          const what = `${file}: ${known.kind.kind}${labelOf(entry) || ` ${at + 1}`}`;
          const problems = known.check.problems(entry);
          faults.push(...problems.map((problem) => `${what}: ${problem}`));
          if (problems.length === 0) sections.set(section, [...(sections.get(section) ?? []), { file, entry }]);
        }
      }
    }
  }
  return { sections, etags, faults };
};

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
