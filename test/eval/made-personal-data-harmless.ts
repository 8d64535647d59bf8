import { luhnDigit } from "./made-personal-data";
import { ALNUM, type Random, UPPER } from "./random";

const at = (random: Random): string =>
  `2026-0${random.between(1, 9)}-${random.between(10, 28)}T${random.between(10, 23)}:${random.between(10, 59)}:${random.between(10, 59)}`;

/** What people and machines number, other than people: no word says that it is a person's. */
export const LOOK_ALIKES: readonly ((random: Random) => string)[] = [
  (random) => `ISBN 978-${random.between(0, 9)}-${random.digits(4)}-${random.digits(4)}-${random.digits(1)}`,
  (random) => `EAN ${random.pick(["400", "500", "871"])}${random.digits(10)} in stock`,
  (random) => `UPS 1Z${random.text(6, UPPER)}${random.digits(10)} is on its way`,
  (random) => `parcel ${random.text(2, UPPER)}${random.digits(9)}${random.pick(["DE", "US", "CN"])} left Leeds`,
  (random) => `USPS 94${random.digits(20)}`,
  (random) => `took from 17${random.digits(11)} to 17${random.digits(14)}`,
  (random) =>
    `${at(random)}.${random.digits(6)}Z INFO worker-${random.digits(2)} pid=${random.digits(5)} took ${random.digits(4)}ms`,
  (random) => `INV-2026${random.digits(4)}-${random.digits(4)}, PO ${random.digits(10)}`,
  (random) => `SKU ${random.text(3, UPPER)}-${random.digits(4)}-${random.digits(3)} x ${random.digits(2)}`,
  (random) => `${random.between(1, 89)}.${random.digits(7)}° N, ${random.between(1, 170)}.${random.digits(7)}° E`,
  (random) => `$${random.between(1, 999)},${random.digits(3)},${random.digits(3)}.${random.digits(2)} in total`,
  (random) => `${random.digits(6)} * ${random.digits(7)} = ${random.digits(13)}`,
  (random) => `0000${random.hex(4)}  ${Array.from({ length: 8 }, () => random.hex(2)).join(" ")}`,
  (random) => `tx 0x${random.hex(64)}`,
  (random) => `commit hash 0x${random.hex(40)}`,
  (random) => `blob ${random.text(34, ALNUM)} and ${random.text(44, ALNUM)}`,
  (random) => `v${random.below(9)}.${random.below(30)}.${random.below(99)}-${random.digits(2)}-g${random.hex(7)}`,
  (random) =>
    `doi:10.${random.between(1000, 9999)}/${random.digits(8)}, arXiv:24${random.between(10, 12)}.${random.digits(5)}`,
  (random) => `pod web-${random.hex(10)}-${random.hex(5)} on node-${random.digits(3)}`,
  (random) => `firmware 1${random.below(9)}.${random.below(9)}.${random.below(9)}.${random.below(99)} released`,
  (random) =>
    `rows ${random.digits(3)} ${random.digits(3)} ${random.digits(3)}; ${random.digits(4)} ${random.digits(4)}`,
  (random) => `id,count\n${random.digits(7)},${random.digits(8)}\n${random.digits(9)},${random.digits(3)}`,
  (random) => `serial ${random.digits(15)}, lot ${random.digits(4)} ${random.digits(4)} ${random.digits(4)}`,
  (random) =>
    `M${random.digits(2)} ${random.digits(3)}.${random.digits(2)}L${random.digits(3)} ${random.digits(2)}.${random.digits(3)}Z`,
  (random) => `{"ts":17${random.digits(8)},"seq":${random.digits(12)},"shard":${random.digits(2)}}`,
  (random) => `page ${random.digits(3)}-${random.digits(3)}, vol. ${random.digits(2)}(${random.digits(1)})`,
  (random) => `article ${random.digits(8)}-${random.digits(2)} at ${random.digits(2)}-${random.digits(7)}`,
  (random) => {
    const body = `5${random.digits(14)}`;
    return `meter reads ${body}${(Number(luhnDigit(body)) + 3) % 10}`;
  },
  (random) =>
    `matches ${random.between(1, 9)}:${random.between(10, 59)}, ratio ${random.digits(2)}/${random.digits(2)}/${random.digits(4)}`,
];
