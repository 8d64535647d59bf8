import { Type } from "#core/schema";
import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY } from "#http/openapi/schemas";
import { pageOf } from "#http/page";
import { personActor } from "#model/change";
import { READING_ROLES } from "#model/ownership";
import type { KillSwitchService } from "./kill-switches";
import { endOf, RestrictionScopeCheck } from "./restriction-scope";
import {
  KillSwitchPage,
  KillSwitchResponse,
  Lifting,
  NewKillSwitch,
  NewRestriction,
  RestrictionPage,
  RestrictionResponse,
} from "./schema";
import type { RestrictionService } from "./service";

type RestrictionEndpointNeeds = {
  readonly restrictions: RestrictionService;
  readonly killSwitches: KillSwitchService;
  readonly now: () => number;
};

const ADMIN: Audience = { roles: ["admin"] };
/** A member sees that a call was stopped, not who else was. */
const READERS: Audience = { roles: READING_ROLES };

/** Restricting an agent for a while, and stopping everything of a kind at once, for signed-in people. */
const restrictionEndpoints = ({ restrictions, killSwitches, now }: RestrictionEndpointNeeds) => {
  const narrowing = new RestrictionScopeCheck();
  return [
    endpoint("GET /api/agents/:id/restrictions", {
      summary: "List an agent's restrictions",
      query: { in_force: Type.Boolean({ description: "Only restrictions in force." }), ...PAGE_QUERY },
      answers: { 200: RestrictionPage },
      handler: async ({ person, params, query }) => {
        const all = await restrictions.list(person, params.id);
        return pageOf(query.in_force ? all.filter((one) => one.in_force) : all, query);
      },
    }),
    endpoint("POST /api/agents/:id/restrictions", {
      summary: "Restrict an agent",
      body: {
        schema: NewRestriction,
        example: {
          kind: "rate_limited",
          params: { requests_per_minute: 10 },
          reason: "It asks too often.",
          expires_in: "4h",
        },
      },
      answers: { 201: RestrictionResponse },
      errors: ["state_conflict", "below_floor"],
      handler: ({ person, params, body }) => {
        const { kind, params: limits, reason, ...end } = body;
        const narrowed = narrowing.narrowed({ kind, ...(limits && { params: limits }) });
        return restrictions.set(person, params.id, { ...narrowed, reason, expires_at: endOf(end, now()) });
      },
    }),
    endpoint("GET /api/agents/:id/restrictions/:rid", {
      summary: "Get a restriction",
      answers: { 200: RestrictionResponse },
      handler: ({ person, params }) => restrictions.get(person, params.id, params.rid),
    }),
    endpoint("POST /api/agents/:id/restrictions/:rid/lift", {
      summary: "Lift a restriction",
      body: Lifting,
      answers: { 200: RestrictionResponse },
      errors: ["state_conflict"],
      handler: ({ person, params, body }) => restrictions.lift(person, params.id, params.rid, body.reason),
    }),
    endpoint("GET /api/killswitch", {
      summary: "List kill switches",
      auth: READERS,
      query: { on: Type.Boolean({ description: "Only active kill switches." }), ...PAGE_QUERY },
      answers: { 200: KillSwitchPage },
      handler: async ({ query }) => {
        const all = await killSwitches.list();
        return pageOf(query.on ? all.filter(({ on }) => on) : all, query);
      },
    }),
    endpoint("POST /api/killswitch", {
      summary: "Activate a kill switch",
      auth: ADMIN,
      body: {
        schema: NewKillSwitch,
        example: { level: "agent", target: "support-bot", reason: "It sends mail to strangers." },
      },
      answers: { 201: KillSwitchResponse },
      errors: ["already_exists", "not_found"],
      handler: ({ person, body: { level, target = null, reason } }) =>
        killSwitches.on(personActor(person), { level, target, reason }),
    }),
    endpoint("POST /api/killswitch/:id/lift", {
      summary: "Deactivate a kill switch",
      auth: ADMIN,
      body: Lifting,
      answers: { 200: KillSwitchResponse },
      errors: ["state_conflict"],
      handler: ({ person, params, body }) => killSwitches.off(personActor(person), params.id, body.reason),
    }),
  ] as const;
};

export type RestrictionClient = ClientTypes<ReturnType<typeof restrictionEndpoints>[number]>;

export const restrictionRoutes = (needs: RestrictionEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Restrictions" }, restrictionEndpoints(needs));
