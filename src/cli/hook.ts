import { CLIENT_VARIABLES } from "#config/sources";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { Harness } from "#features/verdicts/harnesses/harness";
import { HARNESSES } from "#features/verdicts/harnesses/harnesses";
import { EXIT, usage } from "./exit";
import { readStdin } from "./input";
import type { RunVerb } from "./verb";

/** How long the hub may take, in milliseconds. Harnesses give their hooks 10 s at least. */
const LIMIT_MS = 8_000;
/** Longest answer of a hub that is read, in characters. */
const MAX_ANSWER = 33_554_432;

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
  const asked = await ask({ url, token, harness, given });
  if ("answer" in asked) {
    await out.write(`${asked.answer}\n`);
    return EXIT.ok;
  }
  await out.note(`guardhouse: ${asked.problem}`);
  await out.write(`${JSON.stringify(withoutHub(harness, given, fail, asked.problem))}\n`);
  return EXIT.ok;
};

const harnessOf = (name: string): Harness => {
  const found = HARNESSES.find(({ system }) => system === name);
  if (!found) throw usage(`--harness: one of ${HARNESSES.map(({ system }) => system).join(", ")}`);
  return found;
};

type Question = {
  readonly url: string;
  readonly token: string;
  readonly harness: Harness;
  readonly given: string;
};

/** The hub's answer, or why there is none: nothing of what the hook was given. */
const ask = async ({
  url,
  token,
  harness,
  given,
}: Question): Promise<{ readonly answer: string } | { readonly problem: string }> => {
  const address = `${url.replace(/\/+$/, "")}/v1/guard/hooks/harness/${harness.system}`;
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: given,
      redirect: "error",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await response.text();
    // A page of a proxy is no verdict, and harnesses take what is no JSON for none.
    const isAnswer = text.length <= MAX_ANSWER && isRecord(parsed(text));
    if (response.status === 200 && isAnswer) return { answer: text };
    if (response.status === 200) return { problem: "what answered at the hub's address is no hub" };
    return { problem: `the hub answered ${response.status}${codeIn(text)}` };
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === "TimeoutError";
    return { problem: isLate ? `the hub did not answer within ${LIMIT_MS / 1_000} s` : "the hub cannot be reached" };
  }
};

/** The code of the hub's error, in brackets. */
const codeIn = (text: string): string => {
  const { error } = recordIn(text);
  const code = isRecord(error) ? error["code"] : null;
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : "";
};

const recordIn = (text: string): JsonRecord => {
  const value = parsed(text);
  return isRecord(value) ? value : {};
};

/** JSON; null for what is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
};

/** What the harness is answered without the hub. */
const withoutHub = (harness: Harness, given: string, fail: "open" | "closed", problem: string): JsonRecord => {
  const reason = `Guardhouse gave no verdict: ${problem}. Try again, or ask its operator.`;
  const place = { url: "", eventId: null, isHeld: false };
  const decision = fail === "open" ? "allow" : "deny";
  return harness.answerOf({ decision, reason, ...place }, harness.eventOf(recordIn(given)));
};
