import { and, asc, count, eq, or } from "drizzle-orm";
import type { SavedView } from "#model/saved-view";
import { anyRow, type Db, one, run } from "#store/db";
import type { ViewStore } from "#store/view-port";

export class Views implements ViewStore {
  constructor(private readonly db: Db) {}

  seenBy(userId: string): Promise<SavedView[]> {
    return this.db.all((q, { savedView: it }) =>
      q
        .select()
        .from(it)
        .where(or(eq(it.user_id, userId), eq(it.is_shared, true)))
        .orderBy(asc(it.name), asc(it.id)),
    );
  }

  put(view: SavedView, most: number): Promise<"done" | "full"> {
    const { query, is_shared } = view;
    return this.db.tx(function* () {
      const isKnown = yield* anyRow((q, { savedView: it }) =>
        q
          .update(it)
          .set({ query, is_shared })
          .where(and(eq(it.user_id, view.user_id), eq(it.screen, view.screen), eq(it.name, view.name)))
          .returning({ id: it.id }),
      );
      if (isKnown) return "done";
      const own = yield* one((q, { savedView: it }) =>
        q.select({ count: count() }).from(it).where(eq(it.user_id, view.user_id)),
      );
      if ((own?.count ?? 0) >= most) return "full";
      yield* run((q, { savedView: it }) => q.insert(it).values(view));
      return "done";
    }, "views");
  }

  remove(id: string, userId: string): Promise<boolean> {
    return this.db.tx(() =>
      anyRow((q, { savedView: it }) =>
        q
          .delete(it)
          .where(and(eq(it.id, id), eq(it.user_id, userId)))
          .returning({ id: it.id }),
      ),
    );
  }
}
