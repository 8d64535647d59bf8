import type { PolicyChange } from "#core/baseline/edits";
import type { PolicyDiff, PolicyImpact, ShownPolicy, ShownProposal, ShownRevision } from "#modules/policy/shown";
import type { List, Paging } from "./shapes";

type Changed = ShownPolicy | ShownProposal;

/** What holds for everybody: read, tried, changed, brought back. */
export type PolicyRoutes = {
  "GET /api/policy": { answer: ShownPolicy };
  "PUT /api/policy": {
    body: { readonly base_revision: number; readonly changes: readonly PolicyChange[]; readonly reason: string };
    answer: Changed;
  };
  "POST /api/policy/dry-run": { body: { readonly changes: readonly PolicyChange[] }; answer: PolicyImpact };
  "GET /api/policy/revisions": { query: Paging; answer: List<ShownRevision> };
  "GET /api/policy/diff": { query: { readonly from: string; readonly to: string }; answer: PolicyDiff };
  "POST /api/policy/restore": {
    body: { readonly revision: number; readonly base_revision: number; readonly reason: string };
    answer: Changed;
  };
  "POST /api/policy/proposals/:id/approve": { body: { readonly comment?: string }; answer: ShownPolicy };
  "POST /api/policy/proposals/:id/reject": { body: { readonly comment?: string }; answer: ShownProposal };
};
