import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { policyOf } from "#config/policy";
import { ORIGINS, type Origin } from "#core/scan/detector";
import { DETECTORS } from "#core/scan/detectors/index";
import { type Flag, flagOf, isSafe } from "#core/scan/flag";
import { compilePolicy } from "#core/scan/policy";
import { scanText } from "#core/scan/scan";
import { EXIT, Stop, usage } from "./exit";
import { type Output, table } from "./output";
import { reading } from "./session";
import { readStdin } from "./stdin";
import type { Invocation, Run } from "./verb";

const readText = async (file: string | undefined, out: Output): Promise<string> => {
  if (file === undefined || file === "-") return readStdin(out, "the text");
  if (!existsSync(file)) throw new Stop(EXIT.notFound, `There is no file ${file}`);
  return readFileSync(file, "utf8");
};

const isOrigin = (text: string): text is Origin => ORIGINS.some((origin) => origin === text);

/**
 * The revision a service would scan under with these settings: the stored one when it is the same policy, else
 * the one it would become. Without a data directory there is no history, so 1.
 */
const revisionOf = async (invocation: Invocation, source: string): Promise<number> => {
  const agent = invocation.args.text("agent");
  const hasData = existsSync(resolve(invocation.config().data_dir, "guardhouse.db"));
  if (!hasData && agent === undefined) return 1;
  return reading(invocation, async ({ store, access }) => {
    // Agents run under the hub's policy as long as they have no profile; one that does not exist is an error.
    if (agent !== undefined) await access.agent(agent, invocation.args.text("owner") ?? null);
    const latest = await store.policies.latest();
    return latest?.source === source ? latest.revision : (latest?.revision ?? 0) + 1;
  });
};

const picture = (flags: readonly Flag[], headline: string): string => {
  if (flags.length === 0) return headline;
  const rows = flags.map((flag) => [
    flag.action,
    flag.type,
    flag.score.toFixed(2),
    `${flag.start}–${flag.end}`,
    flag.preview,
    flag.detector,
  ]);
  return `${headline}\n\n${table(["ACTION", "TYPE", "SCORE", "AT", "PREVIEW", "DETECTOR"], rows)}`;
};

/** `scan`: what `POST /v1/guard/scan` would answer, without a service and without a record. */
export const scan: Run = async (invocation) => {
  const { args, out, config } = invocation;
  const origin = args.text("origin") ?? "user";
  if (!isOrigin(origin)) throw usage(`--origin: one of ${ORIGINS.join(", ")}`);
  const source = policyOf(config());
  const revision = await revisionOf(invocation, JSON.stringify(source));
  const policy = compilePolicy(source, revision, DETECTORS);
  const text = await readText(args.operand(0), out);
  const began = performance.now();
  const result = scanText(policy, text, origin);
  const scanMs = Math.round((performance.now() - began) * 1000) / 1000;
  const flags = result.findings.map((finding) => flagOf(text, finding));
  const safe = isSafe(result.findings);
  const blocked = flags.some(({ action }) => action === "block");
  if (result.unscanned) {
    await out.note(`warning: not scanned from character ${result.unscanned.from} on (${result.unscanned.reason})`);
  }
  const word = blocked ? "would be blocked" : safe ? "safe" : "would be redacted";
  await out.result(
    { safe, scan_ms: scanMs, flags, mode: policy.mode, policy_revision: policy.revision },
    picture(
      flags,
      `${word}: ${flags.length} ${flags.length === 1 ? "flag" : "flags"} in ${scanMs} ms (mode ${policy.mode})`,
    ),
  );
  return blocked ? EXIT.blocked : EXIT.ok;
};
