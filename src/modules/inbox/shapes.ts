/* What `/api/inbox` answers, as plain types: pages in a browser import them, so this file imports nothing. */

export type InboxKind = "review" | "tuning" | "held_call" | "rebaseline" | "tool_definition" | "report";

/** Something that waits for the person who asks, and that they may decide on. */
export type InboxItem = {
  /** Of what waits: a review, a suggestion, a held call, an agent (rebaseline), a tool server, a report. */
  readonly id: string;
  readonly kind: InboxKind;
  /** One line, without content. */
  readonly title: string;
  readonly subject: string;
  readonly agent: { readonly id: string; readonly name: string } | null;
  /** An e-mail address; null for the hub itself. */
  readonly requested_by: string | null;
  readonly since: string;
  /** Null for what waits without end. */
  readonly expires_at: string | null;
  /** The dashboard's page, below the hub's address. */
  readonly url: string;
  /** They decide alone, which takes a reason. */
  readonly alone: boolean;
};

export type Inbox = {
  readonly object: "list";
  /** Oldest first. */
  readonly data: readonly InboxItem[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  readonly counts: Readonly<Record<InboxKind, number>> & { readonly total: number };
};
