import { CLIENT_VARIABLES } from "#config/sources";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { Harness } from "#features/verdicts/harnesses/harness";
import { HARNESSES } from "#features/verdicts/harnesses/harnesses";
import { EXIT, usage } from "./exit";
import { HookClient } from "./hook-client";
import { readStdin } from "./input";
import type { RunVerb } from "./verb";

/** `hook`: asks the hub about what a coding agent gives its hooks on stdin, and prints what the agent expects of them. */
export const hook: RunVerb = async (invocation) => {
  const { args, out, environment } = invocation;
  const harness = harnessOf(args.need("harness"));
  const fail = args.text("fail") ?? "closed";
  if (fail !== "closed" && fail !== "open") throw usage("--fail: open or closed");
  const url = args.text("url") ?? environment[CLIENT_VARIABLES.url] ?? "";
  const token = environment[CLIENT_VARIABLES.token] ?? "";
  if (url === "" || token === "") throw usage("Set GUARDHOUSE_URL and GUARDHOUSE_TOKEN, an agent's gateway token");
  const given = await readStdin(invocation, "what the hook is given");
  const client = new HookClient({ url: url.replace(/\/+$/, ""), token, environment });
  const asked = await client.ask(harness, given);
  if ("answer" in asked) {
    await out.write(`${asked.answer}\n`);
    const problem = await client.keepUp(asked.rules);
    if (problem !== null) await out.note(`guardhouse: ${problem}`);
    return EXIT.ok;
  }
  const decided = asked.isUnreachable ? await client.decide(harness, given) : null;
  await out.note(`guardhouse: ${asked.problem}${decided ? "; decided by the rules fetched last" : ""}`);
  await out.write(`${JSON.stringify(decided ?? withoutHub(harness, given, fail, asked.problem))}\n`);
  return EXIT.ok;
};

const harnessOf = (name: string): Harness => {
  const found = HARNESSES.find(({ system }) => system === name);
  if (!found) throw usage(`--harness: one of ${HARNESSES.map(({ system }) => system).join(", ")}`);
  return found;
};

/** What the harness is answered without the hub. */
const withoutHub = (harness: Harness, given: string, fail: "open" | "closed", problem: string): JsonRecord => {
  const reason = `Guardhouse gave no verdict: ${problem}. Try again, or ask its operator.`;
  const place = { url: "", eventId: null, isHeld: false };
  const decision = fail === "open" ? "allow" : "deny";
  return harness.answerOf({ decision, reason, ...place }, harness.eventOf(recordIn(given)));
};

const recordIn = (text: string): JsonRecord => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch (cause) {
    if (cause instanceof SyntaxError) return {};
    throw cause;
  }
};
