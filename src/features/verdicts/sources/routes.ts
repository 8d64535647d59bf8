import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { VerdictAdapter } from "#features/verdicts/frame";
import type { VerdictJudge, VerdictTerms } from "#features/verdicts/judge";
import type { tokenAuth } from "#http/auth/token";
import type { FinalResponses } from "#http/entry";
import { errorResponse } from "#http/errors";
import type { Detail } from "#http/openapi/route-doc";
import type { SourceKind } from "#model/verdict";
import type { Ids } from "#platform/ids";
import { slices } from "#platform/slices";
import type { Admission, Admitted } from "./admission";
import { type FrameActor, NOBODY, type SourceCaller, type SourceCallers } from "./callers";
import type { FrameRefusals } from "./refusals";
import type { Given, Repeats } from "./repeats";

/** Where sources of a kind ask. */
export type SourceEndpoint = {
  readonly path: string;
  readonly kind: SourceKind;
  readonly adapter: VerdictAdapter;
  readonly admit: Admission;
  readonly actorOf: (body: JsonRecord) => FrameActor;
  /** What is sent is not looked at: the request itself is the question. */
  readonly isBodiless?: true;
  /** How an error is worded, where the system has a form of its own. */
  readonly errorOf?: (error: GuardError) => JsonRecord;
  /** Why it needs no session and no gateway token. */
  readonly open: string;
  readonly detail: Detail;
};

export type SourceRoutesNeeds = {
  readonly endpoints: readonly SourceEndpoint[];
  readonly judge: VerdictJudge;
  readonly callers: SourceCallers;
  readonly repeats: Repeats;
  readonly refusals: FrameRefusals;
  readonly auth: ReturnType<typeof tokenAuth>;
  readonly finalResponses: FinalResponses;
  readonly ids: Ids;
};

/** Endpoints for systems that ask for many people, each by a secret of its own. */
export const sourceRoutes = (needs: SourceRoutesNeeds) => {
  const app = new Elysia({ name: "verdict sources" }).use(needs.auth);
  for (const endpoint of needs.endpoints) {
    const { path, open, detail } = endpoint;
    app.post(path, ({ request }) => answered(needs, endpoint, request), { open, parse: "none", detail: { ...detail } });
  }
  return app;
};

const answered = async (needs: SourceRoutesNeeds, endpoint: SourceEndpoint, request: Request): Promise<Response> => {
  const id = needs.ids();
  const begun = performance.now();
  try {
    const admitted = await admittedOf(needs, endpoint, request);
    if (admitted === null) throw unknownSource();
    const limit = new TimeLimit(admitted.source.settings.budget_ms - (performance.now() - begun));
    try {
      const frame = await frameOf(needs, endpoint, admitted, limit);
      const given = await needs.repeats.once(admitted.message, () =>
        judged(needs, endpoint, { ...frame, id, request, limit }),
      );
      return needs.finalResponses.add(new Response(given.text, { headers: { ...HEADERS, "x-request-id": given.id } }));
    } finally {
      limit.clear();
    }
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    const shape = endpoint.errorOf && { body: endpoint.errorOf(error), headers: {} };
    return errorResponse(error, id, shape);
  }
};

/** How long the source waits, from the moment its frame began to come. */
class TimeLimit {
  private readonly control = new AbortController();
  private readonly timer;

  constructor(ms: number) {
    this.timer = setTimeout(() => this.control.abort(late()), Math.max(0, ms));
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
  }
}

const late = (): GuardError =>
  new GuardError("guard_unavailable", "The guard could not look at all of it in time. Try again with less.");

/** Null for nobody's frame, and for one of a source without a user, whose call it could not be. */
const admittedOf = async (
  { refusals, callers }: SourceRoutesNeeds,
  { admit, kind }: SourceEndpoint,
  request: Request,
): Promise<Admitted | null> => {
  const network = refusals.networkOf(request);
  let admitted: Admitted | null;
  try {
    admitted = await admit(request, kind, network);
  } catch (error) {
    refusals.count(network);
    throw error;
  }
  if (admitted !== null && callers.userOf(admitted.source) !== null) return admitted;
  refusals.note(network);
  return null;
};

const HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** One answer for all that is wrong with a signature or a secret, so that nobody learns which sources there are. */
const unknownSource = (): GuardError =>
  new GuardError(
    "invalid_api_key",
    "This is signed by no source of the hub, or not now. Where a kind has several sources, ?source=NAME in the URL says which. Sources and their secrets are in the dashboard under Settings, Integrations.",
  );

/** `body`: what is wrong with it is thrown in the call, which is recorded. */
type Frame = SourceCaller & Pick<Admitted, "source"> & { readonly body: JsonRecord | GuardError };

/** The frame with whose call it is. */
const frameOf = async (
  { callers }: SourceRoutesNeeds,
  { actorOf, isBodiless }: SourceEndpoint,
  { source, body }: Admitted,
  { signal }: TimeLimit,
): Promise<Frame> => {
  const pause = () => {
    signal.throwIfAborted();
    return slices.turn();
  };
  const read = isBodiless ? {} : await parsed(() => body(pause));
  const caller = callers.callerOf(source, read instanceof GuardError ? NOBODY : actorOf(read));
  if (caller === null) throw unknownSource();
  return { ...caller, source, body: read };
};

const parsed = async (body: () => unknown | Promise<unknown>): Promise<JsonRecord | GuardError> => {
  try {
    const value = await body();
    return isRecord(value) ? value : new GuardError("invalid_value", "The body must be a JSON object.");
  } catch (error) {
    if (error instanceof GuardError) return error;
    throw error;
  }
};

type Asked = Frame & { readonly id: string; readonly request: Request; readonly limit: TimeLimit };

const judged = async ({ judge }: SourceRoutesNeeds, { adapter }: SourceEndpoint, asked: Asked): Promise<Given> => {
  const { caller, refusal, source, id, request, limit } = asked;
  let isKept = true;
  const onUnscanned = () => {
    isKept = false;
  };
  const terms: VerdictTerms = { refusal, deadline: limit.signal, redact: source.settings.redact, onUnscanned };
  const header = (name: string) => request.headers.get(name);
  const body = (): JsonRecord => {
    if (asked.body instanceof GuardError) throw asked.body;
    return asked.body;
  };
  const answer = await judge.judge(caller, adapter, { id, body, header, signal: request.signal, terms });
  return { id, text: JSON.stringify(answer), isKept };
};
