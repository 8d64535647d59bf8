import { sqliteKit } from "#store/columns";
import { tablesOf } from "#store/tables";

export const allTables = tablesOf(sqliteKit);

export const { auth: authTables, ...tables } = allTables;
