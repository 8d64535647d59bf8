import type { Requirement } from "./requirement";

/** What is promised of disputes and misses. */
export const REPORTS: readonly Requirement[] = [
  {
    id: "reports.limit",
    promise:
      "Of one user's reports five are accepted in an hour, exactly, however many come at once in however many processes.",
    source: "docs/spec/reports.md#the-limit",
  },
  {
    id: "reports.same-once",
    promise: "The same report of one event again is answered with the first one, and counts once.",
    source: "docs/spec/reports.md#the-limit",
  },
  {
    id: "reports.cas",
    promise:
      "A report changes only from the revision that was read, and its suggestion is written with it or not at all.",
    source: "docs/spec/reports.md#content-of-reports",
  },
  {
    id: "reports.content-goes",
    promise:
      "What a report shared is forgotten once it has been closed long enough, and no late writer brings it back.",
    source: "docs/spec/reports.md#content-of-reports",
  },
  {
    id: "reports.shape",
    promise:
      "A dispute or a miss report answers with the published fields, created_at, event_id, agent_id and direction; every published word is taken.",
    source: "docs/spec/reports.md#form",
  },
  {
    id: "reports.defaults",
    promise: "Flag types and agent are the event's where the report names none.",
    source: "docs/spec/reports.md#form",
  },
  {
    id: "reports.section",
    promise: "A report is of the questionnaire's section that its most severe flag type belongs to.",
    source: "docs/spec/reports.md#form",
  },
  {
    id: "reports.own-events",
    promise: "Only events of one's own can be reported, an agent's token only its agent's; another's answers as none.",
    source: "docs/spec/reports.md#what-can-be-reported",
  },
  {
    id: "reports.people",
    promise: "Signed-in people report calls of theirs and of their agents under the same rules and limit as by token.",
    source: "docs/spec/reports.md#reading-and-withdrawing",
  },
  {
    id: "reports.rates",
    promise: "How often disputes of a flag type were right is told from people's words first, then the model's.",
    source: "docs/spec/reports.md#reading-and-withdrawing",
  },
  {
    id: "reports.not-disputable",
    promise: "Where nothing was blocked or redacted there is nothing to dispute: 409.",
    source: "docs/spec/reports.md#what-can-be-reported",
  },
  {
    id: "reports.content-bound",
    promise: "Content sent with a dispute must be of its event, also when the event's text is no longer kept.",
    source: "docs/spec/reports.md#what-can-be-reported",
  },
  {
    id: "reports.duplicates",
    promise: "The same event reported again in the same direction is the same report, not counted.",
    source: "docs/spec/reports.md#the-limit",
  },
  {
    id: "reports.refusals",
    promise: "What is wrong with a report is named, and counts for nothing.",
    source: "docs/spec/reports.md#form",
  },
  {
    id: "reports.headers",
    promise: "Every answer below /v1/guard and every block says how many reports are left.",
    source: "docs/spec/reports.md#the-limit",
  },
  {
    id: "reports.idempotent",
    promise: "A report sent twice under one Idempotency-Key is one report with one answer.",
    source: "docs/spec/reports.md#the-limit",
  },
  {
    id: "reports.found",
    promise: "An event can be reported for 30 days, also after a crash, and where nothing of it is kept.",
    source: "docs/spec/reports.md#what-can-be-reported",
  },
  {
    id: "reports.list",
    promise: "Reports are listed newest first, by direction and status, page by page.",
    source: "docs/spec/reports.md#reading-and-withdrawing",
  },
  {
    id: "reports.own",
    promise: "Reports of others do not exist; an agent is shown those about itself.",
    source: "docs/spec/reports.md#reading-and-withdrawing",
  },
  {
    id: "reports.withdrawn",
    promise: "A user can withdraw a report: what was told with it is forgotten, and it still counts.",
    source: "docs/spec/reports.md#reading-and-withdrawing",
  },
  {
    id: "reports.sealed",
    promise:
      "Content of reports is kept sealed only where it was sent or shared; secrets in explanations are not kept.",
    source: "docs/spec/reports.md#content-of-reports",
  },
  {
    id: "reports.forgotten",
    promise: "What was shared is deleted 30 days after the report closes.",
    source: "docs/spec/reports.md#content-of-reports",
  },
  {
    id: "reports.recorded",
    promise: "Every report and withdrawal is on record as a call and as a change, without content.",
    source: "docs/spec/reports.md#content-of-reports",
  },
];
