import { canonicalJson } from "#core/json/json";
import { changesBetween, type Difference } from "#core/differences";
import { Shape, type Static, type TSchema } from "#core/schema";
import type { ConfigurationFile } from "#features/configuration/schema";
import type { FeedChanges } from "#store/port";
import type { World } from "./world";
import { isReference, mapSecrets, masked, SecretNames, secretsIn } from "./secrets";

/** What became of a change: in force, or waiting for somebody else because it loosens. */
export type Outcome = "done" | "awaiting approval";

/** One object as the store has it: in the form of files, its secrets opened. */
export type Stored<T> = { readonly id: string; readonly entry: T };

/** Names another object. */
export type Reference = { readonly kind: string; readonly name: string };

/** One kind of objects of the configuration, and how it gets into files and out of them. */
export type Kind<S extends TSchema> = {
  /** `provider`. */
  readonly kind: string;
  readonly section: Exclude<keyof ConfigurationFile, "etag">;
  readonly schema: S;
  /** What tells one from the others, and stays. */
  readonly nameOf: (entry: Static<S>) => string;
  /** Without what has its usual value, and in one order. */
  readonly normal: (entry: Static<S>) => Static<S>;
  /** Fields that nobody can change. */
  readonly fixed?: readonly string[];
  /** Fields that stay as they are where a file leaves them out. */
  readonly kept?: readonly (keyof Static<S> & string)[];
  readonly references?: (entry: Static<S>) => readonly Reference[];
  /** Goes with what it refers to: of a removed agent no profile is removed. */
  readonly belongs?: true;
  /** False for what is over: it is as if it was not in the file. */
  readonly counts?: (entry: Static<S>, now: number) => boolean;
  readonly stored: (world: World) => Promise<readonly Stored<Static<S>>[]>;
  /** Whether one was changed since the feed began; always where it does not say. */
  readonly isLater?: (feed: FeedChanges, stored: Stored<Static<S>>) => boolean;
  /** False for what cannot be removed, or is gone as far as it can be. */
  readonly removable?: (entry: Static<S>) => boolean;
  readonly create: (world: World, entry: Static<S>) => Promise<Outcome | undefined>;
  readonly change: (
    world: World,
    before: Stored<Static<S>>,
    entry: Static<S>,
    fields: ReadonlySet<string>,
  ) => Promise<Outcome | undefined>;
  readonly remove: (world: World, stored: Stored<Static<S>>) => Promise<Outcome | undefined>;
};

/** An object of a file, whose shape was checked. */
export type Given = { readonly file: string; readonly entry: unknown };

export type Action = "create" | "change" | "remove";

export type Change = {
  readonly kind: string;
  readonly name: string;
  readonly action: Action;
  readonly file: string | null;
  /** What is different; secrets only by their place. */
  readonly fields: readonly Difference[];
  readonly references: readonly Reference[];
  readonly belongs: boolean;
  readonly isLater: (feed: FeedChanges) => boolean;
  readonly run: (world: World) => Promise<Outcome>;
};

export type Planned = {
  readonly changes: readonly Change[];
  readonly faults: readonly string[];
  /** Names of what will be there. */
  readonly names: ReadonlySet<string>;
};

export type PlanOptions = {
  readonly prune: boolean;
  readonly now: number;
  readonly secretAt: (reference: string, file: string) => string | null;
};

/** A kind as those see it who know no fields. */
export type AnyKind = {
  readonly kind: string;
  readonly section: Kind<TSchema>["section"];
  readonly schema: TSchema;
  /** In the order of names, with references for secrets. */
  exported(world: World, names: SecretNames): Promise<readonly unknown[]>;
  plan(world: World, given: readonly Given[], options: PlanOptions): Promise<Planned>;
};

const HIDDEN = "(secret)";

/** Of secrets only that they are others. */
const shownOf = (differences: readonly Difference[], secrets: ReadonlySet<string>): Difference[] =>
  differences.map(({ pointer, before, after }) => {
    const place = pointer.replace(/\/secret$/, "");
    if (!secrets.has(place)) return { pointer, before, after };
    return { pointer: place, before: before === null ? null : HIDDEN, after: after === null ? null : HIDDEN };
  });

const topOf = ({ pointer }: Difference): string => pointer.split("/")[1] ?? "";

const byName = <T extends { readonly name: string }>(one: T, other: T): number =>
  one.name < other.name ? -1 : Number(one.name > other.name);

