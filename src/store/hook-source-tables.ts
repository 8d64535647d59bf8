import type { SourceKind } from "#model/verdict";
import type { ColumnKit } from "./columns";

/** Systems that ask for verdicts about many people. */
export const hookSources = (kit: ColumnKit) => ({
  hookSource: kit.table(
    "hook_source",
    {
      id: kit.text().primaryKey(),
      name: kit.text().notNull(),
      kind: kit.text<SourceKind>().notNull(),
      user_id: kit.text().notNull(),
      agent_id: kit.text(),
      settings: kit.json().notNull(),
      sealed_secrets: kit.json().notNull(),
      token_id: kit.text(),
      created_by: kit.text(),
      created_at: kit.integer().notNull(),
    },
    (it) => [kit.unique("hook_source_name").on(it.name)],
  ),
});
