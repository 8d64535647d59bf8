import type { Page } from "#http/page";

/** A page of a list. */
export type List<Item> = Page<Item>;

export type Paging = { readonly limit?: string | undefined; readonly cursor?: string | undefined };
