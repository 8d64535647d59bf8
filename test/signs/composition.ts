/** How the parts of the hub are put together, started and stopped. */
import { counted, type Measured, matches, outside, type Sign, under } from "./sign";
import type { SourceFile } from "./tree";

/** Where parts are joined: `assembly` until every feature declares itself. */
const COMPOSITION = /^src\/(?:app\.ts|assembly\/)/;
/** The features' own declarations, which construct parts too. */
const DECLARATIONS = /^src\/(?:app\.ts|assembly\/|hub\/|.*\bfeature\.ts$)/;
const LIFECYCLE = /^src\/hub\//;
/** Runs in a thread that has no scheduler, and is watched wherever a store is open: in commands too. */
const AUDIT_WRITER = /^src\/store\/sqlite\/audit-(?:thread|writer)\.ts$/;
const DASHBOARD = /^src\/dashboard\//;

/** Before every top-level declaration: what lies between two is one of them, with its body. */
const DECLARATION = /^(?=(?:export|const|type|class|import|test)\b)/m;
const DECLARED = /^ {2}const (?:(\w+)|\{([^}]*)\}|\[([^\]]*)\])/gm;

const namesIn = ([, one, object, array]: RegExpMatchArray): string[] =>
  one === undefined
    ? (object ?? array ?? "").split(",").flatMap((each) => /(\w+)\s*$/.exec(each.split("=")[0] ?? "")?.[1] ?? [])
    : [one];

/** Constants of a function that closures above their declaration use: those work only while nobody calls them early. */
export const forwardReferences = ({ path, code }: Pick<SourceFile, "path" | "code">): string[] =>
  code.split(DECLARATION).flatMap((body) =>
    [...body.matchAll(DECLARED)].flatMap((declared) => {
      const before = body.slice(0, declared.index);
      return namesIn(declared)
        .filter((name) => new RegExp(`(?<![.\\w])${name}\\b(?!\\s*:)`).test(before))
        .map((name) => `${path}: ${name}`);
    }),
  );

const lines = (files: readonly SourceFile[]): Measured => ({
  now: files.reduce((sum, file) => sum + file.lines, 0),
  found: files.map((file) => `${file.path}: ${file.lines}`),
});

const constructed = (files: readonly SourceFile[]): Set<string> =>
  new Set(files.flatMap(({ code }) => [...code.matchAll(/\bnew ([A-Z]\w*)\(/g)].map(([, name = ""]) => name)));

export const COMPOSITION_SIGNS: readonly Sign[] = [
  {
    key: "composition-lines",
    title: "lines of app.ts and assembly/",
    atMost: 500,
    measure: ({ src }) => lines(under(src, COMPOSITION)),
  },
  {
    key: "feature-lines",
    title: "lines of feature.ts files and hub/",
    atMost: null,
    measure: ({ src }) => lines(under(src, /^src\/(?:hub\/|.*\bfeature\.ts$)/)),
  },
  {
    key: "forward-references",
    title: "forward references in app.ts and assembly/",
    atMost: 0,
    measure: ({ src }) => counted(under(src, COMPOSITION).flatMap(forwardReferences)),
  },
  {
    key: "cli-wiring",
    title: "CLI files that construct parts of the composition",
    atMost: 0,
    measure({ src }) {
      const declared = new Set(
        src.flatMap(({ code }) => [...code.matchAll(/\bclass (\w+)/g)].map(([, name = ""]) => name)),
      );
      const parts = constructed(under(src, DECLARATIONS)).intersection(declared);
      return counted(
        under(src, /^src\/cli\//).flatMap((file) => {
          const shared = constructed([file]).intersection(parts);
          return shared.size === 0 ? [] : [`${file.path}: ${[...shared].join(", ")}`];
        }),
      );
    },
  },
  {
    key: "deps-types",
    title: "types called Deps or …Deps",
    atMost: 0,
    measure: ({ src }) => matches(src, /\b(?:type|interface) \w*Deps\b/g),
  },
  {
    key: "around-types",
    title: "types called Around",
    atMost: 0,
    measure: ({ src }) => matches(src, /\b(?:type|interface) Around\b/g),
  },
  {
    key: "serve-timers",
    title: "setInterval in src/cli/serve.ts",
    atMost: 0,
    measure: ({ src }) => matches(under(src, /^src\/cli\/serve\.ts$/), /\bsetInterval\(/g),
  },
  {
    key: "other-timers",
    title: "setInterval elsewhere; lifecycle, audit writer and dashboard left out",
    atMost: 0,
    measure: ({ src }) =>
      matches(
        outside(src, LIFECYCLE).filter(
          ({ path }) => path !== "src/cli/serve.ts" && !AUDIT_WRITER.test(path) && !DASHBOARD.test(path),
        ),
        /\bsetInterval\(/g,
      ),
  },
];
