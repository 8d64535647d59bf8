import type { PageWindow } from "#core/page";

/** Of a page at most, as over HTTP. */
const PAGE = 200;

/** All of a list, for a command that prints it: page after page, as everybody reads it. */
export const allPages = async <T extends { readonly id: string }>(
  read: (window: PageWindow) => Promise<readonly T[]>,
): Promise<T[]> => {
  const all: T[] = [];
  for (;;) {
    const page = await read({ after: all.at(-1)?.id ?? null, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
};
