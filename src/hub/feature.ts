import type { AnyElysia } from "elysia";
import type { AuditRecord } from "#model/audit";
import type { HubEvent } from "#model/event";
import type { FeedChanges } from "#store/port";
import { type AllUnmet, type Builders, type Built, type Complete, lazyParts } from "./graph";
import type { ScheduledJob } from "./scheduler";

/** Takes in what has changed in the store. Throws to be given it again. */
export type ChangeSubscriber = { apply(changes: FeedChanges): void };

/**
 * What a feature consists of. Each entry is a function of the parts it needs; the compiler holds that against all parts
 * there are. Nothing of it runs until the hub is started.
 */
export type Feature = {
  /** Parts by name, unique among all features. */
  readonly provides?: Builders;
  /** What agents call. Served in the same way as the others, which are made when one of them is first asked for. */
  readonly callRoutes?: (parts: never) => readonly AnyElysia[];
  readonly routes?: (parts: never) => readonly AnyElysia[];
  /** Served in the same way as calls, and also while there is no administrator yet. */
  readonly setupRoutes?: (parts: never) => readonly AnyElysia[];
  /** Served outside the base path, where an RFC puts it. */
  readonly outerRoutes?: (parts: never) => (basePath: string) => AnyElysia;
  /** Once, before the first request is served. In the order of the features, each after the one before. */
  readonly prepare?: (parts: never) => () => Promise<void> | void;
  readonly jobs?: (parts: never) => readonly ScheduledJob[];
  /** Told of every final record of a call, once it is on its way to disk. Must not throw. */
  readonly onCallEnded?: (parts: never) => (record: AuditRecord) => void;
  /** Features take changes in in their order: what restricts stands before what may fail. */
  readonly onChange?: (parts: never) => ChangeSubscriber;
  /** Told of what happened. Rejects to be told again. */
  readonly onEvent?: (parts: never) => (event: HubEvent) => Promise<void>;
  /** The hub is about to stop: begins nothing new, and ends what would wait for ever. Calls may still be under way. */
  readonly quiesce?: (parts: never) => () => Promise<void> | void;
  /** No call is under way any more. Features stop in reverse order, each after the one before. */
  readonly stop?: (parts: never) => () => Promise<void> | void;
};

export const feature = <const F extends Feature>(declared: F): F => declared;

type ProvidedBy<F> = F extends { readonly provides: infer B extends Builders } ? B : never;
type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;
type AllBuilders<F extends readonly Feature[]> = [ProvidedBy<F[number]>] extends [never]
  ? Readonly<Record<never, never>>
  : Intersection<ProvidedBy<F[number]>> extends infer B extends Builders
    ? B
    : never;

/** Inputs, and what the features provide. */
export type PartsOf<Inputs, F extends readonly Feature[]> = Inputs & Built<AllBuilders<F>>;

/** What a feature lacks: each of its parts, and its other entries by their own names. */
type UnmetIn<Parts, F> = F extends Feature
  ? AllUnmet<Parts, Omit<F, "provides">> | (F extends { readonly provides: infer B } ? AllUnmet<Parts, B> : never)
  : never;

/** The parts of all features, built when they are asked for. */
export const partsOf = <Inputs extends object, const F extends readonly Feature[]>(
  inputs: Inputs,
  features: F & Complete<UnmetIn<PartsOf<Inputs, F>, F[number]>>,
  overrides: Partial<PartsOf<Inputs, F>> = {},
): PartsOf<Inputs, F> => {
  const builders: Record<string, (parts: never) => unknown> = {};
  for (const { provides = {} } of features) {
    for (const [name, builder] of Object.entries(provides)) {
      if (Object.hasOwn(builders, name)) throw new Error(`Two features provide the part ${name}`);
      builders[name] = builder;
    }
  }
  return lazyParts(inputs, builders, overrides) as PartsOf<Inputs, F>;
};
