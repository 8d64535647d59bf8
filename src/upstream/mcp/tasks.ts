import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import type { RpcMethod } from "#model/tools/mcp";
import type { CancelSignal } from "#platform/cancellation";
import { ToolFailure, type UpstreamToolAnswer } from "#upstream/tool-port";

/*
 * Tools that run as a task alone (2025-11-25, tasks), followed to their end for callers that know no tasks.
 */

/** How long the server keeps a result that nobody fetched, milliseconds: it is fetched as soon as it is there. */
const KEPT_MS = 600_000;
const POLL_MS = 1_000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 10_000;
/** The longest delay timers take. A result that waits for a person is bounded by the call itself. */
const FOREVER_MS = 2 ** 31 - 1;

type Ask = (method: RpcMethod, params: JsonRecord, silenceMs: number | null) => Promise<UpstreamToolAnswer>;

/** Whether a server says that it runs calls of tools as tasks. */
export const runsTasks = (capabilities: JsonRecord): boolean => {
  const at = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
  return at(at(at(capabilities["tasks"], "requests"), "tools"), "call") !== undefined;
};

/** `params` of the call. Throws `ToolFailure`. */
export const runAsTask = async (
  slug: string,
  params: JsonRecord,
  signal: CancelSignal,
  ask: Ask,
): Promise<UpstreamToolAnswer> => {
  const begun = await ask("tools/call", { ...params, task: { ttl: KEPT_MS } }, null);
  // It ran at once, or not at all.
  if (begun.kind === "error" || !isRecord(begun.result["task"])) return begun;
  let task: JsonRecord = begun.result["task"];
  const { taskId } = task;
  if (typeof taskId !== "string") throw new ToolFailure("garbage", `${slug} began a task without an id.`, true);
  try {
    // What it waits for comes with its result.
    while (task["status"] === "working") {
      await pause(pollOf(task), signal);
      const now = await ask("tasks/get", { taskId }, null);
      if (now.kind === "error") return now;
      task = now.result;
    }
    return await ask("tasks/result", { taskId }, FOREVER_MS);
  } catch (error) {
    // Best effort: a server that does not hear of it lets the task run out.
    if (signal.aborted) ask("tasks/cancel", { taskId }, null).catch(() => undefined);
    throw error;
  }
};

const pollOf = ({ pollInterval }: JsonRecord): number =>
  Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, numberOf(pollInterval) ?? POLL_MS));

const pause = (ms: number, signal: CancelSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(new ToolFailure("cancelled", "The call was cancelled.", true));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
  });
