import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { oneOf, PAGE_QUERY } from "#http/openapi/schemas";
import { pageOf, readPage, whole } from "#http/page";
import { ALERT_STATES, type Alert } from "#model/alert";
import { personActor } from "#model/change";
import { READING_ROLES } from "#model/ownership";
import type { AlertService } from "./alert-service";
import type { AlertDestinationService } from "./destination-service";
import type { AlertRuleService } from "./rule-service";
import {
  AlertDestinationChange,
  AlertDestinationPage,
  AlertDestinationView,
  AlertDetail,
  AlertPage,
  AlertRuleChange,
  AlertRulePage,
  AlertRuleView,
  AlertSilencePage,
  AlertSilenceView,
  AlertTest,
  IssuedAlertDestination,
  NewAlertDestination,
  NewAlertRule,
  NewAlertSilence,
  RemovedAlertDestination,
  RemovedAlertRule,
} from "./schema";

type AlertEndpointNeeds = {
  readonly alerts: AlertService;
  readonly rules: AlertRuleService;
  readonly destinations: AlertDestinationService;
};

const ADMIN: Audience = { roles: ["admin"] };
/** What says where things are sent, or answers with a secret. */
const GUARDED: Audience = { roles: ["admin"], fresh: true };
const READERS: Audience = { roles: READING_ROLES };

const NEW_RULE = { kind: "block_rate", name: "Half of the calls are blocked", threshold: 50 };
const NEW_DESTINATION = { name: "On call", kind: "slack", url: "https://example.com/services/T0/B0/x" };
const NEW_SILENCE = { rule_id: "block-rate", until: "2030-01-01T00:00:00Z", reason: "Load test" };

const SHOWN: readonly Alert["state"][] = ["firing", "resolved"];

/** What fires, and silences. */
const alertEndpoints = ({ alerts }: Pick<AlertEndpointNeeds, "alerts">) =>
  [
    endpoint("GET /api/alerts", {
      summary: "List alerts",
      auth: READERS,
      query: { ...PAGE_QUERY, state: oneOf(ALERT_STATES, "firing and resolved if left out.") },
      answers: { 200: AlertPage },
      handler: ({ query }) =>
        readPage(query, (window) => alerts.page(query.state === undefined ? SHOWN : [query.state], window)),
    }),
    endpoint("GET /api/alerts/:id", {
      summary: "Get an alert and what destinations were told",
      auth: READERS,
      answers: { 200: AlertDetail },
      handler: ({ params }) => alerts.get(params.id),
    }),
    endpoint("GET /api/alert-silences", {
      summary: "List silences in force",
      auth: READERS,
      answers: { 200: AlertSilencePage },
      handler: async () => whole(await alerts.silences()),
    }),
    endpoint("POST /api/alert-silences", {
      summary: "Silence alerts temporarily",
      auth: ADMIN,
      body: { schema: NewAlertSilence, example: NEW_SILENCE },
      answers: { 201: AlertSilenceView },
      errors: ["state_conflict"],
      handler: ({ person, body }) => alerts.silence(personActor(person), body),
    }),
    endpoint("DELETE /api/alert-silences/:id", {
      summary: "End a silence",
      auth: ADMIN,
      answers: { 200: AlertSilenceView },
      handler: ({ person, params }) => alerts.unsilence(personActor(person), params.id),
    }),
  ] as const;

/** Rules, and where alerts are sent. */
const settingEndpoints = ({ rules, destinations }: Omit<AlertEndpointNeeds, "alerts">) =>
  [
    endpoint("GET /api/alert-rules", {
      summary: "List alert rules",
      auth: READERS,
      answers: { 200: AlertRulePage },
      handler: async () => whole(await rules.list()),
    }),
    endpoint("POST /api/alert-rules", {
      summary: "Add an alert rule",
      auth: ADMIN,
      body: { schema: NewAlertRule, example: NEW_RULE },
      answers: { 201: AlertRuleView },
      errors: ["state_conflict"],
      handler: ({ person, body }) => rules.create(personActor(person), body),
    }),
    endpoint("PATCH /api/alert-rules/:id", {
      summary: "Update an alert rule",
      auth: ADMIN,
      body: { schema: AlertRuleChange, example: { threshold: 30 } },
      answers: { 200: AlertRuleView },
      errors: ["state_conflict"],
      handler: ({ person, params, body }) => rules.change(personActor(person), params.id, body),
    }),
    endpoint("DELETE /api/alert-rules/:id", {
      summary: "Remove an alert rule, or reset a built-in one",
      auth: ADMIN,
      answers: { 200: RemovedAlertRule },
      handler: ({ person, params }) => rules.remove(personActor(person), params.id),
    }),
    endpoint("GET /api/alert-destinations", {
      summary: "List alert destinations",
      auth: ADMIN,
      query: PAGE_QUERY,
      answers: { 200: AlertDestinationPage },
      handler: async ({ query }) => pageOf((await destinations.list()).reverse(), query),
    }),
    endpoint("POST /api/alert-destinations", {
      summary: "Add an alert destination",
      auth: GUARDED,
      body: { schema: NewAlertDestination, example: NEW_DESTINATION },
      answers: {
        201: { schema: IssuedAlertDestination, description: "Of a webhook with its secret, shown only once." },
      },
      errors: ["state_conflict"],
      handler: ({ person, body }) => destinations.create(personActor(person), body),
    }),
    endpoint("PATCH /api/alert-destinations/:id", {
      summary: "Update an alert destination",
      auth: GUARDED,
      body: { schema: AlertDestinationChange, example: { active: true } },
      answers: { 200: AlertDestinationView },
      handler: ({ person, params, body }) => destinations.change(personActor(person), params.id, body),
    }),
    endpoint("DELETE /api/alert-destinations/:id", {
      summary: "Remove an alert destination",
      auth: ADMIN,
      answers: { 200: RemovedAlertDestination },
      handler: ({ person, params }) => destinations.remove(personActor(person), params.id),
    }),
    endpoint("POST /api/alert-destinations/:id/test", {
      summary: "Send a test message",
      auth: ADMIN,
      answers: { 200: AlertTest },
      handler: ({ params }) => destinations.test(params.id),
    }),
  ] as const;

export type AlertClient = ClientTypes<
  ReturnType<typeof alertEndpoints>[number] | ReturnType<typeof settingEndpoints>[number]
>;

export const alertRoutes = (needs: AlertEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Alerts" }, [...alertEndpoints(needs), ...settingEndpoints(needs)]);
