import { readFileSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { usage } from "#cli/exit";
import type { Environment } from "#config/environment";
import { pointerPart } from "#core/differences";
import { isRecord } from "#core/json/json";
import type { TSchema } from "#core/schema";
import { SECRET } from "#features/configuration/schema";
import { sha256Hex } from "#platform/hash";

/* Secrets of a file: it refers to them and never has one. */

/** A value with each of its secrets replaced. `pointer` is where it is, as RFC 6901 has it. */
export const mapSecrets = (
  schema: TSchema,
  value: unknown,
  replace: (pointer: string, secret: string) => unknown,
  pointer = "",
): unknown => {
  if (typeof value === "string") return isSecret(schema, value) ? replace(pointer, value) : value;
  if (!isRecord(value)) return value;
  const mapped = Object.entries(value).map(([name, one]) => {
    const within = schemaOf(schema, name);
    return [name, within === null ? one : mapSecrets(within, one, replace, `${pointer}/${pointerPart(name)}`)] as const;
  });
  return Object.fromEntries(mapped);
};

const REFERENCE = /^(?:env|file):/;

/** In a file every secret is one; only an address may stand there itself. */
export const isReference = (text: string): boolean => REFERENCE.test(text);

const isSecret = ({ [SECRET]: mark }: TSchema, text: string): boolean =>
  mark === true || (mark === "query" && (isReference(text) || text.includes("?")));

const schemaOf = ({ properties, patternProperties }: TSchema, name: string): TSchema | null => {
  const named: unknown = isRecord(properties) ? properties[name] : undefined;
  const [anyNamed]: unknown[] = isRecord(patternProperties) ? Object.values(patternProperties) : [];
  return [named, anyNamed].find((one): one is TSchema => isRecord(one)) ?? null;
};

/** Its secrets by where they are. */
export const secretsIn = (schema: TSchema, value: unknown): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  mapSecrets(schema, value, (pointer, secret) => {
    found.set(pointer, secret);
    return secret;
  });
  return found;
};

/** Hashes in the place of secrets: enough to see that one is another. */
export const masked = (schema: TSchema, value: unknown): unknown =>
  mapSecrets(schema, value, (_, secret) => ({ secret: sha256Hex(secret) }));

/** The variables an export refers to, each of one secret. */
export class SecretNames {
  readonly #taken = new Set<string>();

  /** Of letters, digits and `_`: `PROVIDER_OPENAI_API_KEY`. */
  of(kind: string, name: string, pointer: string): string {
    const plain = `${kind} ${name}${pointer}`
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "_")
      .replaceAll(/^_+|_+$/g, "");
    const wanted = plain.slice(0, 150);
    let variable = wanted;
    for (let count = 2; this.#taken.has(variable); count += 1) variable = `${wanted}_${count}`;
    this.#taken.add(variable);
    return `env:${variable}`;
  }
}

const FILE = "file:";
/** Of the hub's own settings, the master key among them: a file could send them to an address it chooses. */
const OWN = /^env:GUARDHOUSE_/i;

/** What a reference stands for; null where it is not set. Paths are those of the file's folder. */
export const secretAt = (reference: string, environment: Environment, folder: string): string | null => {
  if (reference.startsWith(FILE)) return secretInFile(resolvedIn(folder, reference.slice(FILE.length)));
  if (OWN.test(reference)) throw usage(`${reference} is a setting of the hub, which no file may refer to`);
  return environment[reference.slice("env:".length)] || null;
};

const resolvedIn = (folder: string, path: string): string => (isAbsolute(path) ? path : resolve(folder, path));

const secretInFile = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8").trim() || null;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw usage(`The file ${path} cannot be read`);
  }
};
