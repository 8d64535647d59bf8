import type { ModelCourse } from "./model-course.ts";
import { markerOf, promptOf } from "./prose.ts";
import { type Spread, spread } from "./stats.ts";
import { figure } from "./table.ts";

/** Microseconds the hub's guard takes for a prompt of 400 bytes that it has not seen, by the hub's own word. */
export async function measurePromptScans(course: ModelCourse, calls: number): Promise<Spread> {
  await using hub = await course.startHub("full");
  const { url, token } = hub.endpoint("json");
  const address = new URL("/v1/guard/scan", url);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const micros: number[] = [];
  // As many again come first, and count for nothing: code is compiled meanwhile.
  for (let call = -calls; call < calls; call += 1) {
    const body = JSON.stringify({ text: promptOf(markerOf(calls + call)), origin: "user" });
    const answer: unknown = await (await fetch(address, { method: "POST", headers, body })).json();
    const took = typeof answer === "object" && answer !== null && "scan_ms" in answer ? answer.scan_ms : undefined;
    if (typeof took !== "number") throw new Error("the hub did not say how long the scan took");
    if (call >= 0) micros.push(took * 1_000);
  }
  return spread(micros);
}

export const promptScanText = ({ p50, p90, p99 }: Spread): string =>
  `scan of a new prompt of 400 bytes in the hub, µs: median ${figure(p50, 1)}, p90 ${figure(p90, 1)}, p99 ${figure(p99, 1)}\n`;
