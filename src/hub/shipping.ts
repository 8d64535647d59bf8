import type { Clock } from "#platform/clock";
import { MAX_LAG_MS, type Shipping } from "#store/shipped-port";
import { feature } from "./feature";

/** How often records are shipped that have come since. Milliseconds. */
const SHIP_MS = 1_000;

type Parts = { readonly shipping: Shipping | null };

/** Brings what this hub records to the database that it shares with others. */
export const shipping = feature({
  provides: {
    /** Whether records reach the database soon enough: a hub that keeps them to itself for long is not ready. */
    isShipping: ({ shipping, now }: Parts & { readonly now: Clock }) =>
      shipping &&
      (() => {
        const { since } = shipping.lag();
        return since === null || now() - since < MAX_LAG_MS;
      }),
  },
  jobs: ({ shipping }: Parts) =>
    shipping === null ? [] : [{ name: "ship", everyMs: SHIP_MS, run: () => shipping.run() }],
});
