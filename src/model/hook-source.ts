import { type Static, Type } from "#core/schema";
import type { SourceKind } from "./verdict";

/** What cannot be redacted, since the system takes no other text, is denied or passes with a flag. */
export const REDACT_BECOMES = ["deny", "allow"] as const;

/** Milliseconds in which a source waits for its verdict. */
export const MIN_BUDGET_MS = 100;
export const MAX_BUDGET_MS = 60_000;
/** What each kind of source waits by itself, less what the network takes. */
export const DEFAULT_BUDGET_MS: Readonly<Record<SourceKind, number>> = {
  anthropic: 4_500,
  cursor: 4_500,
  "copilot-studio": 900,
  litellm: 30_000,
};

export const MAX_APPLICATIONS = 50;
export const SOURCE_NAME = "^[a-z0-9][a-z0-9._-]{0,39}$";
/** Applications of a source as it names them: `claude-code`. */
export const APPLICATION_NAME = "^[A-Za-z0-9][A-Za-z0-9._:/ -]{0,63}$";

export const SourceSettings = Type.Object({
  /** Agents by the application that a frame names. */
  applications: Type.Record(Type.String(), Type.String()),
  redact: Type.Union(REDACT_BECOMES.map((one) => Type.Literal(one))),
  budget_ms: Type.Integer(),
});
export type SourceSettings = Static<typeof SourceSettings>;

/** A system that asks for verdicts about many people, as it is stored. */
export type HookSource = {
  readonly id: string;
  readonly name: string;
  readonly kind: SourceKind;
  /** Whose the calls of people are that the hub does not know. */
  readonly user_id: string;
  /** The agent whose calls they are, where the application has none of its own. */
  readonly agent_id: string | null;
  readonly settings: SourceSettings;
  /** What frames are signed with or carry, the newest first, each with its end. */
  readonly sealed_secrets: readonly string[];
  /** The gateway token it asks with instead; null where it has a secret. */
  readonly token_id: string | null;
  readonly created_by: string | null;
  readonly created_at: number;
};

/** A source of the configuration: users by address, agents by id or name. */
export type ConfiguredSource = Pick<HookSource, "name" | "kind"> & {
  readonly user: string | null;
  readonly agent: string | null;
  readonly settings: SourceSettings;
  readonly secrets: readonly string[];
};
