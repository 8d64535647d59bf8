import { causeOf, type Log } from "#platform/log";
import type { NodeStore } from "#store/node-port";

const RENEW_MS = 2_000;
/**
 * What a start compiles and warms up holds the thread, on a busy machine for many seconds. Nothing is served before, so
 * nothing of it waits to be taken over; who starts it again takes its place at once. Milliseconds.
 */
export const START_MS = 60_000;

/** Keeps this process live among the others while it starts, which may take longer than a lease: until it is ended. */
export const keepLease = (nodes: NodeStore, log: Log): Disposable => {
  let isRenewing = false;
  const renew = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    try {
      // A process that has lost its lease hears so at its first renewal as a hub.
      await nodes.here.renew(START_MS);
      if (nodes.here !== nodes) await nodes.renew(START_MS);
    } catch (error) {
      log.warn("node.not_renewed", causeOf(error));
    } finally {
      isRenewing = false;
    }
  };
  const timer = setInterval(() => void renew(), RENEW_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
};
