import type { HookSource } from "#model/hook-source";
import type { SerialisedRecord } from "./record";

/* Systems that ask for verdicts. See `port.ts` for what holds of every method. */

export type HookSourceStore = {
  /** `taken`: there is one of that name; `full`: there are `most` already. */
  add(source: HookSource, record: SerialisedRecord, most: number): Promise<"done" | "taken" | "full">;
  /** By name. */
  list(): Promise<HookSource[]>;
  /** False where there is none, or its secrets are no longer those that were read. */
  replaceSecrets(source: HookSource, secrets: readonly string[], record: SerialisedRecord): Promise<boolean>;
  remove(id: string, record: SerialisedRecord): Promise<boolean>;
};
