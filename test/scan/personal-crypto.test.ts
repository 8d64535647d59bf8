import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isBech32 } from "#scan/detectors/personal/crypto/address";
import { actions, found } from "./samples";

/** Published by the chains themselves, as examples or as their first address. */
const ADDRESSES = [
  "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
  "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
  "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
  "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9",
  "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L",
  "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
  "t1VShHAhsQc5RVndQLyM1ZbQXLHKd35GkG1",
  "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7",
  "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x",
  "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A",
];

describe("addresses of money on a chain", () => {
  test.each(ADDRESSES)("%s", (address) => {
    expect(found(`Send it to ${address}, please.`)).toEqual([`pii.crypto_address=${address}`]);
    expect(actions(address)).toEqual(["pii.crypto_address:flag"]);
  });

  test("one other character is noticed", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ADDRESSES), fc.nat(), fc.constantFrom(..."a2Z7q"), (address, at, char) => {
        const i = 6 + (at % (address.length - 6));
        fc.pre(address.charAt(i).toLowerCase() !== char.toLowerCase());
        const changed = address.slice(0, i) + char + address.slice(i + 1);
        expect(found(`see ${changed} there`).filter((one) => one.startsWith("pii.crypto"))).toEqual([]);
      }),
    );
  });

  test("crypto addresses without checksum need a cue word; digests are not flagged", () => {
    const lower = "0xde709f2102306220921060314715629080e2fb77";
    const solana = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
    expect(found(`my ETH wallet is ${lower}`)).toEqual([`pii.crypto_address=${lower}`]);
    expect(found(`commit hash ${lower}, ${"0x".padEnd(42, "0")}, ${lower}ab`)).toEqual([]);
    expect(found(`Solana: ${solana}`)).toEqual([`pii.crypto_address=${solana}`]);
    expect(found(`blob ${solana}`)).toEqual([]);
  });

  test("BIP 173 takes no mixed case", () => {
    const address = ADDRESSES[2] ?? "";
    expect([address, address.toUpperCase(), `BC${address.slice(2)}`].map(isBech32)).toEqual([true, true, false]);
  });
});
