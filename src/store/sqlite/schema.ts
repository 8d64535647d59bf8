import { sqliteKit } from "#store/columns";
import { defineTables } from "#store/tables";

export const tables = defineTables(sqliteKit);
