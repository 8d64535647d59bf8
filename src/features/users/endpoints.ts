import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY, searchIn } from "#http/openapi/schemas";
import { pageOf, readPage } from "#http/page";
import { personActor } from "#model/change";
import type { OwnAccount } from "./own-account";
import {
  Confirmation,
  Invited,
  Me,
  NewInvitation,
  PasswordChange,
  SessionPage,
  UserChange,
  UserPage,
  UserResponse,
} from "./schema";
import type { UserService } from "./service";

export type UserEndpointNeeds = {
  readonly users: UserService;
  readonly account: OwnAccount;
  readonly addressOf: (request: Request) => string | null;
};

const ADMIN: Audience = { roles: ["admin"], fresh: true };
const INVITED = { schema: Invited, description: "With an invitation link, shown only once." };

/** People, for administrators. */
export const userEndpoints = ({ users }: UserEndpointNeeds) =>
  [
    endpoint("GET /api/users", {
      summary: "List users",
      auth: { roles: ["admin", "auditor"] },
      query: { q: searchIn("the e-mail address or the name"), ...PAGE_QUERY },
      answers: { 200: UserPage },
      handler: ({ query }) => readPage(query, (window) => users.page(window, query.q)),
    }),
    endpoint("POST /api/users", {
      summary: "Invite a user",
      auth: ADMIN,
      body: { schema: NewInvitation, example: { email: "eve@example.com", name: "Eve", role: "member" } },
      answers: { 201: INVITED },
      errors: ["already_exists"],
      handler: ({ person, body }) => users.invite(personActor(person), body),
    }),
    endpoint("PATCH /api/users/:id", {
      summary: "Update a user",
      auth: ADMIN,
      body: { schema: UserChange, example: { role: "reviewer" } },
      answers: { 200: UserResponse },
      errors: ["state_conflict"],
      handler: ({ person, params, body }) => users.change(personActor(person), params.id, body),
    }),
    endpoint("POST /api/users/:id/invitation", {
      summary: "Create a new invitation",
      auth: ADMIN,
      answers: { 201: INVITED },
      errors: ["state_conflict"],
      handler: ({ person, params }) => users.inviteAgain(personActor(person), params.id),
    }),
  ] as const;

/** What everybody does about their own account. */
export const accountEndpoints = ({ account, addressOf }: UserEndpointNeeds) =>
  [
    endpoint("GET /api/me", {
      summary: "Get the current user",
      answers: { 200: Me },
      handler: ({ person }) => account.me(person),
    }),
    endpoint("POST /api/me/confirm", {
      summary: "Confirm the session",
      body: { schema: Confirmation, example: { password: "what it is" } },
      answers: { 204: {} },
      errors: ["rate_limit_exceeded", "password_sign_in_off"],
      handler: ({ person, body, request }) => account.confirm(person, body, addressOf(request)),
    }),
    endpoint("POST /api/me/password", {
      summary: "Change the password",
      body: {
        schema: PasswordChange,
        example: { current_password: "what it was before", new_password: "what it is from now on" },
      },
      answers: { 204: {} },
      errors: ["rate_limit_exceeded"],
      handler: ({ person, body, request }) => account.changePassword(person, body, addressOf(request)),
    }),
    endpoint("GET /api/me/sessions", {
      summary: "List own sessions",
      query: PAGE_QUERY,
      answers: { 200: SessionPage },
      handler: async ({ person, query }) => pageOf(await account.sessions(person), query),
    }),
    endpoint("DELETE /api/me/sessions/:id", {
      summary: "End a session",
      answers: { 204: {} },
      handler: ({ person, params }) => account.endSession(person, params.id),
    }),
  ] as const;

export type UserClient = ClientTypes<
  ReturnType<typeof userEndpoints>[number] | ReturnType<typeof accountEndpoints>[number]
>;

type UserRouteNeeds = UserEndpointNeeds & Omit<RouterNeeds, "tag">;

export const userRoutes = (needs: UserRouteNeeds) => personRouter({ ...needs, tag: "Users" }, userEndpoints(needs));
export const ownRoutes = (needs: UserRouteNeeds) =>
  personRouter({ ...needs, tag: "Own account" }, accountEndpoints(needs));
