import type { ViewScreen } from "#model/saved-view";
import type { ColumnKit } from "./columns";

/** What people keep for themselves of the pages they look at. */
export const views = (kit: ColumnKit) => ({
  savedView: kit.table("saved_view", {
    id: kit.text().primaryKey(),
    user_id: kit.text().notNull(),
    screen: kit.text<ViewScreen>().notNull(),
    name: kit.text().notNull(),
    query: kit.text().notNull(),
    is_shared: kit.boolean().notNull(),
    created_at: kit.integer().notNull(),
  }),
});
