import { serveNothing, startDatabaseThread } from "./parts.ts";

await startDatabaseThread();
serveNothing();
