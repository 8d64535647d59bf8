import { describe, expect, test } from "bun:test";
import { Random } from "#test/eval/random";
import { verifies } from "#test/support/verifies";
import { FIELD_NAMES } from "./honest/field-names";
import { actions, found, scan } from "./samples";

describe("numbers of something else", () => {
  test.each([
    "Kundennummer 030 1234567",
    "Kontakt: Kundennummer 030 1234567",
    "Steuernummer 12/345/67890",
    "Versicherungsnummer 12 345678 A 901",
    "personnummer 850505-1234",
    "bestelnummer 06 12345678",
    "numéro de sécurité sociale 1 85 05 78 006 084 91",
    "numéro de commande 06 12 34 56 78",
    "número de pedido 91 234 56 78",
    "numero di fattura 06 1234 5678",
    "número do processo 21 2345 6789",
    "nomor pesanan 0812 3456 789",
    "NHS number 943 476 5919",
    "Your order number: 212-456-7890",
    "Policy no. (212) 456-7890",
  ])("are no telephone numbers: %s", (text) => {
    verifies("scan.national-phones");
    expect(found(text).filter((one) => one.startsWith("pii.phone"))).toEqual([]);
  });

  test.each([
    "Rufnummer 030 1234567",
    "Handynummer 0171 2345678",
    "número de teléfono 612 345 678",
    "Meine Nummer: 030 1234567",
  ])("and a telephone's number stays one: %s", (text) => {
    verifies("scan.national-phones");
    expect(found(text).map((one) => one.split("=")[0])).toEqual(["pii.phone"]);
  });
});

describe("telephone numbers in national form, behind words of the language", () => {
  test.each([
    ["Phone: ", "020 7946 0958"],
    ["Call me on ", "07700 900123"],
    ["Durchwahl: ", "089 32168 230"],
    ["Sie erreichen mich unter ", "0151 23456789"],
    ["Festnetz: ", "044 668 18 00"],
    ["Vous pouvez me joindre au ", "06 12 34 56 78"],
    ["Tél. fixe ", "04 78 12 34 56"],
    ["Llámame al ", "612 34 56 78"],
    ["Móvil: ", "612 345 678"],
    ["Chiamami al ", "347 123 4567"],
    ["Recapito: ", "333 1234567"],
    ["Telemóvel: ", "912 345 678"],
    ["Ligue para ", "(21) 2345-6789"],
    ["Telefoon: ", "020 123 4567"],
    ["Bel me op ", "06-12345678"],
    ["Komórka: ", "601 234 567"],
    ["zadzwoń do mnie: ", "601 234 567"],
    ["Телефон: ", "8 (495) 123-45-67"],
    ["сотовый ", "89161234567"],
    ["ТЕЛЕФОН ", "8 916 123 45 67"],
    ["座机 ", "021-62345678"],
    ["微信同号 ", "13912345678"],
    ["連絡先 ", "080-1234-5678"],
    ["携帯:", "090-1234-5678"],
    ["핸드폰: ", "010 1234 5678"],
    ["연락처 ", "010-9876-5432"],
    ["κινητό ", "6912345678"],
    ["Cep telefonu: ", "0532 123 45 67"],
  ])("%s%s", (words, number) => {
    verifies("scan.national-phones");
    expect(found(words + number)).toEqual([`pii.phone=${number}`]);
    // A word says nothing about numbers of another country, or of none.
    expect(found(`Recapito ${"4".repeat(11)}`)).toEqual([]);
  });

  test("drawn numbers under common field names are none", () => {
    verifies("scan.national-phones", "scan.ordinary-ids");
    const random = new Random(20_261_127);
    const names = FIELD_NAMES.filter((name) => !/phone|mobile|cell|tel|fax|contact|call/i.test(name));
    expect(names.length).toBeGreaterThanOrEqual(150);
    const wrong: string[] = [];
    let texts = 0;
    for (const name of names) {
      for (let length = 7; length <= 12; length++) {
        const id = String(random.between(1, 9)) + random.digits(length - 1);
        for (const text of [`${name}: ${id}`, `{"${name}":"${id}"}`, `${name}=${id} ok`]) {
          texts++;
          if (scan(text, "tool_result").findings.some(({ type }) => type === "pii.phone")) wrong.push(text);
        }
      }
    }
    expect(texts).toBeGreaterThan(2500);
    expect(wrong.length <= texts / 1000 ? [] : wrong.slice(0, 20)).toEqual([]);
  });
});

describe("numbers of patients and of health insurance are flagged behind words for them", () => {
  test.each([
    ["Medical record number: ", "00123456"],
    ["patient number ", "4567812"],
    ["numéro de patient : ", "123456"],
    ["número de historia clínica: ", "123456"],
    ["codice paziente ", "4455667"],
    ["numer pacjenta ", "1234567"],
    ["номер полиса ОМС ", "7700 0012 3456 7890"],
    ["病历号 ", "1234567"],
    ["患者番号 ", "1234567"],
    ["환자번호 ", "12345678"],
  ])("%s%s", (words, number) => {
    verifies("scan.health-numbers");
    expect(found(words + number)).toEqual([`pii.health_id=${number}`]);
    expect(actions(words + number)).toEqual(["pii.health_id:flag"]);
  });

  test("a national health service's number by its check digits", () => {
    verifies("scan.health-numbers");
    expect(actions("NHS No 9434765919")).toEqual(["pii.health_id.gb:flag"]);
  });
});
