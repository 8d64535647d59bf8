import { GuardError } from "#core/errors";
import type { InboxKind, InboxResults } from "./schema";

export type ItemRef = { readonly kind: InboxKind; readonly id: string };

/** Does something to each item, one after the other: what fails for one is told of that one. */
export const resultsOf = async <Item extends ItemRef>(
  items: readonly Item[],
  onUnexpected: (error: unknown) => void,
  work: (item: Item) => Promise<unknown>,
): Promise<InboxResults> => {
  const data: InboxResults["data"][number][] = [];
  for (const item of items) {
    const { kind, id } = item;
    data.push({ kind, id, error: await problemOf(() => work(item), onUnexpected) });
  }
  const failed = data.filter(({ error }) => error !== null).length;
  return { object: "list", data, done: data.length - failed, failed };
};

const problemOf = async (work: () => Promise<unknown>, onUnexpected: (error: unknown) => void) => {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof GuardError) return { code: error.code, message: error.message };
    onUnexpected(error);
    return { code: "internal_error", message: "Something went wrong. Try again." };
  }
};
