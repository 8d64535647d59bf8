import { type TokenRouterNeeds, tokenEndpoint, tokenRouter } from "#http/endpoint";
import { orNull } from "#http/openapi/schemas";
import { HookRules } from "./hook-rules";
import type { OfflineHooks } from "./offline";
import { OfflineRecorded, OfflineReport } from "./offline-report";

type OfflineEndpointNeeds = { readonly service: OfflineHooks };

const offlineEndpoints = ({ service }: OfflineEndpointNeeds) => [
  tokenEndpoint("GET /v1/guard/hooks/rules", {
    summary: "Get the rules a hook decides by while the hub cannot be reached, or null",
    description: "Null where the profile sets no `hooks.offline_minutes`. The verb `hook` keeps them.",
    answers: { 200: { schema: orNull(HookRules), description: "Null where a hook may decide nothing by itself." } },
    handler: ({ caller, id }) => service.rules(caller, id),
  }),
  tokenEndpoint("POST /v1/guard/hooks/offline", {
    summary: "Report what a hook decided while the hub could not be reached",
    description: "Each decision becomes a call in the audit log, with the time it was decided at.",
    body: { schema: OfflineReport },
    answers: { 200: { schema: OfflineRecorded, example: { recorded: 1 } } },
    bodyBytes: 65_536,
    handler: ({ caller, id, read }) => service.report(caller, id, read),
  }),
];

export const offlineRoutes = (needs: OfflineEndpointNeeds & TokenRouterNeeds) =>
  tokenRouter(needs, offlineEndpoints(needs));
