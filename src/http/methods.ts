type Route = { readonly method: string; readonly path: string };

/**
 * The methods an address takes, of a list of routes: tells a wrong method (405) from a wrong address (404).
 * A path's `*` stands for one segment or more.
 */
export const methodsAt = (routes: () => readonly Route[]): ((path: string) => readonly string[]) => {
  let patterns: readonly { readonly method: string; readonly fits: RegExp }[] | undefined;
  return (path) => {
    patterns ??= routes().map(({ method, path: template }) => ({ method, fits: patternOf(template) }));
    // The router takes an address with a slash at its end for the one without.
    const plain = path.length > 1 ? path.replace(/\/$/, "") : path;
    const methods = patterns.filter(({ fits }) => fits.test(plain)).map(({ method }) => method);
    return methods.includes("GET") ? [...new Set([...methods, "HEAD"])] : [...new Set(methods)];
  };
};

const patternOf = (template: string): RegExp => {
  const segments = template.split("/").map((segment) => {
    if (segment === "*") return ".+";
    return segment.startsWith(":") ? "[^/]+" : RegExp.escape(segment);
  });
  return new RegExp(`^${segments.join("/")}$`);
};
