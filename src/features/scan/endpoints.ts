import {
  type ClientTypes,
  personCallEndpoint,
  personRouter,
  type RouterNeeds,
  type TokenRouterNeeds,
  tokenEndpoint,
  tokenRouter,
} from "#http/endpoint";
import type { GuardAnswers } from "#http/guard-answers";
import { ScanRequest, ScanResult, TrialRequest, TrialResult } from "./schema";
import type { ScanService } from "./service";

type ScanEndpointNeeds = { readonly service: ScanService };

/** For agents and their owners, by gateway token. */
const tokenEndpoints = ({ service }: ScanEndpointNeeds) => [
  tokenEndpoint("POST /v1/guard/scan", {
    summary: "Scan a text",
    description: "Audited as a call. Creates no event and no report, and forwards nothing.",
    body: { schema: ScanRequest, example: { text: "Write to eve@example.com.", origin: "user" } },
    answers: { 200: ScanResult },
    errors: ["not_found"],
    handler: ({ caller, id, read }) => service.probe(caller, id, read),
  }),
];

type TrialEndpointNeeds = {
  readonly service: Pick<ScanService, "tryOut">;
  readonly answers: GuardAnswers;
};

/** For signed-in people. */
const personEndpoints = ({ service, answers: replies }: TrialEndpointNeeds) =>
  [
    personCallEndpoint("POST /api/scan", {
      replies,
      summary: "Scan a text and measure the scan time",
      body: { schema: TrialRequest, example: { text: "Write to eve@example.com.", repeat: 10 } },
      answers: { 200: TrialResult },
      errors: ["not_found"],
      handler: ({ caller, id, read }) => service.tryOut(caller, id, read),
    }),
  ] as const;

export type ScanClient = ClientTypes<ReturnType<typeof personEndpoints>[number]>;

export const scanRoutes = (needs: ScanEndpointNeeds & TokenRouterNeeds) => tokenRouter(needs, tokenEndpoints(needs));
export const trialRoutes = (needs: TrialEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Guard" }, personEndpoints(needs));
