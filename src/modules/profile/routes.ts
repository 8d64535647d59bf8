import { Elysia } from "elysia";
import { GuardrailProfile } from "#core/profile/profile";
import type { signedIn } from "#http/auth";
import type { GuardAnswers } from "#http/guard-answers";
import { detailOf } from "#http/openapi/about";
import { CALL_ERRORS } from "#http/openapi/call-errors";
import { orNull } from "#http/openapi/shapes";
import type { ProfileReadService } from "./service";

type Deps = {
  readonly service: ProfileReadService;
  readonly answers: GuardAnswers;
  readonly door: ReturnType<typeof signedIn>;
};

/** For agents and their owners, by gateway token. */
export const profileRoutes = ({ service, answers, door }: Deps) =>
  new Elysia({ name: "agent-profile" })
    .use(door)
    .get(
      "/v1/guard/agents/:agent_id/profile",
      ({ caller, params }) => answers.json(caller, (id) => service.read(caller, id, params.agent_id)),
      {
        role: "caller",
        detail: detailOf("Guard", "The guardrail profile in force, or null", {
          answers: { 200: { schema: orNull(GuardrailProfile), description: "Null for an ungoverned agent." } },
          errors: CALL_ERRORS,
        }),
      },
    );
