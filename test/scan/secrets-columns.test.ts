import { describe, expect, test } from "bun:test";
import { ALNUM, Random } from "#test/eval/random";
import { verifies } from "#test/support/verifies";
import { honestTables } from "./honest/tables";
import { actions, DEFAULT, found, PERSONAL, scan, uniform } from "./samples";
import { expectSame } from "./streamed";

const random = new Random(20_261_130);
const key = random.text(32, ALNUM);
const other = random.text(24, ALNUM);
const uuid = [8, 4, 4, 4, 12].map((length) => random.hex(length)).join("-");

/** Tables with a secret under a head that names one, and the values in them. */
const TABLES: readonly (readonly [table: string, ...values: string[]])[] = [
  [`user,api_key\nbob,${key}\nmia,${other}\n`, key, other],
  [`api_key,user\n${key},bob`, key],
  [`"user";"access token";"role"\r\n"bob";"${key}";"admin"\r\n`, key],
  [`user\tclient_secret\tlast login\nbob\t${key}\t2026-01-02\n`, key],
  [`| user | API key | role |\n| --- | --- | --- |\n| bob | ${key} | admin |\n| mia | \`x\` | reader |\n`, key],
  [`| user | secret                           |\n|------|------|\n| bob  | ${key} |\n`, key],
  [`Here are the accounts:\n\nuser,heroku_api_key\nbob,${uuid}\n\nThat is all.`, uuid],
  [`user,password,mail\nbob,Xk29fmQz71,bob@corp.example`, "Xk29fmQz71"],
  [` id | token \n----+------\n  7 | ${key} \n`, key],
];

describe("a cell under a head that names a secret is one", () => {
  test.each(TABLES)("%j", (table, ...values) => {
    verifies("scan.column-secrets");
    expect(found(table, "tool_result").filter((it) => it.startsWith("secret."))).toEqual(
      values.map((value) => `secret.generic=${value}`),
    );
    expect(actions(table, "tool_result").filter((it) => it.startsWith("secret."))).toEqual(
      values.map(() => "secret.generic:redact"),
    );
  });

  test.each(TABLES)("in a stream, wherever it is cut: %j", (table) => {
    verifies("scan.column-secrets");
    for (const policy of [DEFAULT, uniform("redact")]) {
      for (let at = 1; at < table.length; at++) expectSame(policy, table, [at, table.length]);
      for (const size of [1, 3, 7]) expectSame(policy, table, [size]);
    }
  });

  test("as far as the table's first line is near", () => {
    const row = `bob,${random.text(32, ALNUM)}\n`;
    const rows = scan(`user,api_key\n${row.repeat(60)}`, "tool_result").findings;
    expect(rows.length).toBeGreaterThanOrEqual(10);
    expect(rows.length).toBeLessThan(14);
  });
});

describe("other cells are none", () => {
  test.each([
    `key,size\nreports/2026/01/summary.parquet,10\nassets-v2/logo_2026.svg,11`,
    `token,count\nwonderful,10\nexample2026,11`,
    `api_key_id,user\n${key},bob`,
    `public_key,user\n${key},bob`,
    `user,note\nbob,${key}`,
    `user,password\nbob,<password>\nmia,********\neve,changeme`,
    `see the api_key, ${key.slice(0, 9)}, and so on`,
    `password,hash\n${"x".repeat(12)},1`,
    `const row = [api_key,\nuser_name_2026,other_name_2026]`,
  ])("%j", (text) => {
    verifies("scan.column-secrets");
    expect(found(text, "tool_result").filter((it) => it.startsWith("secret."))).toEqual([]);
  });

  test("of tables as services export them next to nothing is touched", () => {
    verifies("scan.column-secrets");
    const tables = honestTables(new Random(20_261_131), 5_000);
    const wrong = tables.flatMap((table) =>
      scan(table, "tool_result")
        .findings.filter(({ category }) => category === "secret")
        .map(({ detector, start, end }) => `${detector}=${table.slice(start, end)}`),
    );
    expect(wrong.filter((it) => it.startsWith("secret.generic.column="))).toEqual([]);
    // An id drawn of letters may end in one of a secret's words, as `pw` is.
    expect(wrong.length <= tables.length * 0.002 ? [] : wrong.slice(0, 9)).toEqual([]);
  });
});

describe("a head names personal data too", () => {
  test.each([
    ["pii.iban", PERSONAL.iban, `name,iban\nBob,${PERSONAL.iban}\n`],
    ["pii.credit_card", PERSONAL.cardPlain, `name;card;limit\nBob;${PERSONAL.cardPlain};900\n`],
    ["pii.us_ssn", "512447310", `name,ssn\nBob,512447310`],
    ["pii.phone", "030 901820", `name,telefon\nBob,030 901820\n`],
    ["pii.phone", "4155552671", `| name | phone |\n| --- | --- |\n| Bob | 4155552671 |\n`],
    ["pii.passport", "C01X00T47", `name,passport number\nBob,C01X00T47`],
  ])("%s: %s", (type, value, table) => {
    verifies("scan.column-secrets");
    expect(found(table, "tool_result")).toContain(`${type}=${value}`);
    for (const policy of [DEFAULT, uniform("redact")])
      for (let at = 1; at < table.length; at++) expectSame(policy, table, [at, table.length]);
  });

  test("and what is no such head names none", () => {
    expect(found(`name,order\nBob,4155552671\nMia,030901820`)).toEqual([]);
  });
});
