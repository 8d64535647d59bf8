import { tablesOf } from "#store/tables";
import { postgresKit } from "./columns";

export const tables = tablesOf(postgresKit);