/** A kind of which the fields are known, for those who know none. */
export const planned = <S extends TSchema>(kind: Kind<S>): AnyKind => {
  type T = Static<S>;
  const { schema, nameOf, normal, fixed = [], kept = [], references = () => [], counts = () => true } = kind;
  const shape = new Shape(schema);
  const entryOf = (value: unknown): T => {
    if (shape.fits(value)) return value;
    throw new Error(`${kind.kind}: what is stored does not fit into a file`);
  };
  const what = (name: string): string => `${kind.kind} ${name}`;

  const storedByName = async (world: World): Promise<Map<string, Stored<T>>> => {
    const all = await kind.stored(world);
    return new Map(all.map(({ id, entry }) => [nameOf(entry), { id, entry: normal(entry) }]));
  };

  const keptOf = (before: Stored<T> | undefined): Partial<T> => {
    const fields = kept.flatMap((field) => (before?.entry[field] === undefined ? [] : [[field, before.entry[field]] as const]));
    return Object.fromEntries(fields) as Partial<T>;
  };

  /** The object with its secrets in it: those that are not set stay as they are. */
  const openedOf = (
    { entry, file }: { entry: T; file: string },
    before: Stored<T> | undefined,
    { secretAt }: PlanOptions,
  ): { opened: T; faults: string[] } => {
    const known = secretsIn(schema, before?.entry);
    const faults: string[] = [];
    const opened = mapSecrets(schema, entry, (pointer, reference) => {
      const secret = isReference(reference) ? (secretAt(reference, file) ?? known.get(pointer)) : reference;
      if (secret !== undefined) return secret;
      faults.push(`${file}: ${what(nameOf(entry))}: ${fieldOf(pointer)}: ${reference} is not set, and no secret is stored`);
      return reference;
    });
    return { opened: faults.length > 0 ? entry : { ...keptOf(before), ...(opened as T) }, faults };
  };

  return {
    kind: kind.kind,
    section: kind.section,
    schema,

    async exported(world, names) {
      const all = [...(await storedByName(world))].map(([name, { entry }]) => ({ name, entry })).toSorted(byName);
      return all.map(({ name, entry }) =>
        mapSecrets(schema, entry, (pointer) => names.of(kind.kind, name, pointer)),
      );
    },

    async plan(world, given, options) {
      const current = await storedByName(world);
      const faults: string[] = [];
      const changes: Change[] = [];
      const wanted = new Map<string, string>();
      for (const { file, entry: raw } of given) {
        const entry = normal(entryOf(raw));
        if (!counts(entry, options.now)) continue;
        const name = nameOf(entry);
        const other = wanted.get(name);
        if (other !== undefined) {
          faults.push(`${file}: ${what(name)} is there twice${other === file ? "" : `, also in ${other}`}`);
          continue;
        }
        wanted.set(name, file);
        const before = current.get(name);
        const { opened, faults: unset } = openedOf({ entry, file }, before, options);
        faults.push(...unset);
        if (unset.length > 0) continue;
        const common = { kind: kind.kind, name, file, references: references(entry), belongs: kind.belongs === true };
        const secrets = new Set([...secretsIn(schema, entry).keys(), ...secretsIn(schema, before?.entry).keys()]);
        const differences = changesBetween(masked(schema, before?.entry ?? null), masked(schema, opened));
        if (before === undefined) {
          changes.push({
            ...common,
            action: "create",
            fields: [],
            isLater: () => false,
            run: async (at) => (await kind.create(at, opened)) ?? "done",
          });
          continue;
        }
        if (differences.length === 0) continue;
        const stiff = differences.find((one) => fixed.includes(topOf(one)));
        if (stiff !== undefined) {
          faults.push(`${file}: ${what(name)}: ${fieldOf(stiff.pointer)} cannot be changed; remove the ${kind.kind} first`);
          continue;
        }
        changes.push({
          ...common,
          action: "change",
          fields: shownOf(differences, secrets),
          isLater: (feed) => kind.isLater?.(feed, before) ?? true,
          run: async (at) => (await kind.change(at, before, opened, new Set(differences.map(topOf)))) ?? "done",
        });
      }
      const gone = options.prune
        ? [...current].filter(([name, { entry }]) => !wanted.has(name) && (kind.removable?.(entry) ?? true))
        : [];
      for (const [name, stored] of gone) {
        changes.push({
          kind: kind.kind,
          name,
          file: null,
          action: "remove",
          fields: [],
          references: references(stored.entry),
          belongs: kind.belongs === true,
          isLater: (feed) => kind.isLater?.(feed, stored) ?? true,
          run: async (at) => (await kind.remove(at, stored)) ?? "done",
        });
      }
      const removed = new Set(gone.map(([name]) => name));
      return { changes, faults, names: new Set([...current.keys(), ...wanted.keys()].filter((it) => !removed.has(it))) };
    },
  };
};

/** `credential.region` of `/credential/region`. */
export const fieldOf = (pointer: string): string => pointer.slice(1).replaceAll("/", ".");

type Said<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** An object without what is undefined, or has its usual value. */
export const said = <T extends Readonly<Record<string, unknown>>>(
  fields: T,
  usual: Readonly<Record<string, unknown>> = {},
): Said<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) =>
        value !== undefined &&
        value !== null &&
        !(Object.hasOwn(usual, name) && canonicalJson(usual[name]) === canonicalJson(value)),
    ),
  ) as Said<T>;
