/** Reads TypeScript as text: enough for rules about names and imports, without a parser. */

const PIECES =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/g;

/** The code without comments, strings and regular expressions; what is put into a template stays. */
export const codeOf = (text: string): string =>
  text.replace(PIECES, (piece) => {
    if (piece.startsWith("`"))
      return [...piece.matchAll(/\$\{([^}]*)\}/g)].map(([, inner = ""]) => ` (${codeOf(inner)}) `).join("");
    return piece.startsWith("/*") || piece.startsWith("//") ? "" : '""';
  });

const IMPORT =
  /^(?:import|export)\s(?:[^"'`;]*?\bfrom\s*)?["']([^"']+)["']|\b(?:import|require)\(\s*["']([^"']+)["']/gm;

/** What a file imports or exports on, types too. */
export const importsOf = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, declared, called]) => declared ?? called ?? "");

/** The opposite of `codeOf`: what is written for people and machines outside the code. */
export const proseOf = (
  text: string,
): { readonly comments: readonly string[]; readonly strings: readonly string[] } => {
  const pieces = [...text.matchAll(PIECES)].map(([piece]) => piece);
  return {
    comments: pieces.filter((piece) => /^\/[/*]/.test(piece)),
    strings: pieces.filter((piece) => /^["'`]/.test(piece)),
  };
};
