import { type CallerRouteParts, callerRoutes, type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import type { Log } from "#platform/log";
import type { ProofStore } from "#store/proof-port";
import type { WitnessPost } from "#upstream/outbound-port";
import { proofApiRoutes } from "./endpoints";
import { proofRoutes } from "./routes";
import { ProofService } from "./service";
import { type Witness, Witnessing } from "./witnessing";

/** How often witnesses are asked: a checkpoint is signed each minute at most, unless there is much to record. Milliseconds. */
const WITNESS_MS = 20_000;

export type ProofOptions = {
  readonly isPublished: boolean;
  readonly witnesses: readonly Witness[];
  readonly post: WitnessPost;
};

type WitnessingParts = {
  readonly proofs: ProofStore;
  readonly proofOptions: ProofOptions;
  readonly log: Log;
};
type RouteParts = CallerRouteParts & PersonRouteParts & WitnessingParts & { readonly proofService: ProofService };
type Running = { readonly witnessing: Witnessing; readonly proofOptions: ProofOptions };

/** Proofs that records are in the log: what others check them by, and witnesses that sign beside it. */
export const proofs = feature({
  provides: {
    witnessing: ({ proofs, proofOptions: { witnesses, post }, log }: WitnessingParts) =>
      new Witnessing({ proofs, witnesses, post, log }),
    proofService: single(ProofService),
  },
  routes: (c: RouteParts) => [
    proofApiRoutes({ ...personRoutes(c), service: c.proofService }),
    proofRoutes({ proofs: c.proofs, isPublished: c.proofOptions.isPublished, auth: callerRoutes(c).auth }),
  ],
  jobs: ({ witnessing, proofOptions: { witnesses } }: Running) =>
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
