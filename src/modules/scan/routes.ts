import { Elysia } from "elysia";
import { ShapeCheck } from "#core/shape-check";
import type { signedIn } from "#http/auth";
import { bodyOf } from "#http/body";
import type { GuardAnswers } from "#http/guard-answers";
import { detailOf } from "#http/openapi/about";
import { CALL_ERRORS } from "#http/openapi/call-errors";
import type { signedInPerson } from "#http/person";
import { ScanRequest, ScanResult, TrialRequest, TrialResult } from "#modules/scan/schema";
import type { ScanService } from "#modules/scan/service";
import type { Ids } from "#platform/ids";

type Deps = {
  readonly service: ScanService;
  readonly answers: GuardAnswers;
  readonly door: ReturnType<typeof signedIn>;
  readonly bodyBytes: number;
};

export const scanRoutes = ({ service, answers, door, bodyBytes }: Deps) =>
  new Elysia({ name: "scan" })
    .use(door)
    .post(
      "/v1/guard/scan",
      ({ request, caller }) =>
        answers.json(caller, async (id) => service.probe(caller, id, await bodyOf(request, bodyBytes))),
      {
        role: "caller",
        parse: "none",
        detail: detailOf("Guard", "What would the scanner flag in this text?", {
          description: "Audited as a call. Makes no event and no report, and passes nothing on.",
          body: { schema: ScanRequest, example: { text: "Write to eve@example.com.", origin: "user" } },
          answers: { 200: ScanResult },
          errors: [...CALL_ERRORS, "not_found"],
        }),
      },
    );

type TrialDeps = {
  readonly service: Pick<ScanService, "tryOut">;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly ids: Ids;
  readonly bodyBytes: number;
};

/** Where people try out what the scanner says. */
export const trialRoutes = ({ service, door, ids, bodyBytes }: TrialDeps) => {
  const trial = new ShapeCheck(TrialRequest);
  return new Elysia({ name: "trial" }).use(door).post(
    "/api/scan",
    async ({ request, person }) => {
      const id = ids();
      const read = await bodyOf(request, bodyBytes);
      const result = await service.tryOut(person, id, () => trial.check(read()));
      return Response.json(result, { headers: { "x-request-id": id } });
    },
    {
      role: "person",
      parse: "none",
      detail: detailOf("Guard", "What would the scanner flag in this text, and how fast?", {
        body: { schema: TrialRequest, example: { text: "Write to eve@example.com.", repeat: 10 } },
        answers: { 200: TrialResult },
        errors: [...CALL_ERRORS, "not_found"],
      }),
    },
  );
};
