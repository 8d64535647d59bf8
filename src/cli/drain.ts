import type { App } from "#app";
import { GuardError } from "#core/errors";
import { errorResponse } from "#http/errors";
import { causeOf, type Log } from "#platform/log";

/** How long calls that were cut off may take to say so to their clients and to the record. */
const CUT_OFF_MS = 2_000;
/** A client that is refused needs no longer to send its request. In seconds. */
const REFUSED_IDLE_S = 5;

type Listener = { readonly port?: number | undefined; stop(force?: boolean): Promise<void> };
type Draining = {
  readonly graceMs: number;
  readonly hostname: string;
  /** Other processes answer at the address. */
  readonly isShared: boolean;
  readonly log: Log;
};

/**
 * Calls under way may finish; what takes longer than the grace is cut off, and recorded so before this returns. New
 * connections are told that the hub is stopping, until what is returned is disposed of.
 */
export const drain = async (
  listener: Listener,
  { openCalls }: Pick<App["parts"], "openCalls">,
  { graceMs, hostname, isShared, log }: Draining,
): Promise<AsyncDisposable> => {
  const { port } = listener;
  const finished = listener.stop();
  const refusing = isShared ? NOTHING : refuse(hostname, port, log);
  if (await within(finished, graceMs)) return refusing;
  log.warn("stopping.cut_off", { grace_ms: graceMs, calls: openCalls.size });
  openCalls.cutOff();
  if (await within(finished, CUT_OFF_MS)) return refusing;
  await listener.stop(true);
  // Clients that took no answer are gone now; their calls still write how they ended.
  for (let waited = 0; openCalls.size > 0 && waited < CUT_OFF_MS; waited += 10) await Bun.sleep(10);
  return refusing;
};

/** Answers every request 503 at an address that was given up. Where it cannot be had again, connections are refused. */
const refuse = (hostname: string, port: number | undefined, log: Log): AsyncDisposable => {
  if (port === undefined) return NOTHING;
  try {
    const server = Bun.serve({ hostname, port, idleTimeout: REFUSED_IDLE_S, fetch: isStopping });
    return { [Symbol.asyncDispose]: () => server.stop(true) };
  } catch (error) {
    log.warn("stopping.not_told", causeOf(error));
    return NOTHING;
  }
};

const isStopping = (): Response =>
  errorResponse(
    new GuardError("shutting_down", "The hub is stopping. Send the call again in a moment.", {
      headers: { "retry-after": "1", connection: "close" },
    }),
  );

const NOTHING: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.resolve() };

/** Whether it was done within so many milliseconds. */
const within = (done: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([done.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref())]);
