/** What every client takes: OpenAI allows 64, and so does the strictest IDE. */
export const MAX_NAME_LENGTH = 64;
const MIN_HASH_LENGTH = 6;

export type NamedTool = { readonly slug: string; readonly serverId: string; readonly tool: string };

/**
 * The public name of a tool: `{slug}__{tool}` of `A-Za-z0-9_-`, at most 64. What is too long, or taken already, ends
 * in a hash of server and tool, so that it is the same wherever and whenever it is made. Names are given once and
 * kept: nothing ever reads a tool's own name back out of one. `digest` gives hexadecimal digits, 32 at least.
 */
export const publicName = (
  { slug, serverId, tool }: NamedTool,
  taken: ReadonlySet<string>,
  digest: (text: string) => string,
): string => {
  const plain = `${slug}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (tool !== "" && plain.length <= MAX_NAME_LENGTH && !taken.has(plain)) return plain;
  const hash = digest(`${serverId}\0${tool}`);
  for (let length = MIN_HASH_LENGTH; ; length += 2) {
    const suffix = `_${hash.slice(0, length)}`;
    const name = plain.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
    if (!taken.has(name) || length >= hash.length) return name;
  }
};
