/**
 * How much one reads of a flow. What a reader opens is listed in docs/architecture.md, in the order the code runs. What
 * its entry imports, and what those import, is far more, and says whether it grows.
 */
import { counted, type Measured, type Sign } from "./sign";
import type { SourceFile, Tree } from "./tree";

type Flow = {
  readonly key: string;
  readonly title: string;
  /** Where it begins. */
  readonly entry: string;
  /** Of its list. */
  readonly heading: string;
  /** Files that a reader opens, at most. */
  readonly atMost: number;
};

const FLOWS: readonly Flow[] = [
  {
    key: "chat",
    title: "streamed chat",
    entry: "src/features/model-calls/service.ts",
    heading: "Streamed chat",
    atMost: 30,
  },
  {
    key: "dispute",
    title: "dispute to applied rule",
    entry: "src/features/reports/service.ts",
    heading: "Dispute to applied rule",
    atMost: 30,
  },
  {
    key: "tool-call",
    title: "tools/call",
    entry: "src/features/tools/service.ts",
    heading: "A tool call",
    atMost: 25,
  },
  {
    key: "ide-sign-in",
    title: "IDE sign-in",
    entry: "src/features/oauth/routes.ts",
    heading: "Sign-in of an IDE",
    atMost: 22,
  },
];

const LISTS = "docs/architecture.md";

/** The files that are named below a heading, each once. Throws for one that is not there. */
const listed =
  (heading: string) =>
  async ({ src, texts }: Tree): Promise<Measured> => {
    const [document] = await texts(LISTS);
    const section = document?.text.split(/^###? /m).find((part) => part.startsWith(`${heading}\n`));
    if (section === undefined) throw new Error(`${LISTS} has no section ${heading}: correct test/signs/flows.ts`);
    const named = new Set([...section.matchAll(/`([a-z][\w/-]*\.tsx?)`/g)].map(([, path = ""]) => `src/${path}`));
    const missing = [...named].filter((path) => !src.some((file) => file.path === path));
    if (missing.length > 0) throw new Error(`${LISTS}, ${heading}: there is no ${missing.join(", no ")}`);
    return counted([...named]);
  };

/** The entry and everything it reaches. */
export const closureOf = (
  files: readonly SourceFile[],
  entry: string,
  kind: "imports" | "valueImports",
): ReadonlySet<string> => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([entry]);
  // A set that grows while it is walked is walked to its end.
  for (const path of reached) for (const next of byPath.get(path)?.[kind] ?? []) reached.add(next);
  return reached;
};

const reach =
  (entry: string, kind: "imports" | "valueImports") =>
  ({ src }: Tree): Measured => {
    if (!src.some(({ path }) => path === entry)) throw new Error(`There is no ${entry}: correct test/signs/flows.ts`);
    return counted([...closureOf(src, entry, kind)]);
  };

export const FLOW_SIGNS: readonly Sign[] = FLOWS.flatMap(({ key, title, entry, heading, atMost }) => [
  { key: `${key}-opened`, title: `files a reader opens: ${title}`, atMost, measure: listed(heading) },
  { key: `${key}-values`, title: `files reached: ${title}`, atMost: null, measure: reach(entry, "valueImports") },
  {
    key: `${key}-types`,
    title: `files reached with types: ${title}`,
    atMost: null,
    measure: reach(entry, "imports"),
  },
]);
