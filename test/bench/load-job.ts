import type { Shape } from "./shape.ts";
import type { Spread } from "./stats.ts";

export type Endpoint = {
  /** Where requests are posted to. */
  readonly url: string;
  /** Sent as bearer when there is one. */
  readonly token: string;
  /** Sent besides. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** How long a closed loop goes on: so many seconds, or until so many answers are there. */
export type Until = { readonly seconds: number } | { readonly calls: number };

/** What the load process is asked to do. */
export type LoadJob =
  | {
      readonly kind: "closed-loop";
      readonly endpoint: Endpoint;
      readonly shape: Shape;
      /** Connections; each sends its next request when the answer to the last is complete. */
      readonly concurrency: number;
      /** The first requests are spread over so long, so that connections do not run in step. */
      readonly spreadMs: number;
      readonly until: Until;
    }
  | { readonly kind: "open"; readonly endpoint: Endpoint; readonly streams: number; readonly withinSeconds: number }
  | { readonly kind: "close" };

/** What a closed loop measured; times in milliseconds. */
export type LoopResult = {
  readonly kind: "closed-loop";
  readonly requests: number;
  /** What went wrong, and how often. */
  readonly errors: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** From sending the request to the last byte of the answer. */
  readonly whole: Spread;
  /** To the first byte of the body, and to the first text in it; streams only. */
  readonly firstByte: Spread;
  readonly firstText: Spread;
  /** The load process's own CPU time. */
  readonly cpuMicros: number;
};

/** How many streams were open and running when they were counted. */
export type OpenResult = {
  readonly kind: "open";
  readonly open: number;
  readonly errors: Readonly<Record<string, number>>;
};

export type LoadResult = LoopResult | OpenResult;
