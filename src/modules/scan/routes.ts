import { Elysia } from "elysia";
import type { signedIn } from "#http/auth";
import { bodyOf } from "#http/body";
import type { GuardAnswers } from "#http/guard-answers";
import type { ScanService } from "#modules/scan/service";

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
