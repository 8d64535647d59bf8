import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createApp } from "#app";
import { publicUrlOf } from "#config/address";
import type { Environment } from "#config/environment";
import { policyOf } from "#config/policy";
import type { Config } from "#config/schema";
import { NO_PLACE } from "#core/command-line";
import { isRecord, type JsonRecord } from "#core/json/json";
import { Scanner } from "#guard/scanner";
import { apiDocument } from "#http/openapi-routes";
import { CONTENT_HMAC } from "#model/kept-content";
import { systemClock } from "#platform/clock";
import { keyedHash } from "#platform/hash";
import { jsonLog } from "#platform/log";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { hubInputs } from "./adapters";
import { CliExit, EXIT, usage } from "./exit";
import { openHubStore } from "./hub-store";
import { operatingOf } from "./operating";
import { card } from "./output";
import { masterKeysOf, sealingWith } from "./sealing";
import type { RunVerb } from "./verb";
import { VERSION } from "./version";

const HASH_KEY_BYTES = 32;

/**
 * The document that a service with these settings serves. It is made of the routes themselves, so the whole hub is put
 * together, on an empty store that is thrown away: nothing of the configured data directory is opened or made.
 */
const documentOf = async (config: Config, environment: Environment): Promise<JsonRecord> => {
  const place = mkdtempSync(join(tmpdir(), "guardhouse-openapi-"));
  const cleanUp = (): void => rmSync(place, { recursive: true, force: true });
  process.once("exit", cleanUp);
  const nowhere = { ...config.database, url: null };
  const here = { data_dir: place, durability: "normal", database: nowhere, audit: config.audit } as const;
  const store = await openHubStore({ config: here, writer: "inline" });
  try {
    const keys = masterKeysOf(store.directory, config);
    const publicUrl = config.public_url || publicUrlOf(config.listen);
    const unheard = jsonLog("error", () => {}, systemClock);
    const { web } = createApp(
      hubInputs({
        config,
        environment,
        store,
        log: unheard,
        ...sealingWith(keys),
        publicUrl: () => publicUrl,
        operating: operatingOf({
          config,
          settings: [],
          place: NO_PLACE,
          store,
          keys,
          unseal: keys.unseal,
          startedAt: systemClock(),
        }),
        contentHash: keyedHash(new Uint8Array(HASH_KEY_BYTES), CONTENT_HMAC),
        labelSecret: new Uint8Array(HASH_KEY_BYTES),
        scanner: new Scanner(compilePolicy(policyOf(config), 1, DETECTORS), new Uint8Array(HASH_KEY_BYTES), 1),
        hasKey: () => false,
        backupSigning: { current: () => ({ keyId: "", key: "" }), all: () => ({}) },
        disableIdleTimeout: () => {},
        socketOf: () => null,
      }),
    );
    return apiDocument(web().routes, publicUrl, VERSION);
  } finally {
    await store.close();
    process.off("exit", cleanUp);
    cleanUp();
  }
};

const entriesIn = (value: unknown): number => Object.keys(isRecord(value) ? value : {}).length;

/** Replaces what an earlier run wrote. Says what is wrong with the place before any work is done. */
const placeFor = (text: string): string => {
  const file = resolve(text);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw usage(`--out: ${file} is a folder`);
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CliExit(EXIT.notFound, `There is no folder ${folder}`);
  }
  return file;
};

/** `openapi`: what `GET /openapi.json` answers, without a service. */
export const openapi: RunVerb = async ({ args, config, environment, out }) => {
  const settings = config();
  const target = args.text("out");
  const file = target === undefined ? null : placeFor(target);
  const document = await documentOf(settings, environment);
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (file === null) {
    await out.result(document, text);
    return EXIT.ok;
  }
  writeFileSync(file, text);
  const paths = entriesIn(document["paths"]);
  const bytes = Buffer.byteLength(text);
  await out.result({ file, bytes, paths }, card({ file, bytes: String(bytes), paths: String(paths) }));
  return EXIT.ok;
};
