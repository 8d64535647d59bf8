import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localUrlOf, parseListen, publicUrlOf } from "#config/address";
import { ConfigError, type LoadOptions, loadConfig } from "#config/load";
import { policyOf } from "#config/policy";
import { configKeys } from "#config/schema";
import { variableOf } from "#config/sources";
import { editDistance, nearest } from "#core/nearest";
import { DEFAULT_POLICY } from "#scan/defaults";
import { ORIGINS, type Origin } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";

const KEY = Buffer.alloc(32, 7).toString("base64");
let home = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "guardhouse-config-"));
});
afterAll(() => rm(home, { recursive: true }));

const file = async (name: string, text: string): Promise<string> => {
  await Bun.write(join(home, name), text);
  return join(home, name);
};

const load = (options: Partial<LoadOptions> = {}) => loadConfig({ environment: {}, ...options });

const problemsOf = (options: Partial<LoadOptions>): readonly string[] => {
  try {
    load(options);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const originOf = (options: Partial<LoadOptions>, path: string) =>
  load(options).settings.find(({ key }) => key.path === path)?.origin;

describe("defaults", () => {
  test("are what the documentation says", () => {
    const { config } = load();
    expect(config).toMatchObject({
      listen: "127.0.0.1:8787",
      public_url: "http://127.0.0.1:8787",
      data_dir: "./guardhouse-data",
      durability: "full",
      log_level: "info",
      master_key: null,
      shutdown_grace_ms: 25_000,
      limits: { body_bytes: 20_971_520, json_depth: 100 },
      upstream: { connect_ms: 10_000, first_byte_ms: 120_000, retries: 2, max_concurrent: 4096 },
      guard: { mode: "enforce", hold_back: 256, rules: [], actions: {}, cache_entries: 50_000 },
      audit: { retention_days: 400, ship: "async" },
    });
  });

  test("every key says what it is for and has a default of its own form", () => {
    for (const key of configKeys()) {
      expect(key.description).toMatch(/\.$/);
      expect(key.fallback).toBeDefined();
    }
  });

  test("the result cannot be changed, at any level", () => {
    const { config } = load();
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.guard.rules)).toBe(true);
  });
});

describe("precedence", () => {
  test("flags before environment before file before defaults", async () => {
    const toml = await file("order.toml", 'listen = "10.0.0.1:1"\nlog_level = "warn"\n[upstream]\nretries = 7\n');
    const environment = { GUARDHOUSE_LISTEN: "10.0.0.2:2", GUARDHOUSE_LOG_LEVEL: "debug" };
    const all = { environment, flags: { listen: "10.0.0.3:3" }, file: toml };
    const { config } = load(all);
    expect(config.listen).toBe("10.0.0.3:3");
    expect(config.log_level).toBe("debug");
    expect(config.upstream.retries).toBe(7);
    expect(config.upstream.connect_ms).toBe(10_000);
    expect(originOf(all, "listen")).toBe("--listen");
    expect(originOf(all, "log_level")).toBe("GUARDHOUSE_LOG_LEVEL");
    expect(originOf(all, "upstream.retries")).toBe(toml);
    expect(originOf(all, "upstream.connect_ms")).toBe("default");
  });

  test("GUARDHOUSE_CONFIG names the file when no flag does", async () => {
    const toml = await file("named.toml", 'durability = "normal"\n');
    expect(load({ environment: { GUARDHOUSE_CONFIG: toml } }).config.durability).toBe("normal");
  });

  test("an empty variable counts as not set", () => {
    expect(load({ environment: { GUARDHOUSE_LISTEN: "", GUARDHOUSE_MASTER_KEY: "" } }).config.master_key).toBeNull();
  });

  test("variables of other programs are ignored", () => {
    expect(problemsOf({ environment: { PATH: "/bin", GUARD_MODE: "x", HOME: "/" } })).toEqual([]);
  });
});

describe("values", () => {
  test("are read from text by the kind of their key", () => {
    const environment = {
      GUARDHOUSE_UPSTREAM__CONNECT_MS: "5000",
      GUARDHOUSE_ALLOWED_HOSTS: "hub.example.org, hub:8080 ,",
      GUARDHOUSE_GUARD__ACTIONS: "pii.email=flag, secret = redact",
      GUARDHOUSE_GUARD__RULES: '[{"type":"pii.phone","origins":["user"],"thresholds":{"block":0.5}}]',
    };
    const { config } = load({ environment });
    expect(config.upstream.connect_ms).toBe(5000);
    expect(config.allowed_hosts).toEqual(["hub.example.org", "hub:8080"]);
    expect(config.guard.actions).toEqual({ "pii.email": "flag", secret: "redact" });
    expect(config.guard.rules).toEqual([{ type: "pii.phone", origins: ["user"], thresholds: { block: 0.5 } }]);
  });

  test("every string can come from a file, without the newline at its end", async () => {
    const key = await file("key", `${KEY}\n`);
    const url = await file("url", "https://hub.example.org/hub/\r\n");
    const { config } = load({ environment: { GUARDHOUSE_MASTER_KEY_FILE: key, GUARDHOUSE_PUBLIC_URL_FILE: url } });
    expect(config.master_key).toBe(KEY);
    expect(config.public_url).toBe("https://hub.example.org/hub");
  });

  test("the public URL follows the address unless it is set", () => {
    expect(load({ flags: { listen: "[::1]:99" } }).config.public_url).toBe("http://[::1]:99");
    expect(load({ flags: { listen: "0.0.0.0:99" } }).config.public_url).toBe("http://localhost:99");
    expect(originOf({}, "public_url")).toBe("from listen");
  });
});

