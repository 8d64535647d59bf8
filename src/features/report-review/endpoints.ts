import { Type } from "#core/schema";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { Id, oneOf, PAGE_QUERY } from "#http/openapi/schemas";
import { readPage } from "#http/page";
import { personActor } from "#model/change";
import { READING_ROLES } from "#model/ownership";
import { DIRECTIONS, REPORT_SECTIONS, REPORT_STATUSES } from "#model/report";
import type { Person } from "#model/session";
import type { Clock } from "#platform/clock";
import type { ReviewerService } from "./reviewer-service";
import {
  DisputeRates,
  OpenedReport,
  ReportDecision,
  ReportView,
  ReportViewPage,
  ReviewerResume,
  ReviewerState,
} from "./schema";
import type { ReportReviewActor, ReportReviewService } from "./service";

type ReportReviewEndpointNeeds = {
  readonly service: ReportReviewService;
  readonly reviewer: ReviewerService;
  readonly now: Clock;
};

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;
const MAX_DAYS = 365;

const actingAs = (person: Person): ReportReviewActor => ({ user: person.user, by: personActor(person) });

/** Reports for people. For no gateway token: no agent decides on its own disputes. */
const reportReviewEndpoints = ({ service, reviewer, now }: ReportReviewEndpointNeeds) =>
  [
    endpoint("GET /api/reports", {
      summary: "List reports",
      query: {
        direction: oneOf(DIRECTIONS),
        status: oneOf(REPORT_STATUSES),
        section: oneOf(REPORT_SECTIONS),
        agent_id: Id,
        assignee: oneOf(["me", "none"], "Assigned to the current user, or to nobody."),
        ...PAGE_QUERY,
      },
      answers: { 200: ReportViewPage },
      handler: ({ person, query }) => {
        const { direction, status, agent_id, section } = query;
        const assignee = query.assignee === "me" ? person.user.id : query.assignee && null;
        const filter = { direction, statuses: status && [status], agent_id, questionnaire_section: section, assignee };
        return readPage(query, (window) => service.page(person.user, filter, window));
      },
    }),
    endpoint("GET /api/reports/rates", {
      summary: "Get false-positive rates by finding type",
      query: { days: Type.Integer({ minimum: 1, maximum: MAX_DAYS, default: DEFAULT_DAYS }) },
      answers: { 200: DisputeRates },
      handler: async ({ person, query: { days = DEFAULT_DAYS } }) => {
        const data = await service.rates(person.user, now() - days * DAY_MS);
        return { object: "list" as const, days, data };
      },
    }),
    endpoint("GET /api/reports/:id", {
      summary: "Get a report with its content; viewing by others than the reporter is audited",
      answers: { 200: OpenedReport },
      isRecorded: true,
      handler: ({ person, params }) => service.open(actingAs(person), params.id),
    }),
    endpoint("POST /api/reports/:id/decision", {
      summary: "Decide a report and close it",
      body: ReportDecision,
      answers: { 200: ReportView },
      errors: ["state_conflict", "stale_base", "approval_required"],
      handler: ({ person, params, body }) => service.decide(actingAs(person), params.id, body),
    }),
    endpoint("GET /api/reviewer", {
      summary: "Get the status of the reviewer model",
      auth: { roles: READING_ROLES },
      answers: { 200: ReviewerState },
      handler: () => reviewer.state(),
    }),
    endpoint("POST /api/reviewer/resume", {
      summary: "Resume the reviewer model",
      auth: { roles: ["admin"] },
      body: ReviewerResume,
      answers: { 200: ReviewerState },
      errors: ["state_conflict"],
      handler: ({ person, body }) => reviewer.resume(personActor(person), body.reason),
    }),
  ] as const;

export type ReportReviewClient = ClientTypes<ReturnType<typeof reportReviewEndpoints>[number]>;

export const reportReviewRoutes = (needs: ReportReviewEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Reports" }, reportReviewEndpoints(needs));
