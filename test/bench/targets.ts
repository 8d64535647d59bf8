import { atLeast, atMost, type Bar, row } from "./bar.ts";
import { growthBytes, type OpenStreams } from "./open-streams.ts";
import { type Api, inApi, titleOf } from "./shape.ts";
import type { Starts } from "./starting.ts";
import type { Spread } from "./stats.ts";
import type { Row } from "./summary.ts";

/** Everything a run of the proxy bench measured; what was left out is undefined. */
export type Measured = {
  readonly rows: readonly Row[];
  /** Microseconds of the guard for a new prompt. */
  readonly prompts?: Spread | undefined;
  readonly open?: OpenStreams | undefined;
  readonly idleBytes?: number | undefined;
  readonly starts?: Starts | undefined;
};

export const PROXY_BARS: readonly Bar<Measured>[] = [
  atMost("CPU ÷ bare relay, whole answers, c=64", 3.2, 2, row("json", 64, "hub-full", "cpuToPass")),
  atMost("CPU ÷ bare relay, whole answers, c=16", 3.4, 2, row("json", 16, "hub-full", "cpuToPass")),
  atMost("CPU ÷ bare relay, whole answers, c=1", 4, 2, row("json", 1, "hub-full", "cpuToPass")),
  atLeast("requests/s ÷ bare relay, whole answers, c=64", 0.42, row("json", 64, "hub-full", "toPass")),
  atLeast("requests/s ÷ bare relay, whole answers, c=16", 0.38, row("json", 16, "hub-full", "toPass")),
  atMost("added p50, whole answers, c=1, ms", 0.4, 2, row("json", 1, "hub-full", "addedP50")),
  atMost("CPU ÷ bare relay, streams at once, c=64", 6, 2, row("stream", 64, "hub-full", "cpuToPass")),
  atMost("CPU ÷ bare relay, streams at once, c=1", 7, 2, row("stream", 1, "hub-full", "cpuToPass")),
  atMost("CPU ÷ bare relay, paced streams, c=16", 2.2, 2, row("paced", 16, "hub-full", "cpuToPass")),
  atMost("added time to first text, paced streams, c=16, ms", 0.8, 2, row("paced", 16, "hub-full", "addedFirstText")),
  atMost("scan of a new prompt of 400 bytes, µs, median", 15, 1, ({ prompts }) => prompts?.p50),
  atMost("open streams lost", 0, 0, ({ open }) => (open === undefined ? undefined : open.wanted - open.open)),
  atMost(
    "memory growth under open streams, MB",
    10,
    1,
    inMegabytes(({ open }) => open && growthBytes(open)),
  ),
  atMost(
    "memory when idle, MB",
    70,
    0,
    inMegabytes(({ idleBytes }) => idleBytes),
  ),
  atMost("memory under load, c=64, MB", 140, 0, inMegabytes(underLoad)),
  atMost("start to first answer, ms", 130, 0, ({ starts }) => starts?.median),
  ...comparedWithChat("responses"),
  ...comparedWithChat("messages"),
];

/** CPU ÷ bare relay of another API, divided by chat's: the same texts, with the same callers. */
function comparedWithChat(api: Exclude<Api, "chat">): readonly Bar<Measured>[] {
  return (["json", "stream"] as const).map((kind) =>
    atMost(`CPU of ${titleOf(inApi(kind, api))} ÷ chat's, c=64`, 1.15, 2, ({ rows }) => {
      const [one, chat] = [inApi(kind, api), kind].map((shape) => row(shape, 64, "hub-full", "cpuToPass")({ rows }));
      return one === undefined || chat === undefined ? undefined : one / chat;
    }),
  );
}

/** The most that a hub held in the rows of 64 callers. */
function underLoad({ rows }: Measured): number | undefined {
  const held = rows
    .filter(({ concurrency, target }) => concurrency === 64 && target === "hub-full")
    .map(({ residentBytes }) => residentBytes);
  return held.length === 0 ? undefined : Math.max(...held);
}

function inMegabytes(bytes: Bar<Measured>["measure"]): Bar<Measured>["measure"] {
  return (measured) => {
    const value = bytes(measured);
    return value === undefined ? undefined : value / 2 ** 20;
  };
}
