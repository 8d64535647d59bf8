import type { CallDetail, CallPage } from "#modules/calls/shapes";
import type { CallContents } from "#modules/content/schema";
import type { Inbox } from "#modules/inbox/shapes";
import type { FanOutMap } from "#modules/map/shapes";
import type { Overview, SwitchesOn } from "#modules/overview/shapes";
import type { Paging } from "./shapes";

type CallQuery = Paging & {
  readonly kind?: string | undefined;
  readonly decision?: string | undefined;
  readonly flag_type?: string | undefined;
  readonly outcome?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly token_id?: string | undefined;
  readonly model?: string | undefined;
  readonly tool?: string | undefined;
  readonly conversation_id?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** What goes through the hub, and what waits for somebody. */
export type WatchRoutes = {
  "GET /api/overview": { query: { readonly window?: string }; answer: Overview };
  "GET /api/overview/kill-switch": { answer: SwitchesOn };
  "GET /api/calls": { query: CallQuery; answer: CallPage };
  "GET /api/calls/:id": { answer: CallDetail };
  "GET /api/calls/:id/content": { answer: CallContents };
  "GET /api/inbox": { query: Paging; answer: Inbox };
  "GET /api/map": { answer: FanOutMap };
};
