/** A piece of a list: `limit` items that come after the one whose id is `after`; null for the first ones. */
export type PageWindow = { readonly after: string | null; readonly limit: number };
