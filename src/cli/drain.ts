import type { App } from "#app";
import { GuardError } from "#core/errors";
import { errorResponse } from "#http/errors";
import { CONNECT_AGAIN_MS, refuseNewConnections } from "#platform/leaving-listener";
import { causeOf, type Log } from "#platform/log";

/** How long calls that were cut off may take to say so to their clients and to the record. */
const CUT_OFF_MS = 2_000;
/** A client that is refused needs no longer to send its request. In seconds. */
const REFUSED_IDLE_S = 5;

/** Who is turned away at the beginning of it finds the listener closed when it asks again. */
const LEAVING_MS = 0.7 * CONNECT_AGAIN_MS;

type Listener = { readonly port?: number | undefined; stop(force?: boolean): Promise<void> };
type Draining = {
  /** Resolves when what is still under way is cut off. */
  readonly graceOver: Promise<unknown>;
  readonly hostname: string;
  /** Other processes listen at the address. */
  readonly isShared: boolean;
  /** They go on: nobody is told that the hub is stopping. */
  readonly isLeaving: boolean;
  readonly log: Log;
};

/**
 * Calls under way may finish; what takes longer than the grace is cut off, and recorded so before this returns. New
 * connections are told that the hub is stopping, until what is returned is disposed of.
 */
export const drain = async (
  listener: Listener,
  { openCalls }: Pick<App["parts"], "openCalls">,
  { graceOver, hostname, isShared, isLeaving, log }: Draining,
): Promise<AsyncDisposable> => {
  const { port } = listener;
  const finished = listener.stop();
  const refusing = isLeaving ? NOTHING : refuse(hostname, port, isShared, log);
  if (await isBefore(finished, graceOver)) return refusing;
  log.warn("stopping.cut_off", { calls: openCalls.size });
  openCalls.cutOff();
  if (await isBefore(finished, inMs(CUT_OFF_MS))) return refusing;
  await listener.stop(true);
  // Clients that took no answer are gone now; their calls still write how they ended.
  for (let waited = 0; openCalls.size > 0 && waited < CUT_OFF_MS; waited += 10) await Bun.sleep(10);
  return refusing;
};

/**
 * Moves callers to the other processes at the address: new connections go there, and those that are open are closed with
 * their next answer, which `onLeaving` sees to. What comes later than it takes to connect again is closed without one.
 */
export const leaveAddress = async (port: number | undefined, onLeaving: () => void, log: Log): Promise<void> => {
  const isQuiet = port !== undefined && refuseNewConnections(port);
  if (!isQuiet) log.warn("leaving.not_quiet");
  onLeaving();
  await Bun.sleep(LEAVING_MS);
};

/** Answers every request 503 at an address that was given up. Where it cannot be had again, connections are refused. */
const refuse = (hostname: string, port: number | undefined, reusePort: boolean, log: Log): AsyncDisposable => {
  if (port === undefined) return NOTHING;
  try {
    const server = Bun.serve({ hostname, port, reusePort, idleTimeout: REFUSED_IDLE_S, fetch: isStopping });
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

/** Whether it was done before the other. */
const isBefore = (done: Promise<unknown>, over: Promise<unknown>): Promise<boolean> =>
  Promise.race([done.then(() => true), over.then(() => false)]);

/** Resolves then, and keeps no process alive for it. */
export const inMs = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
