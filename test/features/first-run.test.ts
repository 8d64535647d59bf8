import { expect, test } from "bun:test";
import { GuardError } from "#core/errors";
import { FirstRun } from "#features/sign-in/first-run";
import { LoginThrottle } from "#identity/login-throttle";
import { systemIds } from "#platform/ids";
import { Place } from "#test/store/directory";
import { verifies } from "#test/support/verifies";

test("the set-up link ends after half an hour, and another in its place ends it too", async () => {
  verifies("sign-in.first-run");
  await using place = new Place();
  const { users } = await place.open();
  let now = Date.now();
  const clock = () => now;
  const firstRun = new FirstRun({ users, attempts: new LoginThrottle(clock), now: clock, ids: systemIds });
  const tokenOf = (link: string): string => link.split("#")[1] ?? "";
  const complete = async (token: string): Promise<string> => {
    try {
      const wanted = { token, email: "ada@example.org", password: "correct horse battery" };
      return (await firstRun.complete(wanted, null)).role;
    } catch (error) {
      return error instanceof GuardError ? error.code : String(error);
    }
  };
  expect(await complete("x".repeat(43))).toBe("link_invalid");
  const first = tokenOf(firstRun.open("http://localhost:8787"));
  const second = tokenOf(firstRun.open("http://localhost:8787"));
  expect(await complete(first)).toBe("link_invalid");
  now += 30 * 60_000;
  expect(await complete(second)).toBe("link_invalid");
  const third = tokenOf(firstRun.open("http://localhost:8787"));
  now += 30 * 60_000 - 1;
  expect(await complete(third)).toBe("admin");
  expect(await complete(third)).toBe("link_invalid");
});
