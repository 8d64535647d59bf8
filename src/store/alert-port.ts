import type { PageWindow } from "#core/page";
import type { Alert, AlertDestination, AlertNotice, AlertRule, AlertSilence, NodeFigures } from "#model/alert";
import type { Job } from "./loop-port";
import type { SerialisedRecord } from "./record";

/* Alerts: rules, what they found, destinations and what they were told. See `port.ts` for what holds of every method. */

export type AlertStore = {
  /** Those that were added, and those that take the place of a built-in one. */
  rules(): Promise<AlertRule[]>;
  /** Also in the place of the one there is. False when there are `most` already. */
  putRule(rule: AlertRule, at: number, record: SerialisedRecord, most: number): Promise<boolean>;
  /** False when there is none. */
  removeRule(id: string, record: SerialisedRecord): Promise<boolean>;

  /** In the order they were made. */
  destinations(): Promise<AlertDestination[]>;
  destination(id: string): Promise<AlertDestination | null>;
  /** False when there are `most` already. */
  addDestination(destination: AlertDestination, record: SerialisedRecord, most: number): Promise<boolean>;
  updateDestination(
    id: string,
    patch: Partial<Omit<AlertDestination, "id" | "created_at">>,
    record: SerialisedRecord,
  ): Promise<boolean>;
  removeDestination(id: string, record: SerialisedRecord): Promise<boolean>;
  /** No change of governance: it says how sending goes. */
  noteDestination(id: string, failingSince: number | null): Promise<void>;

  /** Those that are not resolved. */
  open(): Promise<Alert[]>;
  byId(id: string): Promise<Alert | null>;
  /** Newest first, without those that are pending unless asked for. */
  page(states: readonly Alert["state"][], window: PageWindow): Promise<Alert[]>;
  /** Writes alerts and forgets others, in one step. Of a subject that has an open one no other is begun. */
  save(put: readonly Alert[], drop: readonly string[]): Promise<void>;
  /** A change that destinations are told of. False when the alert was in that state already, or is gone. */
  tell(alert: Alert, record: SerialisedRecord): Promise<boolean>;
  /** Forgets resolved ones; says how many. */
  dropBefore(resolvedBefore: number): Promise<number>;

  /** Newest first: those that are not over at `now`. */
  silences(now: number): Promise<AlertSilence[]>;
  silence(silence: AlertSilence, record: SerialisedRecord, most: number): Promise<boolean>;
  /** False when there is none of that id, or it is over. */
  endSilence(id: string, at: number, record: SerialisedRecord): Promise<boolean>;

  notices(alertId: string): Promise<AlertNotice[]>;
  notice(id: string): Promise<AlertNotice | null>;
  /** Adds the notice unless the destination has one of that alert, and queues a job for the one there is. */
  queueNotice(notice: AlertNotice, job: Omit<Job, "ref">): Promise<void>;
  saveNotice(id: string, patch: Partial<Omit<AlertNotice, "id" | "alert_id" | "destination_id">>): Promise<void>;

  /** What this process says of itself; nothing where it serves nothing. */
  noteFigures(figures: NodeFigures): Promise<void>;
  /** Of all processes, as they said last; `live`: whether it still lives. */
  figures(): Promise<{ readonly node: string; readonly live: boolean; readonly figures: NodeFigures }[]>;
};
