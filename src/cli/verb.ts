import type { Environment } from "#config/environment";
import type { Loaded } from "#config/load";
import type { Config } from "#config/schema";
import type { Arguments, CliFlags, Operands } from "./arguments";
import type { Host } from "./host";
import type { CliOutput } from "./output";

/** One run of a command: what it was given and where it answers. */
export type Invocation = {
  readonly args: Arguments;
  readonly out: CliOutput;
  readonly environment: Environment;
  readonly host: Host;
  /** The settings in force; throws `ConfigError`. Read once, when first asked for. */
  settings(): Loaded;
  config(): Config;
  /** The catalogue, for the help. */
  readonly topics: readonly Topic[];
};

/** Does the work and says how it ended (see `EXIT`). */
export type RunVerb = (invocation: Invocation) => Promise<number>;

/** One verb, as data. Its code is loaded only when it is called, so that the quick ones stay quick. */
export type Verb = {
  /** `token create`. */
  readonly name: string;
  readonly summary: string;
  readonly operands?: Operands;
  readonly flags?: CliFlags;
  /** Its settings are those it is given: it does not take what the hub of the data directory serves with. */
  readonly ownSettings?: true;
  /** Its arguments as the help shows them, when operands and flags in order are not clear enough. */
  readonly form?: string;
  load(): Promise<RunVerb>;
};

/** Verbs about one thing, under one heading of the help. */
export type Topic = { readonly title: string; readonly verbs: readonly Verb[] };
