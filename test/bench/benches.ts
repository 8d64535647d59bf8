/** Every bench by its name. Each is a file of its own. */
import { ALL_BENCH } from "./all.ts";
import { BARE_START_BENCH } from "./bare-start.ts";
import { BEARER_BENCH } from "./bearer.ts";
import { DASHBOARD_BENCH } from "./dashboard.ts";
import { FAIRNESS_BENCH } from "./fairness.ts";
import { HOOKS_BENCH } from "./hooks.ts";
import { LISTS_BENCH } from "./lists.ts";
import { LONG_TEXT_BENCH } from "./long-texts.ts";
import { type Flags, type Options, readOptions, usageOf } from "./options.ts";
import { benchParts, PARTS_FLAGS } from "./parts.ts";
import { PEERS_BENCH } from "./peers.ts";
import { benchProxy, PROXY_FLAGS } from "./proxy.ts";
import { RETENTION_BENCH } from "./retention.ts";
import { benchScale, SCALE_FLAGS } from "./scale.ts";
import { SCAN_BENCH } from "./scan.ts";
import { SCREENS_BENCH } from "./screens.ts";
import { SIGN_IN_BENCH } from "./sign-in.ts";
import { benchTools, TOOL_FLAGS } from "./tools.ts";
import { VERSUS_BENCH } from "./versus.ts";

type Bench = { readonly usage: string; run(args: readonly string[]): () => Promise<void> };

/** `run` reads the flags and gives what is to be done: what it throws is a mistake in the flags. */
const bench = <Section extends string>(
  flags: Flags<Section>,
  work: (options: Options<Section>) => Promise<void>,
): Bench => ({
  usage: usageOf(flags),
  run(args) {
    const options = readOptions(flags, args);
    return () => work(options);
  },
});

export const BENCHES: Readonly<Record<string, Bench>> = {
  proxy: bench(PROXY_FLAGS, benchProxy),
  tools: bench(TOOL_FLAGS, benchTools),
  scan: SCAN_BENCH,
  "long-texts": LONG_TEXT_BENCH,
  "bare-start": BARE_START_BENCH,
  bearer: BEARER_BENCH,
  hooks: HOOKS_BENCH,
  dashboard: DASHBOARD_BENCH,
  screens: SCREENS_BENCH,
  lists: LISTS_BENCH,
  "sign-in": SIGN_IN_BENCH,
  retention: RETENTION_BENCH,
  fairness: FAIRNESS_BENCH,
  parts: bench(PARTS_FLAGS, benchParts),
  scale: bench(SCALE_FLAGS, benchScale),
  peers: PEERS_BENCH,
  versus: VERSUS_BENCH,
  all: ALL_BENCH,
};
