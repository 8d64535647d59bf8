import { atLeast, atMost, type Bar, row } from "./bar.ts";
import { growthBytes, type OpenStreams } from "./open-streams.ts";
import { type Api, inApi, titleOf } from "./shape.ts";
import type { Starts } from "./starting.ts";
import type { Row } from "./summary.ts";

/** Everything a run of the proxy bench measured; what was left out is undefined. */
export type Measured = {
  readonly rows: readonly Row[];
  readonly open?: OpenStreams | undefined;
  readonly idleBytes?: number | undefined;
  readonly starts?: Starts | undefined;
};

export const PROXY_BARS: readonly Bar<Measured>[] = [
  atLeast("requests/s ÷ bare relay, full durability, c=64", 0.6, row("json", 64, "hub-full", "toPass")),
  atLeast("requests/s ÷ bare relay, full durability, c=16", 0.4, row("json", 16, "hub-full", "toPass")),
  atLeast("requests/s ÷ bare relay, normal durability, c=64", 0.7, row("json", 64, "hub-normal", "toPass")),
  atMost("CPU µs per request, full durability, c=64", 100, 1, row("json", 64, "hub-full", "cpuMicros")),
  atMost("CPU of paced streams ÷ bare relay", 2.5, 2, row("paced", 64, "hub-full", "cpuToPass")),
  atMost("added time to first text, paced streams, ms", 1, 2, row("paced", 64, "hub-full", "addedFirstText")),
  atMost("open streams lost", 0, 0, ({ open }) => (open === undefined ? undefined : open.wanted - open.open)),
  atMost(
    "memory growth under open streams, MB",
    10,
    1,
    inMegabytes(({ open }) => open && growthBytes(open)),
  ),
  atMost(
    "memory when idle, MB",
    80,
    0,
    inMegabytes(({ idleBytes }) => idleBytes),
  ),
  atMost("start to first answer, ms", 250, 0, ({ starts }) => starts?.median),
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

function inMegabytes(bytes: Bar<Measured>["measure"]): Bar<Measured>["measure"] {
  return (measured) => {
    const value = bytes(measured);
    return value === undefined ? undefined : value / 2 ** 20;
  };
}
