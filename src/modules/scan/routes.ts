import { Elysia } from "elysia";
import { ShapeCheck } from "#core/shape-check";
import type { signedIn } from "#http/auth";
import { bodyOf } from "#http/body";
import type { GuardAnswers } from "#http/guard-answers";
import type { signedInPerson } from "#http/person";
import { TrialRequest } from "#modules/scan/schema";
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
        detail: { summary: "What would the scanner flag in this text?", tags: ["Guard"] },
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
      detail: { summary: "What would the scanner flag in this text, and how fast?", tags: ["Guard"] },
    },
  );
};
