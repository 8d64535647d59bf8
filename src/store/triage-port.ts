import type { PageWindow } from "#core/page";
import type { Assignee, Notice } from "#model/triage";
import type { SerialisedRecord } from "./record";

/* What we need of a store for people who decide, and for those who wait for it. See `port.ts` for what holds of every method. */

export type AssigneeStore = {
  /** The newest, at most `most`. */
  list(most: number): Promise<Assignee[]>;
  /** Of these of one kind, in no order. */
  of(kind: Assignee["kind"], ids: Iterable<string>): Promise<Assignee[]>;
  /** Replaces who had it before. */
  put(assignee: Assignee, record: SerialisedRecord): Promise<boolean>;
  /** False when nobody had it. */
  remove(of: Pick<Assignee, "kind" | "subject_id">, record: SerialisedRecord): Promise<boolean>;
  /** Says how many. */
  dropBefore(at: number): Promise<number>;
};

export type NoticeStore = {
  /** What is there already stays as it is; says which were not. */
  add(notices: readonly Notice[]): Promise<Notice[]>;
  /** Newest first. */
  page(filter: { readonly user_id: string; readonly isUnseen: boolean }, window: PageWindow): Promise<Notice[]>;
  unseen(userId: string): Promise<number>;
  /** All of a user, or those of one thing. Says how many were not seen before. */
  see(userId: string, subjectId: string | null, at: number): Promise<number>;
  /** Says how many. */
  dropBefore(at: number): Promise<number>;
};
