type Issuer = { readonly ranges: readonly (readonly [number, number])[]; readonly lengths: readonly number[] };

/** Ranges of the first six digits. Sources: the issuers' published BIN ranges, ISO/IEC 7812. */
const ISSUERS: readonly Issuer[] = [
  { ranges: [[400000, 499999]], lengths: [16, 19, 13] },
  {
    ranges: [
      [510000, 559999],
      [222100, 272099],
    ],
    lengths: [16],
  },
  {
    ranges: [
      [340000, 349999],
      [370000, 379999],
    ],
    lengths: [15],
  },
  {
    ranges: [
      [300000, 305999],
      [309500, 309599],
      [360000, 369999],
      [380000, 399999],
    ],
    lengths: [14, 16, 19],
  },
  {
    ranges: [
      [601100, 601199],
      [644000, 659999],
    ],
    lengths: [16, 19],
  },
  { ranges: [[352800, 358999]], lengths: [16, 19] },
  {
    ranges: [
      [180000, 180099],
      [213100, 213199],
    ],
    lengths: [15],
  },
  {
    ranges: [
      [620000, 629999],
      [810000, 817199],
    ],
    lengths: [16, 17, 18, 19],
  },
  {
    ranges: [
      [500000, 509999],
      [560000, 589999],
      [630000, 639999],
      [670000, 679999],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  },
  { ranges: [[220000, 220499]], lengths: [16] },
];

/** Whether some issuer gives out numbers of this beginning and length. */
export function isIssued(digits: string): boolean {
  const head = Number(digits.slice(0, 6));
  return ISSUERS.some(
    ({ ranges, lengths }) =>
      lengths.includes(digits.length) && ranges.some(([low, high]) => head >= low && head <= high),
  );
}

/**
 * Numbers that processors and issuers publish for tests, which are in documents and examples everywhere and open no
 * account. Sources: the testing pages of Stripe, PayPal, Adyen, Braintree and Worldpay.
 */
const PUBLISHED: ReadonlySet<string> = new Set(
  (
    "4111111111111111 4242424242424242 4012888888881881 4000056655665556 4444333322221111 4222222222222 " +
    "4917610000000000 4462030000000000 4005519200000004 4009348888881881 4012000033330026 4012000077777777 " +
    "4217651111111119 4500600000000061 4000002500003155 4000002760003184 4000003800000446 4000000000009995 " +
    "5555555555554444 5105105105105100 5200828282828210 5454545454545454 5431111111111111 5424000000000015 " +
    "5555341244441115 5425233430109903 2223003122003222 2223000048400011 2222420000001113 2222630000001125 " +
    "5555555555555557 378282246310005 371449635398431 378734493671000 370000000000002 341111111111111 " +
    "6011111111111117 6011000990139424 6011981111111113 6011000000000004 6011601160116611 3056930009020004 " +
    "36227206271667 30569309025904 38520000023237 36700102000000 3530111333300000 3566002020360505 " +
    "3566111111111113 3569990010095841 6200000000000005 6205500000000000004 6771798021000008 6304000000000000 " +
    "5019717010103742 6331101999990016 6799990100000000019 6759649826438453 5641821000010028"
  ).split(" "),
);
/** Most digits nothing but filling: `4000 0000 0000 0002`. */
const FILLED = /0{8}|(\d)\1{7}/;

/** Whether a number is a published example, or made like one. */
export const isTestCard = (digits: string): boolean => PUBLISHED.has(digits) || FILLED.test(digits);
