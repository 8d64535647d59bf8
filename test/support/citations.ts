const CALL = /\bverifies\(([^)]*)\)/g;
const LITERAL = /(["'`])((?:(?!\1).)*)\1/g;

/** The requirement ids a test source cites with `verifies("…")`. Comments do not count. */
export function citations(source: string): string[] {
  const code = new Bun.Transpiler({ loader: "ts" }).transformSync(source);
  const calls = [...code.matchAll(CALL)].map(([, args = ""]) => args);
  return calls.flatMap((args) => [...args.matchAll(LITERAL)].map(([, , id = ""]) => id));
}

/** What is wrong between what is promised and what is cited. All lists empty means nothing is. */
export function unproven(promised: readonly string[], cited: readonly string[]) {
  const known = new Set(promised);
  const proven = new Set(cited);
  return {
    uncited: promised.filter((id) => !proven.has(id)),
    unknown: [...proven].filter((id) => !known.has(id)),
    twice: promised.filter((id, position) => promised.indexOf(id) !== position),
  };
}
