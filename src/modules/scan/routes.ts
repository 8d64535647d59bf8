import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import type { signedIn } from "#http/auth";
import { bodyOf } from "#http/body";
import { errorResponse } from "#http/errors";
import type { ScanService } from "#modules/scan/service";
import type { Ids } from "#platform/ids";

type Deps = {
  readonly service: ScanService;
  readonly door: ReturnType<typeof signedIn>;
  readonly ids: Ids;
  readonly bodyBytes: number;
};

export const scanRoutes = ({ service, door, ids, bodyBytes }: Deps) =>
  new Elysia({ name: "scan" }).use(door).post(
    "/v1/guard/scan",
    async ({ request, caller }) => {
      const id = ids();
      try {
        const result = await service.probe(caller, id, await bodyOf(request, bodyBytes));
        return Response.json(result, { headers: { "x-request-id": id, "cache-control": "no-store" } });
      } catch (error) {
        if (error instanceof GuardError) return errorResponse(error, id);
        throw error;
      }
    },
    {
      role: "caller",
      parse: "none",
      detail: { summary: "What would the scanner flag in this text?", tags: ["Guard"] },
    },
  );
