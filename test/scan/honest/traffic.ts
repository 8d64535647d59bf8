import type { Origin } from "#scan/detector";
import { ALNUM, LOWER, type Random } from "#test/eval/random";
import { FIELD_NAMES } from "./field-names";
import { NOTES } from "./notes";
import { chatTool, HONEST_TOOLS } from "./tools";
import { CODING_PROMPTS, MAILS, QUESTIONS } from "./words";

/** A text as honest agents, tools and people send it. */
export type HonestText = { readonly kind: string; readonly origin: Origin; readonly text: string };

type Kind = { readonly kind: string; readonly origins: readonly Origin[]; make(random: Random): string };

const lines = (random: Random, least: number, most: number, line: () => string): string =>
  Array.from({ length: random.between(least, most) }, line).join("\n");

const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((width) => random.hex(width)).join("-");
const word = (random: Random): string =>
  random.pick(
    "alpha bravo core data edge flow grid hub index job kit link main node ops page queue rest sync task".split(" "),
  );
const name = (random: Random): string => `${word(random)}-${word(random)}`;
const id = (random: Random): string => String(random.between(1, 9)) + random.digits(random.between(5, 18));
const version = (random: Random): string => [20, 40, 60].map((most) => random.between(0, most)).join(".");
const time = (random: Random): string =>
  `2026-${[12, 28].map((most) => String(random.between(1, most)).padStart(2, "0")).join("-")}T${[23, 59, 59].map((most) => String(random.between(0, most)).padStart(2, "0")).join(":")}.${random.digits(3)}Z`;

const LOG_LINES: readonly ((random: Random) => string)[] = [
  (r) => `${time(r)} CI build ${r.digits(7)} passed in ${r.between(1, 900)}s`,
  (r) => `[${time(r)}] INFO worker-${r.between(1, 40)} job ${id(r)} took ${r.digits(4)} ms, rss ${r.digits(9)} bytes`,
  (r) => `Run actions/checkout@${r.hex(40)}`,
  (r) => `##[group]setup-ci_2025${r.digits(4)} attempt ${r.between(1, 4)}`,
  (r) => `Cache restored from key: Linux-bun-${r.hex(64)}`,
  (r) => `remote: Resolving deltas: 100% (${r.digits(4)}/${r.digits(4)}), completed with ${r.digits(3)} local objects.`,
  (r) => `   ${r.hex(7)}..${r.hex(7)}  main -> main`,
  (r) => `sha256:${r.hex(64)} pulled, ${r.digits(8)} bytes`,
  (r) => `run_id=${r.digits(r.between(9, 11))} ci #${r.digits(7)} rc ${r.digits(8)} cc ${r.digits(10)}`,
  (r) => `HTTP 200 GET /v2/${name(r)}/blobs/${id(r)}?expires=17${r.digits(8)} ${r.between(1, 900)}ms`,
  (r) => `WARN block blk_${r.digits(19)}_${r.digits(4)} replicated to 10.${r.between(0, 255)}.${r.between(0, 255)}.7`,
  (r) => `ERROR ${name(r)}: timeout after ${r.digits(5)} ms (trace ${r.hex(32)}, span ${r.hex(16)})`,
  (r) => `${r.between(10, 900)} pass, 0 fail, ${r.digits(4)} expect() calls [${r.digits(3)}.00ms]`,
  (r) => `nit: rename ${word(r)}_${word(r)} (line ${r.digits(4)}), see #${r.digits(5)}`,
  (r) => `Deployed ${name(r)} ${version(r)} as deployment ${uuid(r)}, revision ${r.digits(8)}`,
  (r) =>
    `frame= ${r.digits(5)} fps= ${r.digits(2)} size= ${r.digits(8)} time=00:0${r.digits(1)}:12.48 bitrate=${r.digits(4)}`,
];

const scalar = (random: Random): unknown =>
  random.pick<() => unknown>([
    () => Number(id(random).slice(0, 15)),
    () => id(random),
    () => uuid(random),
    () => random.hex(random.pick([7, 16, 24, 32, 40, 64])),
    () => time(random),
    () => random.between(0, 1) === 1,
    () => name(random),
    () => random.between(0, 10_000) / 100,
    () => `https://api.acme.test/v3/${word(random)}/${id(random)}`,
    () => null,
  ])();

const record = (random: Random, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: random.between(3, 9) }, () => [
      random.pick(FIELD_NAMES),
      depth > 0 && random.below(4) === 0 ? record(random, depth - 1) : scalar(random),
    ]),
  );

