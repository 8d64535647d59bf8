import type { Static } from "#core/schema";
import type { AuditState, Verification } from "#modules/audit/shapes";
import type { Connections } from "#modules/oauth/connections";
import type { TrialRequest, TrialResult } from "#modules/scan/schema";
import type { Report } from "#modules/tool-servers/presenter";
import type {
  Approval,
  Assignment,
  NewToolServer,
  ShownToolServer,
  ToolServerChange,
} from "#modules/tool-servers/schema";
import type {
  ApprovedToolServer,
  AssignedToolServer,
  ReadToolServer,
  ShownAssignment,
} from "#modules/tool-servers/shown";
import type { List, Paging } from "./shapes";

type ShownClients = Awaited<ReturnType<Connections["own"]>>;
type AllClients = Awaited<ReturnType<Connections["all"]>>;
type ServerQuery = Paging & { readonly owner?: string | undefined; readonly all?: string | undefined };

/** Tool servers, and what may be called of them. */
export type ToolRoutes = {
  "GET /api/tool-servers": { query: ServerQuery; answer: List<ShownToolServer> };
  "POST /api/tool-servers": { body: Static<typeof NewToolServer>; answer: Report };
  "GET /api/tool-servers/:id": { answer: Static<typeof ReadToolServer> };
  "PATCH /api/tool-servers/:id": { body: Static<typeof ToolServerChange>; answer: Static<typeof AssignedToolServer> };
  "DELETE /api/tool-servers/:id": { answer: { readonly id: string } };
  "POST /api/tool-servers/:id/test": { answer: Report };
  "POST /api/tool-servers/:id/approve": {
    body: Static<typeof Approval>;
    answer: Static<typeof ApprovedToolServer>;
  };
  "POST /api/tool-servers/:id/authorize": { answer: { readonly url: string } };
  "PUT /api/tool-servers/:id/assignments/:agent_id": {
    body: Static<typeof Assignment>;
    answer: Static<typeof ShownAssignment>;
  };
  "DELETE /api/tool-servers/:id/assignments/:agent_id": { answer: unknown };
};

/** IDEs and other programs that people let in. */
export type ClientRoutes = {
  "GET /api/oauth/clients": { query: Paging; answer: List<ShownClients[number]> };
  "PATCH /api/oauth/clients/:id": { body: { readonly tools: readonly string[] }; answer: unknown };
  "DELETE /api/oauth/clients/:id": { answer: null };
  "GET /api/oauth/all-clients": { query: Paging; answer: List<AllClients[number]> };
  "PATCH /api/oauth/all-clients/:id": { body: { readonly disabled: boolean }; answer: unknown };
};

/** What the scanner says of a text, and the log itself. */
export type GuardRoutes = {
  "POST /api/scan": { body: TrialRequest; answer: TrialResult };
  "GET /api/audit": { answer: AuditState };
  "GET /api/audit/verification": { answer: Verification | null };
  "POST /api/audit/verify": { answer: Verification };
  "GET /api/audit/export": {
    query: { readonly format: string; readonly since?: string | undefined; readonly until?: string | undefined };
    answer: unknown;
  };
};
