import type { Report } from "#core/report";
import { timestamp } from "#platform/clock";
import type { ShownReport } from "./schema";

export const shownReport = (report: Report): ShownReport => ({
  miss_report_id: report.id,
  status: report.status,
  report_direction: report.direction,
  llm_verdict: report.llm_verdict,
  llm_confidence: report.llm_confidence,
  llm_reasoning: report.llm_reasoning,
  tuning_suggestion_id: report.tuning_suggestion_id,
  questionnaire_section: report.questionnaire_section,
  created_at: timestamp(report.created_at),
  event_id: report.event_id,
  agent_id: report.agent_id,
  direction: report.direction,
});
