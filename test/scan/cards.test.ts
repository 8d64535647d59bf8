import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { luhn } from "#core/checksums";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS, numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { actions, DEFAULT, found } from "./samples";

const GROUPS = ["4539", "1488", "0343", "6467"] as const;
const PLAIN = GROUPS.join("");
const REDACTED = ["pii.credit_card:redact"];
const NOTED = ["pii.credit_card:flag"];

const streamed = (text: string): string => {
  const scanner = new StreamScanner(DEFAULT, "output", LABELS);
  for (let i = 0; i < text.length; i += 3) scanner.push(text.slice(i, i + 3));
  scanner.end();
  return numbered(scanner.release(text.length).text);
};

describe("cards in the groups that people and extraction tools write", () => {
  test.each(["  ", "   ", "/", " / ", "\u00a0", "\u2009", "-", "--", " - ", "–", "—", ".", ". "])(
    "parted by %j, with no word near",
    (separator) => {
      verifies("scan.cards");
      const value = GROUPS.join(separator);
      expect(found(`It says ${value} there.`)).toEqual([`pii.credit_card=${value}`]);
      expect(actions(`It says ${value} there.`)).toEqual(REDACTED);
      expect(streamed(`It says ${value} there.`)).toBe("It says [pii.credit_card:1] there.");
    },
  );

  test.each([",", ", ", "|", " | ", "\n", "\r\n", " \n", "\t", "_"])(
    "parted by %j, where a card is spoken of",
    (separator) => {
      verifies("scan.cards");
      const value = GROUPS.join(separator);
      expect(actions(`Her card is ${value}, valid.`)).toEqual(REDACTED);
      // Lists of numbers are written so too.
      expect(actions(`It says ${value} there.`)).toEqual(NOTED);
    },
  );

  test("each digit by itself, and as keycaps", () => {
    verifies("scan.cards");
    expect(actions(`The card is ${[...PLAIN].join(" ")}.`)).toEqual(REDACTED);
    expect(streamed(`The card is ${[...PLAIN].join(" ")}.`)).toBe("The card is [pii.credit_card:1].");
    const keycaps = [...PLAIN].map((digit) => `${digit}\ufe0f\u20e3`).join("");
    expect(actions(`The card is ${keycaps}.`)).toEqual(REDACTED);
  });

  test("any mark or blanks between four groups, in whole texts and streams alike", () => {
    const blank = fc.constantFrom("", " ", "\u00a0");
    const separator = fc
      .tuple(blank, fc.constantFrom("-", "/", ".", ",", "|", " "), blank)
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(separator, (between) => {
        const value = GROUPS.join(between);
        expect(actions(`card: ${value}!`, "output")).toEqual(REDACTED);
        expect(streamed(`card: ${value}!`)).toBe("card: [pii.credit_card:1]!");
      }),
    );
  });
});

describe("digits without groups are a card's where something says so", () => {
  test.each([
    `card ${PLAIN}`,
    `{"cardNumber":"${PLAIN}"}`,
    `{"card": ${PLAIN}}`,
    `paid with ${PLAIN} on Monday`,
    `${PLAIN} is my Visa`,
    `${PLAIN} 12/29`,
    `${PLAIN}, exp 03/2031, cvv 123`,
    `name,card,city\nmain,${PLAIN},Leeds`,
    `Kreditkarte ${PLAIN}`,
    `tarjeta: ${PLAIN}`,
    `карта ${PLAIN}`,
    `信用卡${PLAIN}`,
    PLAIN,
  ])("%s", (text) => {
    verifies("scan.cards");
    expect(actions(text)).toEqual(REDACTED);
    expect(streamed(text)).toContain("[pii.credit_card:1]");
  });

  test.each([`block ${PLAIN} was read`, `"ad_id": ${PLAIN},`, `payment_id=${PLAIN}`, `discard ${PLAIN} now`])(
    "%s is only noted",
    (text) => {
      verifies("scan.ordinary-ids");
      expect(actions(text)).toEqual(NOTED);
    },
  );

  test("ids of 17 to 19 digits, which are no card's without a word, are nothing", () => {
    verifies("scan.ordinary-ids");
    const long = ["622126010012345678", "6221260100123456789", "4000123412341234562"].flatMap((head) =>
      [..."0123456789"].map((last) => head.slice(0, -1) + last).filter(luhn),
    );
    expect(long.length).toBeGreaterThan(2);
    expect(long.flatMap((id) => actions(`tweet ${id} said`))).toEqual([]);
  });

  test("marks that part no groups of cards do not make one", () => {
    verifies("scan.ordinary-ids");
    for (const mark of ["%", "+", "*", "#", "&", "!", "'"]) expect(found(GROUPS.join(mark))).toEqual([]);
  });

  test("rows of numbers, and paths, are only noted", () => {
    verifies("scan.ordinary-ids");
    expect(actions("4539 1488 0343 6467 2201 8812")).toEqual(NOTED);
    expect(actions("8812 4539 1488 0343 6467")).toEqual(NOTED);
    expect(actions("/data/4539/1488/0343/6467")).toEqual(NOTED);
  });

  test("cards in a row are cards, and so is one behind a line that ends in a number", () => {
    verifies("scan.cards");
    const card = GROUPS.join(" ");
    expect(actions(`${card} ${card}`)).toEqual([...REDACTED, ...REDACTED]);
    expect(actions(`x ${card} ${card} 5399 2617 0483 5269 y`)).toEqual([...REDACTED, ...REDACTED, ...REDACTED]);
    expect(streamed(`${card} ${card}`)).toBe("[pii.credit_card:1] [pii.credit_card:1]");
    expect(actions(`in 2024\n${card}\n2025`)).toEqual(REDACTED);
  });
});

test.each([
  "4111 1111 1111 1111",
  "4242424242424242",
  "card 5555 5555 5555 4444",
  "Amex 3782 822463 10005",
  "Visa 4000 0000 0000 0002",
  "card number: 6011111111111117",
])("published test number %s is only noted", (text) => {
  verifies("scan.published-examples");
  expect(actions(text)).toEqual(NOTED);
});

test("a time or a size is no card's number", () => {
  verifies("scan.cards");
  expect(actions("it took 6700307784881475 ms")).toEqual([]);
  expect(actions("read 6700307784881475 bytes")).toEqual([]);
  expect(actions("take 6700307784881475 my friend")).toEqual(["pii.credit_card:flag"]);
  expect(actions("card 6700307784881475 bytes")).toEqual(["pii.credit_card:redact"]);
});
