import { holdingOf, modelDenials } from "#core/profile/permits";
import type { Conversations } from "#engine/conversations";
import type { Directory } from "#engine/directory";
import type { Dispatcher } from "#engine/dispatcher";
import type { CallJudge } from "#engine/governance/call-judge";
import { subjectOf } from "#engine/governance/governor";
import type { Limiter } from "#engine/governance/limiter";
import type { GuardDeps } from "#engine/guarded-call";
import type { Heartbeat } from "#engine/heartbeat";
import type { signedIn } from "#http/auth";
import type { Finished } from "#http/door";
import type { GuardAnswers } from "#http/guard-answers";
import { chatRoutes } from "#modules/chat/routes";
import { ChatRequestCheck } from "#modules/chat/schema";
import { type ChatLimits, ChatService } from "#modules/chat/service";
import { modelRoutes } from "#modules/models/routes";
import { ModelService } from "#modules/models/service";
import { scanRoutes } from "#modules/scan/routes";
import { ScanRequestCheck } from "#modules/scan/schema";
import { ScanService } from "#modules/scan/service";

export type RoadDeps = {
  readonly limits: ChatLimits & { readonly bodyBytes: number };
  /** Lifts the server's idle limit from one request. */
  readonly keepOpen: (request: Request) => void;
};

type Around = {
  readonly guard: GuardDeps;
  readonly directory: Directory;
  readonly dispatcher: Dispatcher;
  readonly heartbeat: Heartbeat;
  readonly limiter: Limiter;
  readonly calls: CallJudge;
  readonly conversations: Conversations;
  readonly callers: ReturnType<typeof signedIn>;
  readonly answers: GuardAnswers;
  readonly finished: Finished;
};

/** The road of a call to a model and back, with what agents ask beside it: which models there are, what the scanner says. */
export const assembleRoad = ({ limits, keepOpen }: RoadDeps, around: Around) => {
  const { guard, directory, dispatcher, callers: door, answers, finished } = around;
  const { governor, clock, ids, log } = guard;
  const { bodyBytes } = limits;
  const chat = new ChatService({ ...around, limits, check: checkOf(new ChatRequestCheck()) });
  const scan = new ScanService({ guard, directory, check: checkOf(new ScanRequestCheck()) });
  const models = new ModelService({ dispatcher, clock, log });
  return {
    chatRoutes: chatRoutes({ service: chat, door, finished, ids, bodyBytes, keepOpen }),
    modelRoutes: modelRoutes({
      service: models,
      door,
      mustRun: (caller) => governor.mustRun(subjectOf(caller)),
      mayUse: (caller, model) => {
        const { effective } = governor.rulesOf(caller);
        return holdingOf(effective, modelDenials(effective, model)) === null;
      },
    }),
    scanRoutes: scanRoutes({ service: scan, answers, door, bodyBytes }),
  };
};

const checkOf =
  <T>(check: { check(body: unknown): T }) =>
  (body: unknown): T =>
    check.check(body);
