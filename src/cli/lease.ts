import { causeOf, type Log } from "#platform/log";
import type { NodeStore } from "#store/node-port";

/** Often: a database that is busy refuses some. Milliseconds. */
const RENEW_MS = 500;

/** Keeps this process live among the others while it starts, which may take longer than a lease: until it is ended. */
export const keepLease = (nodes: NodeStore, log: Log): Disposable => {
  let isRenewing = false;
  const renew = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    try {
      // Whoever has lost it hears so at its first beat.
      await nodes.here.renew();
      if (nodes.here !== nodes) await nodes.renew();
    } catch (error) {
      log.warn("node.not_renewed", causeOf(error));
    } finally {
      isRenewing = false;
    }
  };
  const timer = setInterval(() => void renew(), RENEW_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
};
