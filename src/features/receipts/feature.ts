import { type CallerRouteParts, callerRoutes, type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import type { Log } from "#platform/log";
import type { ReceiptStore } from "#store/receipt-port";
import type { WitnessPost } from "#upstream/outbound-port";
import { receiptApiRoutes } from "./endpoints";
import { receiptRoutes } from "./routes";
import { ReceiptService } from "./service";
import { type Witness, Witnessing } from "./witnessing";

/** How often witnesses are asked: a checkpoint is signed each minute at most, unless there is much to record. Milliseconds. */
const WITNESS_MS = 20_000;

export type ReceiptOptions = {
  readonly isPublished: boolean;
  readonly witnesses: readonly Witness[];
  readonly post: WitnessPost;
};

type WitnessingParts = {
  readonly receipts: ReceiptStore;
  readonly receiptOptions: ReceiptOptions;
  readonly log: Log;
};
type RouteParts = CallerRouteParts & PersonRouteParts & WitnessingParts & { readonly receiptService: ReceiptService };
type Running = { readonly witnessing: Witnessing; readonly receiptOptions: ReceiptOptions };

/** Proofs that records are in the log: what others check them by, and witnesses that sign beside it. */
export const receipts = feature({
  provides: {
    witnessing: ({ receipts, receiptOptions: { witnesses, post }, log }: WitnessingParts) =>
      new Witnessing({ receipts, witnesses, post, log }),
    receiptService: single(ReceiptService),
  },
  routes: (c: RouteParts) => [
    receiptApiRoutes({ ...personRoutes(c), service: c.receiptService }),
    receiptRoutes({ receipts: c.receipts, isPublished: c.receiptOptions.isPublished, auth: callerRoutes(c).auth }),
  ],
  jobs: ({ witnessing, receiptOptions: { witnesses } }: Running) =>
    witnesses.length === 0
      ? []
      : [
          {
            name: "witnesses",
            everyMs: WITNESS_MS,
            singleton: "directory" as const,
            atStart: true as const,
            run: () => witnessing.run(),
          },
        ],
});
