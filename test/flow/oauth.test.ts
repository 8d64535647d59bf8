import { expect, test } from "bun:test";
import { issuedOf, OAuthHouse } from "#test/flow/oauth-house";

test("a client registers, a person consents, tokens open the gateway", async () => {
  await using house = await OAuthHouse.open();
  const browser = await house.signedIn();
  const client = await house.register();
  const { access, refresh } = await house.connect(browser, client);
  expect(await house.names(access)).toContain("fix__echo");
  const again = await issuedOf(await house.refresh(client, refresh));
  expect(await house.names(again.access)).toContain("fix__echo");
});
