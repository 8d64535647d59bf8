import type { Evidence } from "./schema";

/** What a report is evidence for. That a duty is fulfilled no report can say. */
export const DUTIES: Evidence["duties"] = [
  {
    duty: "EU AI Act, Article 12",
    asks: "events are logged automatically over the system's lifetime",
    evidence_in: "calls, log, cited",
  },
  {
    duty: "EU AI Act, Article 14 and 26(2)",
    asks: "people oversee and can stop it",
    evidence_in: "reviews, restrictions, kill_switches",
  },
  { duty: "EU AI Act, Article 19 and 26(6)", asks: "logs are kept", evidence_in: "log" },
  {
    duty: "EU AI Act, Article 26(5)",
    asks: "its operation is monitored",
    evidence_in: "findings, coverage, restrictions",
  },
  {
    duty: "ISO/IEC 42001, A.6.2.6 to A.6.2.8",
    asks: "operation, monitoring and event logs",
    evidence_in: "calls, coverage, log",
  },
  {
    duty: "ISO/IEC 42001, A.9",
    asks: "use within approved bounds",
    evidence_in: "profiles, reviews, calls.refused_by",
  },
  {
    duty: "NIST AI RMF, MANAGE 4.1",
    asks: "monitoring with appeal and override",
    evidence_in: "disputes, restrictions, kill_switches",
  },
  { duty: "NIST AI RMF, GOVERN 1.6", asks: "an inventory of AI systems", evidence_in: "agent" },
];
