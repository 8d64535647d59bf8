/** Besides those of the start, the libraries that a hub loads when somebody signs in, and the protocol of tools. */
import * as modelContext from "@modelcontextprotocol/sdk/types.js";
import * as typebox from "@sinclair/typebox";
import * as compiler from "@sinclair/typebox/compiler";
import * as identity from "better-auth";
import * as drizzle from "drizzle-orm/bun-sqlite";
import * as elysia from "elysia";
import { keep, serveNothing, startDatabaseThread } from "./parts.ts";

await startDatabaseThread();
keep(typebox, compiler, drizzle, elysia, identity, modelContext);
serveNothing();
