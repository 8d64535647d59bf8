import type { Report } from "#core/report";
import { strings } from "./json-columns";
import { tables } from "./schema";

/* Reports as rows, and back. */

const { report } = tables;

export const columns = {
  id: report.id,
  direction: report.direction,
  status: report.status,
  user_id: report.userId,
  token_id: report.tokenId,
  agent_id: report.agentId,
  event_id: report.eventId,
  flag_types: report.flagTypes,
  user_reason: report.userReason,
  severity_estimate: report.severityEstimate,
  reporter_confidence: report.reporterConfidence,
  conversation_id: report.conversationId,
  share_content: report.shareContent,
  questionnaire_section: report.questionnaireSection,
  sealed_content: report.sealedContent,
  llm_verdict: report.llmVerdict,
  llm_confidence: report.llmConfidence,
  llm_reasoning: report.llmReasoning,
  tuning_suggestion_id: report.tuningSuggestionId,
  decision: report.decision,
  decided_by: report.decidedBy,
  decided_at: report.decidedAt,
  created_at: report.createdAt,
  updated_at: report.updatedAt,
  closed_at: report.closedAt,
  revision: report.revision,
};

/** What is said once and stays. */
const saidOnce = (it: Report) => ({
  id: it.id,
  direction: it.direction,
  userId: it.user_id,
  tokenId: it.token_id,
  agentId: it.agent_id,
  eventId: it.event_id,
  createdAt: it.created_at,
});

export const changing = (it: Report) => ({
  status: it.status,
  flagTypes: it.flag_types,
  userReason: it.user_reason,
  severityEstimate: it.severity_estimate,
  reporterConfidence: it.reporter_confidence,
  conversationId: it.conversation_id,
  shareContent: it.share_content,
  questionnaireSection: it.questionnaire_section,
  sealedContent: it.sealed_content,
  llmVerdict: it.llm_verdict,
  llmConfidence: it.llm_confidence,
  llmReasoning: it.llm_reasoning,
  tuningSuggestionId: it.tuning_suggestion_id,
  decision: it.decision,
  decidedBy: it.decided_by,
  decidedAt: it.decided_at,
  updatedAt: it.updated_at,
  closedAt: it.closed_at,
  revision: it.revision,
});

export const rowOf = (it: Report): typeof report.$inferInsert => ({ ...saidOnce(it), ...changing(it) });

type Raw = Omit<Report, "flag_types"> & { readonly flag_types: unknown };

export const checked = ({ flag_types: types, ...row }: Raw): Report => ({
  ...row,
  flag_types: strings(types, `flag types of report ${row.id}`),
});
