import { GuardError } from "#core/errors";
import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { oneOf, PAGE_QUERY, searchIn } from "#http/openapi/schemas";
import { readPage } from "#http/page";
import { urlFor } from "#http/resource-metadata";
import { personActor } from "#model/change";
import { READING_ROLES } from "#model/ownership";
import { PROPOSAL_STATES } from "#model/tools/proposal";
import type { UserStore } from "#store/port";
import type { ProposalService } from "./proposals";
import {
  ApprovalBody,
  ApprovedProposalResponse,
  ExportResponse,
  ImportBody,
  ImportReport,
  MAX_DOCUMENT_BYTES,
  ProposalPage,
  ProposalResponse,
  RejectionBody,
} from "./schema";

type ProposalNeeds = {
  readonly service: ProposalService;
  readonly people: Pick<UserStore, "byEmail">;
  readonly publicUrl: () => string;
};

/** What calls may reach is decided here: not for a browser that was left open. */
const ADMIN: Audience = { roles: ["admin"], fresh: true };
const READERS: Audience = { roles: READING_ROLES };

/** Servers of other registries. Administrators import and decide; programs are approved on the command line alone. */
const proposalEndpoints = ({ service, people, publicUrl }: ProposalNeeds) =>
  [
    endpoint("POST /api/registry/imports", {
      summary: "Import servers of another registry as proposals",
      description: "Nothing is connected to or run before an administrator has approved a proposal.",
      auth: ADMIN,
      body: { schema: ImportBody, example: { url: "https://mcp.example.com", name: "com.example/*" } },
      bodyBytes: MAX_DOCUMENT_BYTES,
      answers: { 200: ImportReport },
      errors: ["upstream_error", "state_conflict"],
      handler: ({ person, body: { url, document, name = null } }) => {
        if ((url === undefined) === (document === undefined)) {
          throw new GuardError("invalid_value", "Give either url or document.", { param: "url" });
        }
        const source = url === undefined ? { documents: [document], called: "document" } : { url };
        return service.import(personActor(person), source, name);
      },
    }),
    endpoint("GET /api/registry/proposals", {
      summary: "List proposals",
      auth: READERS,
      query: { state: oneOf(PROPOSAL_STATES), q: searchIn("the name"), ...PAGE_QUERY },
      answers: { 200: ProposalPage },
      handler: ({ query: { state, q: words, ...page } }) =>
        readPage(page, (window) => service.page({ state, words }, window)),
    }),
    endpoint("GET /api/registry/proposals/:id", {
      summary: "Get a proposal",
      auth: READERS,
      answers: { 200: ProposalResponse },
      errors: ["not_found"],
      handler: ({ params }) => service.get(params.id),
    }),
    endpoint("POST /api/registry/proposals/:id/approve", {
      summary: "Approve a proposal: make a tool server of it",
      description: "Of a package, which runs a program, operators approve it on the command line.",
      auth: ADMIN,
      body: { schema: ApprovalBody, example: { offer: 1, values: { tenant: "acme" } } },
      answers: { 201: ApprovedProposalResponse },
      errors: ["not_found", "already_exists", "state_conflict", "parameter_not_allowed"],
      handler: async ({ person, params, body: { owner: email, slug, offer, values = {}, oauth = false } }) => {
        const owner = email === undefined ? person.user : await people.byEmail(email);
        if (!owner) throw new GuardError("invalid_value", "There is no user of that address.", { param: "owner" });
        return service.approve(personActor(person), params.id, { owner, slug, offer, values, signsIn: oauth });
      },
    }),
    endpoint("POST /api/registry/proposals/:id/reject", {
      summary: "Reject a proposal",
      auth: ADMIN,
      body: { schema: RejectionBody, example: { reason: "Not needed" } },
      answers: { 200: ProposalResponse },
      errors: ["not_found", "state_conflict"],
      handler: ({ person, params, body: { reason = null } }) => service.reject(personActor(person), params.id, reason),
    }),
    endpoint("GET /api/registry/export", {
      summary: "Export all tool servers in the registry's form",
      description: "At their own addresses, without credentials: for another hub or registry.",
      auth: { roles: ["admin"] },
      answers: { 200: ExportResponse },
      handler: async ({ request }) => {
        const { entries, left_out } = await service.export(null, urlFor(publicUrl(), request));
        return { servers: entries, metadata: { count: entries.length, left_out } };
      },
    }),
  ] as const;

export type ProposalClient = ClientTypes<ReturnType<typeof proposalEndpoints>[number]>;

export const proposalRoutes = (needs: ProposalNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Registry" }, proposalEndpoints(needs));
