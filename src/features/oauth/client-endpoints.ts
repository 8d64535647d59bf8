import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY } from "#http/openapi/schemas";
import { pageOf } from "#http/page";
import type { Connections } from "./connections";
import { Allowed, AllowlistChange, ClientChange, ClientPage, ClientState, ConnectionPage } from "./schema";

type ClientEndpointNeeds = { readonly connections: Connections };

const ADMIN: Audience = { roles: ["admin"] };

/** The clients a person let in, and all of them for administrators. */
const clientEndpoints = ({ connections }: ClientEndpointNeeds) =>
  [
    endpoint("GET /api/oauth/clients", {
      summary: "List own connected apps and their tools",
      query: PAGE_QUERY,
      answers: { 200: ConnectionPage },
      handler: async ({ person, query }) => pageOf(await connections.own(person), query),
    }),
    endpoint("PATCH /api/oauth/clients/:id", {
      summary: "Change the tools of a connected app",
      body: { schema: AllowlistChange, example: { tools: ["files__*"] } },
      answers: { 200: Allowed },
      handler: async ({ person, params: { id }, body: { tools } }) => {
        await connections.allow(person, id, tools);
        return { id, tools };
      },
    }),
    endpoint("DELETE /api/oauth/clients/:id", {
      summary: "Disconnect a connected app",
      answers: { 204: {} },
      handler: ({ person, params }) => connections.revoke(person, params.id),
    }),
    endpoint("GET /api/oauth/all-clients", {
      summary: "List all OAuth clients, with the users who authorized them",
      auth: ADMIN,
      query: PAGE_QUERY,
      answers: { 200: ClientPage },
      handler: async ({ query }) => pageOf(await connections.all(), query),
    }),
    endpoint("PATCH /api/oauth/all-clients/:id", {
      summary: "Disable or enable an OAuth client for all users",
      auth: ADMIN,
      body: ClientChange,
      answers: { 200: ClientState },
      handler: async ({ person, params: { id }, body: { disabled } }) => {
        await connections.setDisabled(person, id, disabled);
        return { id, state: disabled ? ("disabled" as const) : ("active" as const) };
      },
    }),
  ] as const;

export type ConnectedAppClient = ClientTypes<ReturnType<typeof clientEndpoints>[number]>;

export const oauthClientRoutes = (needs: ClientEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "OAuth clients" }, clientEndpoints(needs));