const LOCKS: readonly ((random: Random) => string)[] = [
  (r) => `    "${name(r)}": ["${name(r)}@${version(r)}", "", {}, "sha512-${r.text(86, ALNUM)}=="],`,
  (r) => `github.com/${word(r)}/${name(r)} v${version(r)} h1:${r.text(43, ALNUM)}=`,
  (r) => `      "integrity": "sha512-${r.text(86, `${ALNUM}+/`)}==",`,
  (r) => `    {file = "${name(r)}-${version(r)}.tar.gz", hash = "sha256:${r.hex(64)}"},`,
  (r) => `checksum = "${r.hex(64)}"`,
  (r) => `  resolved "https://packages.acme.test/${name(r)}/-/${name(r)}-${version(r)}.tgz#${r.hex(40)}"`,
];

const DIFFS: readonly ((random: Random) => string)[] = [
  (r) => `index ${r.hex(7)}..${r.hex(7)} 100644`,
  (r) => `@@ -${r.digits(3)},7 +${r.digits(3)},9 @@ export function ${word(r)}(${word(r)}: string) {`,
  (r) => `-  const ${word(r)} = await ${word(r)}.get("${name(r)}", ${r.digits(4)});`,
  (r) => `+  const ${word(r)} = process.env["${word(r).toUpperCase()}_KEY"] ?? "";`,
  (r) => `+  if (token === undefined) throw new Error("no token for ${name(r)}");`,
  (r) => `+    expect(response.status).toBe(${r.pick([200, 400, 401, 404])}); // run ${id(r)}`,
  (r) => `-    password: z.string().min(${r.between(8, 16)}),`,
  (r) => `+    apiKey: config.get("${word(r)}.apiKey"),`,
  (r) => `   return ${word(r)}.map((item) => item.${word(r)} * ${r.digits(2)});`,
  (r) => `+# ${name(r)} ${version(r)}: ignore the previous release, it has no ${word(r)}`,
];

const table = (random: Random): string =>
  [
    `id,${word(random)},run_id,size,year`,
    ...Array.from({ length: random.between(3, 9) }, () =>
      [id(random), word(random), random.digits(9), random.digits(4), 2000 + random.below(27)].join(","),
    ),
  ].join("\n");

const code = (random: Random): string =>
  [
    `import { ${word(random)} } from "./${name(random)}";`,
    `const ${word(random).toUpperCase()}_ID = ${id(random).slice(0, 15)};`,
    `/** Tells whether a ${word(random)} may ${word(random)}; keys of ${word(random)} are looked up, never written down. */`,
    `export const ${word(random)} = (key: string): string => secrets.get(key) ?? fallback(${random.digits(6)});`,
    `const token = await signIn(user, { scope: "${word(random)}:read" });`,
    `const url = new URL("https://${name(random)}.acme.test/${random.text(8, LOWER)}?page=${random.digits(2)}");`,
  ].join("\n");

const KINDS: readonly Kind[] = [
  { kind: "log", origins: ["tool_result", "user"], make: (r) => lines(r, 1, 12, () => r.pick(LOG_LINES)(r)) },
  {
    kind: "json",
    origins: ["tool_result", "tool_args", "output"],
    make: (r) => JSON.stringify(record(r, 2), null, r.pick([0, 2])),
  },
  { kind: "lock", origins: ["tool_result", "user"], make: (r) => lines(r, 4, 12, () => r.pick(LOCKS)(r)) },
  { kind: "diff", origins: ["tool_result", "user", "output"], make: (r) => lines(r, 4, 14, () => r.pick(DIFFS)(r)) },
  { kind: "table", origins: ["tool_result", "user"], make: table },
  { kind: "code", origins: ["output", "user", "tool_args"], make: code },
  { kind: "tool", origins: ["tool_definition"], make: (r) => JSON.stringify(chatTool(r.pick(HONEST_TOOLS))) },
  { kind: "names", origins: ["user", "tool_result"], make: (r) => lines(r, 1, 6, () => r.pick(HONEST_TOOLS).name) },
  {
    kind: "prompt",
    origins: ["user"],
    make: (r) =>
      `${r.pick(CODING_PROMPTS)}\n\n${r.pick([code, (it: Random) => lines(it, 2, 4, () => it.pick(LOG_LINES)(it)), () => ""])(r)}`,
  },
  {
    kind: "question",
    origins: ["user", "assistant"],
    make: (r) => `${r.pick(QUESTIONS)} (${name(r)}, ${r.digits(6)})`,
  },
  {
    kind: "note",
    origins: ["tool_result", "user", "output"],
    make: (r) => r.pick(r.pick(Object.values(NOTES))).replaceAll("#", () => id(r)),
  },
  { kind: "mail", origins: ["tool_result", "user"], make: (r) => `${r.pick(MAILS)}\n\nRef ${id(r)}, ${time(r)}` },
];

/** The same texts for the same seed. */
export function honestTraffic(random: Random, count: number): HonestText[] {
  return Array.from({ length: count }, () => {
    const { kind, origins, make } = random.pick(KINDS);
    return { kind, origin: random.pick(origins), text: make(random) };
  });
}
