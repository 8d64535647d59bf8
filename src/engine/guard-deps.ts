import type { AuditRecord } from "#core/audit";
import type { Asker } from "#core/caller";
import type { Auditor } from "#engine/auditor";
import type { ContentKeeper } from "#engine/content-keeper";
import type { Governor } from "#engine/governance/governor";
import type { Scanner } from "#engine/scanner";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";

/** What every guarded call works with. */
export type GuardDeps = {
  readonly scanner: Scanner;
  readonly auditor: Auditor;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly governor: Governor;
  readonly content: ContentKeeper;
  /** Reports a user may still send this hour; null while nobody knows. */
  readonly reportsLeft?: (userId: string) => number | null;
  /**
   * Whether what they asked with opens the door still, as it did at that moment: what is taken away ends calls under
   * way, what only runs out does not.
   */
  readonly isWelcome?: (asker: Asker, since: number) => boolean;
  /** Told of every final record, once it is on its way to disk. */
  readonly onEnded?: (record: AuditRecord) => void;
};
