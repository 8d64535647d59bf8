import type { Metric } from "#core/metrics";
import { Shape, type Static, Type } from "#core/schema";

/* What the process that starts workers and a worker say to each other, over the channel the runtime gives them. */

/** How often a worker says that its thread comes round. Milliseconds. */
export const BEAT_MS = 1_000;

const Samples = Type.Array(
  Type.Object({ labels: Type.Optional(Type.Record(Type.String(), Type.String())), value: Type.Number() }),
);
const Told = { name: Type.String(), help: Type.String() };
/** `Metric` of `core/metrics`, as it comes from another process, whose version may be another. */
const Metrics = Type.Array(
  Type.Union([
    Type.Object({
      ...Told,
      type: Type.Union([Type.Literal("counter"), Type.Literal("gauge")]),
      over: Type.Optional(Type.Union([Type.Literal("sum"), Type.Literal("max"), Type.Literal("each")])),
      samples: Samples,
    }),
    Type.Object({
      ...Told,
      type: Type.Literal("histogram"),
      histogram: Type.Object({
        buckets: Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
        count: Type.Number(),
        sum: Type.Number(),
      }),
    }),
  ]),
);

const FromWorker = Type.Union([
  /** Its first word: it hears what it is told. */
  Type.Object({ kind: Type.Literal("hello") }),
  Type.Object({ kind: Type.Literal("beat") }),
  Type.Object({ kind: Type.Literal("ready"), url: Type.String(), revision: Type.Number(), interrupted: Type.Number() }),
  /** In answer to `ask`; 0 for those it leaves at its end. */
  Type.Object({ kind: Type.Literal("figures"), ask: Type.Number(), metrics: Metrics }),
]);
/** As it is checked; what is sent may be read-only. */
type Heard = Static<typeof FromWorker>;
export type FromWorker =
  | Exclude<Heard, { kind: "figures" }>
  | { readonly kind: "figures"; readonly ask: number; readonly metrics: readonly Metric[] };

const ToWorker = Type.Union([
  Type.Object({
    kind: Type.Literal("begin"),
    /** What all workers have in common. One whose configuration says otherwise does not start. */
    listen: Type.String(),
    dataDir: Type.String(),
    /** The port the first was given, where the configuration leaves it to the system; else null. */
    port: Type.Union([Type.Number(), Type.Null()]),
    setUp: Type.Object({ token: Type.String(), endsAt: Type.Number(), isShown: Type.Boolean() }),
  }),
  Type.Object({ kind: Type.Literal("figures"), ask: Type.Number() }),
  /** Every worker stops. */
  Type.Object({ kind: Type.Literal("stop") }),
  /** This one stops, others go on at the address. */
  Type.Object({ kind: Type.Literal("leave") }),
]);
export type ToWorker = Static<typeof ToWorker>;

const fromWorker = new Shape(FromWorker);
const toWorker = new Shape(ToWorker);

/** Null for what this version does not understand. */
export const saidByWorker = (value: unknown): FromWorker | null => (fromWorker.fits(value) ? value : null);
export const saidToWorker = (value: unknown): ToWorker | null => (toWorker.fits(value) ? value : null);
