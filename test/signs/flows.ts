/**
 * How much a flow reaches: the files its entry imports, and what those import. What a reader opens is less, and is
 * counted by hand; this says whether it grows.
 */
import { counted, type Measured, type Sign } from "./sign";
import type { SourceFile, Tree } from "./tree";

/** Where each flow begins. */
const FLOWS: readonly (readonly [key: string, title: string, entry: string])[] = [
  ["chat", "streamed chat", "src/features/model-calls/service.ts"],
  ["dispute", "dispute to applied rule", "src/features/reports/service.ts"],
  ["tool-call", "tools/call", "src/features/tools/service.ts"],
  ["ide-sign-in", "IDE sign-in", "src/features/oauth/routes.ts"],
];

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

export const FLOW_SIGNS: readonly Sign[] = FLOWS.flatMap(([key, title, entry]) => [
  { key: `${key}-values`, title: `files reached: ${title}`, atMost: null, measure: reach(entry, "valueImports") },
  {
    key: `${key}-types`,
    title: `files reached with types: ${title}`,
    atMost: null,
    measure: reach(entry, "imports"),
  },
]);
