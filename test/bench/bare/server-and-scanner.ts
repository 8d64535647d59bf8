/** The same with the hub's scanner, warmed up as it is before `/readyz` answers 200. */
import * as typebox from "@sinclair/typebox";
import * as compiler from "@sinclair/typebox/compiler";
import * as drizzle from "drizzle-orm/bun-sqlite";
import * as elysia from "elysia";
import { offerBuiltTablesSoon } from "#guard/built-tables";
import { Scanner } from "#guard/scanner";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { keep, serveNothing, startDatabaseThread } from "./parts.ts";

Bun.unsafe.setJITPolicy(10);
const tables = offerBuiltTablesSoon();
await startDatabaseThread();
keep(typebox, compiler, drizzle, elysia);
await tables;
await new Scanner(compilePolicy(DEFAULT_POLICY, 1, DETECTORS), new Uint8Array(32), 0, false).warmUp();
serveNothing();
