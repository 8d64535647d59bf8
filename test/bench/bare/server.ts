import { serveNothing } from "./parts.ts";

serveNothing();
