import type { HubPlace } from "#core/command-line";
import type { CheckView, SettingView, StorageView } from "./schema";

/** How the process does: nothing of any call. */
export type OwnFigures = {
  /** Unix milliseconds. */
  readonly at: number;
  readonly loop_delay_max_ms: number;
  readonly scan_waiting: number;
};

/** What the process knows of itself. */
export type Operating = {
  readonly version: string;
  /** Null when it runs from source. */
  readonly commit: string | null;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly listen: string;
  readonly guardMode: string;
  readonly auditRetentionDays: number;
  readonly keepBlockedHours: number;
  readonly reviewerModel: string | null;
  readonly passwordSignIn: boolean;
  /** What the OpenID provider is called; null without one. */
  readonly signInProvider: string | null;
  /** What commands name to mean this hub. */
  readonly place: HubPlace;
  readonly configuration: () => readonly SettingView[];
  readonly storage: () => StorageView;
  /** Tells commands beside the hub how it does. */
  readonly tell: (figures: OwnFigures) => void;
  readonly checks: () => Promise<readonly CheckView[]>;
};
