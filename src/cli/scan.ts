import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { policyOf } from "#config/policy";
import type { ExceptionMatcher } from "#guard/enforcement/exception-matcher";
import type { Rules } from "#guard/enforcement/policy-resolver";
import { ORIGINS, type Origin } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy, type Mode } from "#scan/policy";
import { type Flag, flagOf, isSafe, scanText } from "#scan/scan";
import { CliExit, EXIT, usage } from "./exit";
import { readStdin } from "./input";
import type { CliOutput } from "./output";
import { baselineOf, policyResolverOf } from "./policy";
import { reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

const readText = async (file: string | undefined, invocation: Invocation): Promise<string> => {
  if (file === undefined || file === "-") return readStdin(invocation, "the text");
  if (!existsSync(file)) throw new CliExit(EXIT.notFound, `No file ${file}`);
  return readFileSync(file, "utf8");
};

const isOrigin = (text: string): text is Origin => ORIGINS.some((origin) => origin === text);

type Judging = Pick<Rules, "policy"> & { readonly mode: Mode; readonly exceptionMatcher?: ExceptionMatcher };

/**
 * The policy a service would scan under with these settings. Its revision is the stored one when it is the same policy,
 * else the one it would become; without a data directory there is no history, so 1. For an agent, its own rules.
 */
const rulesFor = async (invocation: Invocation): Promise<Judging> => {
  const agentName = invocation.args.text("agent");
  const hasData = existsSync(resolve(invocation.config().data_dir, "guardhouse.db"));
  if (!hasData && agentName === undefined) {
    const source = policyOf(invocation.config());
    return { policy: compilePolicy(source, 1, DETECTORS), mode: source.mode };
  }
  return reading(invocation, async (session) => {
    const { store, access } = session;
    const baseline = await baselineOf(invocation.config(), store.policies);
    if (agentName === undefined) return { policy: baseline, mode: baseline.mode };
    const agent = await access.agent(agentName, invocation.args.text("owner") ?? null);
    const policyResolver = await policyResolverOf(invocation, session, baseline);
    const { policy, effective, exceptionMatcher } = policyResolver.rulesOfAgent(agent.id);
    return { policy, exceptionMatcher, mode: effective.mode };
  });
};

const picture = (flags: readonly Flag[], headline: string, out: CliOutput): string => {
  if (flags.length === 0) return headline;
  const rows = flags.map((flag) => [
    flag.action,
    flag.type,
    flag.score.toFixed(2),
    `${flag.start}–${flag.end}`,
    flag.preview,
    flag.detector,
  ]);
  return `${headline}\n\n${out.table(["ACTION", "TYPE", "SCORE", "AT", "PREVIEW", "DETECTOR"], rows)}`;
};

/** `scan`: what `POST /v1/guard/scan` would answer, without a service and without a record. */
export const scan: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const origin = args.text("origin") ?? "user";
  if (!isOrigin(origin)) throw usage(`--origin: one of ${ORIGINS.join(", ")}`);
  const { policy, mode, exceptionMatcher } = await rulesFor(invocation);
  const text = await readText(args.operand(0), invocation);
  const began = performance.now();
  const result = scanText(policy, text, origin);
  const scanMs = Math.round((performance.now() - began) * 1000) / 1000;
  const findings = exceptionMatcher?.amend(policy, result.findings, { param: "text", origin }, text) ?? result.findings;
  const flags = findings.map((finding) => flagOf(text, finding));
  const safe = isSafe(findings, mode);
  const blocked = flags.some(({ action }) => action === "block");
  if (result.unscanned) {
    await out.note(`warning: not scanned from character ${result.unscanned.from} on (${result.unscanned.reason})`);
  }
  const word = blocked ? "would be blocked" : safe ? "safe" : "would be redacted";
  await out.result(
    { safe, scan_ms: scanMs, flags, mode, policy_revision: policy.revision },
    picture(
      flags,
      `${word}: ${flags.length} ${flags.length === 1 ? "finding" : "findings"} in ${scanMs} ms (mode ${mode})`,
      out,
    ),
  );
  return blocked ? EXIT.blocked : EXIT.ok;
};
