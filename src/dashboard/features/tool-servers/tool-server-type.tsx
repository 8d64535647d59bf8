import type { AnswerTo } from "#dashboard/api/client";
import type { ItemOf } from "#dashboard/parts/hooks";

/** One server, with what each of its tools says of itself. */
export type ToolServerData = AnswerTo<"GET /api/tool-servers/:id">;
export type Tool = ToolServerData["tools"][number];
export type Definition = ToolServerData["definitions"][number];

/** Whether somebody has to decide: its server lists it, and it is not as it was approved. */
export const waits = ({ present, status }: Tool): boolean => present && status !== "approved" && status !== "refused";

/** Where it is: an address, or a program. */
export const placeOf = ({ url, command }: Pick<ItemOf<"GET /api/tool-servers">, "url" | "command">): string =>
  url ?? (command ?? []).join(" ");

/** What an act on one server may change. */
export const CONCERNED = ["/api/tool-servers", "/api/map", "/api/inbox", "/api/overview"] as const;
