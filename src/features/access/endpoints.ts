import { Type } from "#core/schema";
import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { Id, PAGE_QUERY, pageSchema } from "#http/openapi/schemas";
import { readPage } from "#http/page";
import { IssuedTokenView, NewTokenBody, RotatedTokenView, TokenRotation, TokenStateSchema, TokenView } from "./schema";
import type { TokenService } from "./token-service";

type TokenEndpointNeeds = { readonly service: TokenService };

/** What hands out a new credential, or lets an old one in again. */
const ISSUING: Audience = { fresh: true };
const MOVED = { answers: { 200: TokenView }, errors: ["state_conflict"] } as const;

/** Gateway tokens, for the people they belong to and for administrators. */
const tokenEndpoints = ({ service }: TokenEndpointNeeds) =>
  [
    endpoint("GET /api/tokens", {
      summary: "List gateway tokens",
      query: {
        ...PAGE_QUERY,
        all: Type.Boolean({ description: "Of all users; for administrators and auditors." }),
        agent_id: Id,
        state: TokenStateSchema,
      },
      answers: { 200: pageSchema(TokenView) },
      errors: ["insufficient_scope"],
      handler: ({ person, query }) => readPage(query, (window) => service.page(person, query, window)),
    }),
    endpoint("POST /api/tokens", {
      summary: "Create a gateway token; shown once",
      auth: ISSUING,
      body: NewTokenBody,
      answers: { 201: IssuedTokenView },
      errors: ["not_found", "state_conflict", "insufficient_scope"],
      handler: ({ person, body }) => service.create(person, body),
    }),
    endpoint("GET /api/tokens/:id", {
      summary: "Get a gateway token",
      answers: { 200: TokenView },
      handler: ({ person, params }) => service.get(person, params.id),
    }),
    endpoint("POST /api/tokens/:id/rotate", {
      summary: "Rotate a gateway token",
      auth: ISSUING,
      body: { schema: TokenRotation, isOptional: true },
      answers: { 201: RotatedTokenView },
      errors: ["state_conflict"],
      handler: ({ person, params, body }) => service.rotate(person, params.id, body.grace_hours),
    }),
    endpoint("POST /api/tokens/:id/disable", {
      summary: "Disable a gateway token",
      ...MOVED,
      handler: ({ person, params }) => service.move(person, params.id, "disable"),
    }),
    endpoint("POST /api/tokens/:id/enable", {
      summary: "Enable a gateway token",
      auth: ISSUING,
      ...MOVED,
      errors: [...MOVED.errors, "insufficient_scope"],
      handler: ({ person, params }) => service.move(person, params.id, "enable"),
    }),
    endpoint("POST /api/tokens/:id/revoke", {
      summary: "Revoke a gateway token",
      ...MOVED,
      handler: ({ person, params }) => service.move(person, params.id, "revoke"),
    }),
  ] as const;

export type TokenClient = ClientTypes<ReturnType<typeof tokenEndpoints>[number]>;

export const tokenRoutes = (needs: TokenEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Tokens" }, tokenEndpoints(needs));
