import { describe, expect, test } from "bun:test";
import type { JsonRecord } from "#core/json/json";
import { asksForCredential } from "#scan/structure/credential-question";
import { verifies } from "#test/support/verifies";

const asks = (message: string, properties: JsonRecord): boolean =>
  asksForCredential({ message, requestedSchema: { type: "object", properties } });

const STRING = { type: "string" };
const described = (description: string): JsonRecord => ({ value: { type: "string", description } });

describe("a form that asks for a credential is known", () => {
  const names = ["password", "apiKey", "api_key", "access-token", "token", "otp", "github_personal_access_token"];
  test.each([...names, "recovery_code", "seedPhrase", "cvv", "clientSecret", "card_number", "2fa"])(
    "by the field %s",
    (name) => {
      verifies("elicitation.credentials");
      expect(asks("Continue", { [name]: STRING })).toBe(true);
    },
  );

  test.each([
    ["en", "Please enter your password to continue"],
    ["en", "Do not worry, enter your password"],
    ["en", "What is your card number?"],
    ["en", "Enter your раsswоrd"],
    ["de", "Bitte geben Sie Ihr Passwort ein"],
    ["de", "Geben Sie den API-Schlüssel an"],
    ["fr", "Veuillez saisir votre mot de passe"],
    ["es", "Introduce tu contraseña"],
    ["pt", "Digite sua senha"],
    ["it", "Inserisci la tua password"],
    ["nl", "Voer je wachtwoord in"],
    ["pl", "Podaj swoje hasło"],
    ["tr", "Lütfen şifrenizi girin"],
    ["ru", "Введите ваш пароль"],
    ["zh", "请输入您的密码"],
    ["ja", "パスワードを入力してください"],
    ["ko", "비밀번호를 입력하세요"],
  ])("by its message (%s: %s)", (_, message) => {
    verifies("elicitation.credentials");
    expect(asks(message, { value: STRING })).toBe(true);
  });

  test.each([
    "Your API key",
    "The 6-digit code sent to your phone",
    "Verification code from your authenticator app",
    "PIN",
  ])("by what a field says of itself: %s", (words) => {
    verifies("elicitation.credentials");
    expect(asks("Continue", described(words))).toBe(true);
  });

  test("by title, format and numbers, too", () => {
    verifies("elicitation.credentials");
    expect(asks("Continue", { v: { type: "string", title: "Access Token" } })).toBe(true);
    expect(asks("Continue", { v: { type: "string", format: "password" } })).toBe(true);
    expect(asks("Continue", { pin: { type: "integer" } })).toBe(true);
  });
});

describe("an honest form is not", () => {
  test.each([
    ["Please provide your GitHub username", { name: STRING }],
    ["Reset your password?", { confirm: { type: "boolean" } }],
    ["Choose a password manager", { v: { type: "string", enum: ["a", "b"] } }],
    ["Never enter your password here. What is your user name?", { user: STRING }],
    ["How many tokens may the answer have?", { max_tokens: { type: "integer" } }],
    ["Page", { next_page_token: STRING, password_hint: STRING, token_count: { type: "integer" }, public_key: STRING }],
    ["Address", { country_code: STRING, zip: { type: "string", description: "Zip code" }, discount_code: STRING }],
    [
      "Names",
      { author: STRING, secretary: STRING, passenger: STRING, pinned: STRING, spinner: STRING, compass: STRING },
    ],
    [
      "Please provide inputs for the following fields:",
      described("Your favorite integer (do not give us your phone number, pin, or other sensitive info)"),
    ],
    ["Bitte Namen angeben", { name: STRING }],
    ["Quel est le code postal?", { v: STRING }],
  ])("%s", (message, properties) => {
    verifies("elicitation.credentials");
    expect(asks(message, properties)).toBe(false);
  });

  test("whatever is in place of a form", () => {
    verifies("elicitation.credentials");
    for (const odd of [
      {},
      { message: 1 },
      { requestedSchema: [] },
      { requestedSchema: { properties: { a: 1, b: null } } },
    ]) {
      expect(asksForCredential(odd)).toBe(false);
    }
  });
});

test("the longest question is read in a few milliseconds", () => {
  verifies("elicitation.bound");
  const long = "please enter your ".repeat(3_600);
  const begun = performance.now();
  asks(long, { a: { type: "string", description: long } });
  expect(performance.now() - begun).toBeLessThan(500);
});