describe("mistakes", () => {
  test("an unknown variable is named, with the nearest known one", () => {
    expect(problemsOf({ environment: { GUARDHOUSE_UPSTREM__CONECT_MS: "1" } })).toEqual([
      "GUARDHOUSE_UPSTREM__CONECT_MS: unknown variable; did you mean GUARDHOUSE_UPSTREAM__CONNECT_MS?",
    ]);
  });

  test("an unknown key is named, with the nearest known one and the file", async () => {
    const toml = await file("typo.toml", "[gaurd]\nmode = 'off'\n[upstream]\nretrys = 3\n");
    expect(problemsOf({ file: toml })).toEqual([
      expect.stringContaining("gaurd: unknown key in"),
      `upstream.retrys: unknown key in ${toml}; did you mean upstream.retries?`,
    ]);
  });

  test.each([
    ["listen", { GUARDHOUSE_LISTEN: "8787" }, "HOST:PORT"],
    ["listen", { GUARDHOUSE_LISTEN: "127.0.0.1:65536" }, "HOST:PORT"],
    ["public_url", { GUARDHOUSE_PUBLIC_URL: "ftp://x" }, "an http or https URL"],
    ["public_url", { GUARDHOUSE_PUBLIC_URL: "https://me:pw@x" }, "an http or https URL"],
    ["durability", { GUARDHOUSE_DURABILITY: "some" }, "one of full, normal"],
    ["upstream.retries", { GUARDHOUSE_UPSTREAM__RETRIES: "many" }, "a whole number from 0 to 10"],
    ["upstream.retries", { GUARDHOUSE_UPSTREAM__RETRIES: "11" }, "a whole number from 0 to 10"],
    ["upstream.idle_ms", { GUARDHOUSE_UPSTREAM__IDLE_MS: "1.5" }, "a whole number of milliseconds"],
    ["guard.actions", { GUARDHOUSE_GUARD__ACTIONS: "pii.email" }, "flag types in quotes with an action each"],
    ["guard.actions", { GUARDHOUSE_GUARD__ACTIONS: "pii.email=drop" }, "allow, flag, redact, block"],
    ["guard.rules", { GUARDHOUSE_GUARD__RULES: "[{" }, "a list of"],
    ["guard.rules", { GUARDHOUSE_GUARD__RULES: '[{"type":"pii","thresholds":{"stop":1}}]' }, "a list of"],
  ])("a bad value names its key %s and what is expected", (path, environment, expected) => {
    const [problem, ...others] = problemsOf({ environment });
    expect(others).toEqual([]);
    expect(problem).toStartWith(`${path}: expected `);
    expect(problem).toContain(expected);
    expect(problem).toContain(`(from ${Object.keys(environment)[0]})`);
  });

  test.each([
    ["guard.custom", { GUARDHOUSE_GUARD__CUSTOM: '[{"id":"a","pattern":"(","keywords":["abc"]}]' }, "custom rule a: "],
    ["guard.custom", { GUARDHOUSE_GUARD__CUSTOM: '[{"id":"a","words":["ab"]}]' }, "3 to 64 visible ASCII"],
    ["guard.custom", { GUARDHOUSE_GUARD__CUSTOM: '[{"id":"a"}]' }, "words, or a pattern"],
    [
      "tool_gateway.allow_private",
      { GUARDHOUSE_TOOL_GATEWAY__ALLOW_PRIVATE: "10.0.0.0/33" },
      "10.0.0.0/33 is not a network",
    ],
  ])("a value of the right form can still be wrong: %s", (path, environment, expected) => {
    const [problem, ...others] = problemsOf({ environment });
    expect(others).toEqual([]);
    expect(problem).toStartWith(`${path}: `);
    expect(problem).toContain(expected);
  });

  test("a bad secret is never repeated", () => {
    const secret = "aGVsbG8gSSBhbSBhIHNlY3JldCBvZiB0aGUgd3JvbmcgbGVuZ3Ro";
    const problems = problemsOf({ environment: { GUARDHOUSE_MASTER_KEY: secret } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("32 bytes in base64");
    expect(problems[0]).not.toContain(secret.slice(0, 8));
  });

  test("a broken TOML file is named by line, and not quoted", async () => {
    const toml = await file("broken.toml", `log_level = "info"\nmaster_key = "${KEY}\n`);
    const [problem] = problemsOf({ file: toml });
    expect(problem).toStartWith(`${toml}: not valid TOML at line 2`);
    expect(problem).not.toContain(KEY.slice(0, 8));
  });

  test("missing files are named", () => {
    expect(problemsOf({ file: "/nowhere.toml" })).toEqual(["/nowhere.toml: the configuration file cannot be read"]);
    expect(problemsOf({ environment: { GUARDHOUSE_MASTER_KEY_FILE: "/nowhere" } })).toEqual([
      "GUARDHOUSE_MASTER_KEY_FILE: the file /nowhere cannot be read",
    ]);
  });

  test("a variable and its file together are refused", async () => {
    const environment = { GUARDHOUSE_MASTER_KEY: KEY, GUARDHOUSE_MASTER_KEY_FILE: await file("both", KEY) };
    expect(problemsOf({ environment })).toEqual([
      "GUARDHOUSE_MASTER_KEY: set it or GUARDHOUSE_MASTER_KEY_FILE, not both",
    ]);
  });

  test("all of them are told at once", () => {
    const environment = { GUARDHOUSE_LISTEN: "x", GUARDHOUSE_DURABILITY: "y", GUARDHOUSE_Z: "z" };
    expect(problemsOf({ environment })).toHaveLength(3);
  });
});

describe("the policy", () => {
  const judge = (environment: Record<string, string>, ...question: [Origin, string, number]) =>
    compilePolicy(policyOf(load({ environment }).config), 1, DETECTORS).judge(...question);

  test("is the built-in one when nothing is said", () => {
    expect(judge({}, "user", "secret.aws_access_key", 1)).toBe("block");
    expect(judge({}, "user", "pii.credit_card", 0.9)).toBe("redact");
    expect(judge({}, "user", "pii.email", 0.9)).toBe("flag");
    expect(policyOf(load({ environment: {} }).config).rules).toEqual(DEFAULT_POLICY.rules);
  });

  test("a shorthand action holds for the type and all below it, at every origin", () => {
    const environment = { GUARDHOUSE_GUARD__ACTIONS: "secret=redact" };
    expect(judge(environment, "user", "secret.aws_access_key", 1)).toBe("redact");
    expect(judge(environment, "output", "secret.aws_access_key", 1)).toBe("redact");
    expect(judge(environment, "user", "secret.generic", 1)).toBe("redact");
    expect(judge(environment, "user", "pii.credit_card", 0.9)).toBe("redact");
    expect(judge(environment, "user", "pii.email", 0.9)).toBe("flag");
    for (const origin of ORIGINS) {
      expect(judge({ GUARDHOUSE_GUARD__ACTIONS: "pii=redact" }, origin, "pii.email", 0.9)).toBe("redact");
      expect(judge({ GUARDHOUSE_GUARD__ACTIONS: "pii=flag" }, origin, "pii.credit_card", 0.9)).toBe("flag");
    }
  });

  test("a more specific setting wins over a broader one, whichever comes first", () => {
    const environment = { GUARDHOUSE_GUARD__ACTIONS: "pii.email=allow,pii=block" };
    expect(judge(environment, "user", "pii.email", 1)).toBe("allow");
    expect(judge(environment, "user", "pii.phone", 1)).toBe("block");
  });

  test("a rule holds at the origins it names and leaves the others alone", () => {
    const environment = {
      GUARDHOUSE_GUARD__RULES: '[{"type":"pii","origins":["output"],"thresholds":{"block":0.5}}]',
    };
    expect(judge(environment, "output", "pii.email", 0.9)).toBe("block");
    expect(judge(environment, "output", "pii.credit_card", 0.9)).toBe("block");
    expect(judge(environment, "user", "pii.email", 0.9)).toBe("flag");
    expect(judge(environment, "user", "pii.credit_card", 0.9)).toBe("redact");
  });

  test("mode and hold-back are taken over", () => {
    const environment = { GUARDHOUSE_GUARD__MODE: "monitor", GUARDHOUSE_GUARD__HOLD_BACK: "512" };
    expect(policyOf(load({ environment }).config)).toMatchObject({ mode: "monitor", hold_back: 512 });
  });
});

describe("small parts", () => {
  test("edit distance counts letters put in, taken out and changed", () => {
    expect(editDistance("kitten", "sitting")).toBe(3);
    expect(editDistance("", "abc")).toBe(3);
    expect(nearest("lsiten", ["log_level", "listen"])).toBe("listen");
    expect(nearest("x", [])).toBeNull();
  });

  test("addresses are taken apart and put together", () => {
    expect(parseListen("[::1]:80")).toEqual({ hostname: "::1", port: 80 });
    expect(localUrlOf("0.0.0.0:80")).toBe("http://127.0.0.1:80");
    expect(localUrlOf("[::]:80")).toBe("http://[::1]:80");
    expect(publicUrlOf("hub.lan:80")).toBe("http://hub.lan:80");
  });

  test("variables are spelled from paths", () => {
    expect(configKeys().map(variableOf)).toContain("GUARDHOUSE_UPSTREAM__FIRST_BYTE_MS");
  });
});
