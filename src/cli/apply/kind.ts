import type { Difference } from "#core/differences";
import { canonicalJson } from "#core/json/json";
import type { Static, TSchema } from "#core/schema";
import type { ConfigurationFile } from "#features/configuration/schema";
import type { FeedChanges } from "#store/port";
import type { SecretNames } from "./secrets";
import type { World } from "./world";

/** What became of a change: in force, or waiting for somebody else because it loosens. */
export type Outcome = "done" | "awaiting approval";

/** One object as the store has it: in the form of files, its secrets opened. */
export type Stored<T> = { readonly id: string; readonly entry: T };

/**
 * When a change is made. Whether a looser policy needs a second person is told before anybody loses a role; an
 * administrator goes after another has come; what restricts comes before what gives.
 */
export const TURNS = ["decides", "promotes", "demotes", "narrows", "usual"] as const;
export type Turn = (typeof TURNS)[number];

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
  /** What its service would refuse, as far as that can be told before. Its secrets are in it. Throws a `GuardError`. */
  readonly check?: (entry: Static<S>) => void;
  /** Fields that nobody can change. */
  readonly fixed?: readonly string[];
  /** Fields that stay as they are where a file leaves them out. */
  readonly kept?: readonly (keyof Static<S> & string)[];
  /** Of the fields that are kept: a value that is not exported. */
  readonly usual?: Partial<Static<S>>;
  /** Whether a change lets somebody in again: that needs an administrator, whom `--as` names. */
  readonly lifts?: (before: Static<S>, after: Static<S>) => boolean;
  readonly references?: (entry: Static<S>) => readonly Reference[];
  /** Of what is new there is no `before`, of what goes no `after`. Usual where it does not say. */
  readonly turn?: (before: Static<S> | undefined, after: Static<S> | undefined) => Turn;
  /** Only an administrator does it, whom `--as` names. */
  readonly needsAdmin?: true;
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
  readonly needsAdmin: boolean;
  readonly turn: Turn;
  readonly isLater: (feed: FeedChanges) => boolean;
  readonly run: (world: World) => Promise<Outcome>;
};

export type Planned = {
  readonly changes: readonly Change[];
  /** All that files have, whether it changes or not. */
  readonly wanted: readonly Pick<Change, "kind" | "name" | "file" | "references">[];
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
