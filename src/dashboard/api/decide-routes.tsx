import type { OpenedHold, ShownHold } from "#modules/holds/schema";
import type { DeskReport, DisputeRates, OpenedReport, ReportDecision } from "#modules/report-desk/schema";
import type { CallReport, ReportQuotaLeft, ShownReport } from "#modules/reports/schema";
import type { SuggestionEdit, SuggestionTrial } from "#modules/tuning/schema";
import type {
  NamedRule,
  NamedSuggestion,
  ReadSuggestion,
  ShownApplied,
  ShownRule,
  ShownSuggestion,
  TuningTrial,
} from "#modules/tuning/shown";
import type { List, Paging } from "./shapes";

type Said = { readonly reason?: string };

/** Calls that wait for a person. */
type HoldRoutes = {
  "GET /api/holds/:id": { answer: OpenedHold };
  "POST /api/holds/:id/approve": { body: Said; answer: ShownHold };
  "POST /api/holds/:id/deny": { body: Said; answer: ShownHold };
};

type ReportQuery = Paging & {
  readonly status?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly direction?: string | undefined;
  readonly section?: string | undefined;
};

/** What people say about the scanner, and what is found of it. */
type ReportRoutes = {
  "POST /api/calls/:id/dispute": { body: CallReport; answer: ShownReport };
  "POST /api/calls/:id/miss": { body: CallReport; answer: ShownReport };
  "GET /api/reports": { query: ReportQuery; answer: List<DeskReport> };
  "GET /api/reports/quota": { answer: ReportQuotaLeft };
  "GET /api/reports/rates": { query: { readonly days?: string }; answer: DisputeRates };
  "GET /api/reports/:id": { answer: OpenedReport };
  "POST /api/reports/:id/decision": { body: ReportDecision; answer: DeskReport };
};

type SuggestionQuery = Paging & {
  readonly status?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly effect?: string | undefined;
};

type TuningDecisionBody = Said & { readonly content_hash: string };
type ApplyBody = { readonly mode?: "monitor" | "enforce"; readonly expires_in_days?: number };

/** Changes of the scanner: suggested, decided on, in force. */
type TuningRoutes = {
  "GET /api/tuning": { query: SuggestionQuery; answer: List<NamedSuggestion> };
  "GET /api/tuning/:id": { answer: ReadSuggestion };
  "POST /api/tuning/:id/request-approval": { body: { readonly note?: string }; answer: ShownSuggestion };
  "POST /api/tuning/:id/approve": { body: TuningDecisionBody; answer: ShownSuggestion };
  "POST /api/tuning/:id/deny": { body: TuningDecisionBody; answer: ShownSuggestion };
  "POST /api/tuning/:id/apply": { body: ApplyBody; answer: ShownApplied };
  "POST /api/tuning/:id/reject": {
    body: { readonly reason: string; readonly comment?: string };
    answer: ShownSuggestion;
  };
  "POST /api/tuning/:id/edit": { body: SuggestionEdit; answer: ShownSuggestion };
  "POST /api/tuning/:id/dry-run": { body: SuggestionTrial; answer: TuningTrial };
  "GET /api/tuning/rules": { query: Paging & { readonly agent_id?: string | undefined }; answer: List<NamedRule> };
  "POST /api/tuning/rules/:id/revert": { answer: ShownRule | ShownSuggestion };
};

export type DecideRoutes = HoldRoutes & ReportRoutes & TuningRoutes;
