import { expect, test } from "bun:test";
import fc from "fast-check";
import { claimAt, isDomainAllowed, type OidcRules, provedAt, roleTold, verifiedEmail } from "#model/oidc";
import { emailKey, goodEmail, isPlainEmail, ROLES } from "#model/person";
import { verifies } from "#test/support/verifies";

const RULES: OidcRules = {
  issuer: "https://login.example.org",
  name: "Example",
  allowedDomains: ["example.org"],
  newUsers: "create",
  emailVerifiedClaim: "email_verified",
  roleClaim: "groups",
  roleMap: { admins: "admin", readers: "auditor" },
  defaultRole: "member",
};

test("only what a provider says in so many words verifies an address", () => {
  verifies("oidc.verified");
  const email = "ada@example.org";
  for (const yes of [true, "true", 1, "1"]) expect(verifiedEmail({ email, email_verified: yes }, RULES)).toBe(email);
  for (const no of [false, "false", 0, "0", "", null, undefined, "yes", [true], {}, 2])
    expect(verifiedEmail({ email, email_verified: no }, RULES)).toBeNull();
  expect(verifiedEmail({ email: [email], email_verified: true }, RULES)).toBeNull();
  const entra = { ...RULES, emailVerifiedClaim: "xms_edov" };
  expect(verifiedEmail({ email, email_verified: true }, entra)).toBeNull();
  expect(verifiedEmail({ email, xms_edov: true }, entra)).toBe(email);
});

test("e-mail addresses that look like or fold to another are refused", () => {
  verifies("oidc.verified", "sign-in.address");
  const odd = ["\u212aelvin@example.org", "a\u200bda@example.org", "ada@example.org\u0000", "ada@ex\u00adample.org"];
  odd.push(
    "\uff41da@example.org",
    "\u0130da@example.org",
    "ada@example.org\ufe0f",
    "ada@\u202eexample.org",
    "a da@x.org",
  );
  for (const email of odd) {
    expect([email, verifiedEmail({ email, email_verified: true }, RULES)]).toEqual([email, null]);
    expect(() => goodEmail(email)).toThrow("must be an e-mail address");
  }
  for (const email of ["j\u00f6rg@example.org", "\u738b@\u4f8b\u5b50.example", "o'neil+x@example.org"]) {
    expect([verifiedEmail({ email, email_verified: true }, RULES), goodEmail(email)]).toEqual([email, email]);
  }
  // Of all characters there are none is taken that folds to ASCII.
  const taken: string[] = [];
  for (let point = 0x80; point <= 0x10ffff; point += 1) {
    const letter = String.fromCodePoint(point);
    if (isPlainEmail(letter) && /[\x00-\x7f]/.test(emailKey(letter))) taken.push(letter);
  }
  expect(taken).toEqual([]);
});

test("a domain is the whole of what stands behind the last @", () => {
  verifies("oidc.who");
  fc.assert(
    fc.property(fc.string(), fc.string(), (name, domain) => {
      const isAllowed = isDomainAllowed(`${name}@${domain}`, RULES);
      expect(isAllowed).toBe(domain.toLowerCase() === "example.org" && name !== "");
    }),
  );
  expect(isDomainAllowed("ada@Example.ORG", RULES)).toBe(true);
  expect(isDomainAllowed("ada@example.org@evil.test", RULES)).toBe(false);
});

test("no claim gives a role that the operator's map does not", () => {
  verifies("oidc.roles");
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const role = roleTold({ groups: value }, RULES);
      const names = Array.isArray(value) ? value : [value];
      const expected = names.includes("admins") ? "admin" : names.includes("readers") ? "auditor" : "member";
      expect(role).toBe(expected);
    }),
  );
  for (const name of ["constructor", "__proto__", "toString", ...ROLES])
    expect(roleTold({ groups: [name] }, RULES)).toBe("member");
  expect(roleTold({ groups: ["readers", "admins"] }, RULES)).toBe("admin");
  expect(roleTold({ groups: ["admins"] }, { ...RULES, roleClaim: null })).toBeNull();
});

test("groups that the provider keeps back are not taken for none", () => {
  verifies("oidc.roles");
  expect(roleTold({ _claim_names: { groups: "src1" } }, RULES)).toBe("untold");
  expect(roleTold({ _claim_names: { other: "src1" } }, RULES)).toBe("member");
  expect(roleTold({ _claim_names: { groups: "src1" }, groups: ["readers"] }, RULES)).toBe("auditor");
});

test("a claim is found by its name, dots and all, else by its path", () => {
  verifies("oidc.roles");
  const claims = { "https://example.org/roles": ["a"], realm_access: { roles: ["b"] } };
  expect(claimAt(claims, "https://example.org/roles")).toEqual(["a"]);
  expect(claimAt(claims, "realm_access.roles")).toEqual(["b"]);
  for (const path of ["realm_access.none", "realm_access.roles.length", "constructor.name", "", "."])
    expect(claimAt(claims, path)).toBeUndefined();
});

test("OIDC: auth_time must be a number and not in the future", () => {
  verifies("oidc.fresh");
  fc.assert(
    fc.property(fc.anything(), fc.nat(), (at, now) => {
      const proved = provedAt({ auth_time: at }, now);
      expect(proved).toBeLessThanOrEqual(now);
    }),
  );
  expect(provedAt({ auth_time: 5 }, 9_000)).toBe(5_000);
  expect(provedAt({}, 9_000)).toBe(9_000);
});
