/** The libraries that a hub loads at its start, and nothing made with them. */
import * as typebox from "@sinclair/typebox";
import * as compiler from "@sinclair/typebox/compiler";
import * as drizzle from "drizzle-orm/bun-sqlite";
import * as elysia from "elysia";
import { keep, serveNothing, startDatabaseThread } from "./parts.ts";

await startDatabaseThread();
keep(typebox, compiler, drizzle, elysia);
serveNothing();
