import { isRecord } from "#core/json/json";
import { knownReason } from "#guard/call-outcome";

/** A longer message of a provider about its own error is left out. In UTF-16 units. */
const MAX_MESSAGE_LENGTH = 1_000;

/** The message in an error that a provider reports inside a stream, as it came: to be scanned. */
export const reportedMessage = (error: unknown): string | null => {
  const message = isRecord(error) ? error["message"] : error;
  if (typeof message !== "string" || message.length > MAX_MESSAGE_LENGTH) return null;
  const text = message.trim();
  return text === "" ? null : text;
};

/**
 * What is said of an error that a provider reports inside a stream: its word for it (`overloaded_error`), where it has
 * one, and its scanned message.
 */
export const reportedFault = (error: unknown, scanned: string | null): string => {
  const { type, code } = isRecord(error) ? error : {};
  const word = [code, type].find((one) => typeof one === "string" && knownReason(one) === one);
  const message = scanned === null ? undefined : withoutAddresses(scanned);
  const begin = `The provider reported an error in the middle of its answer${word === undefined ? "" : ` (${word})`}`;
  return message === undefined ? `${begin}.` : `${begin}: ${message}`;
};

/** A provider's message of its own error without addresses: they may be of the operator's networks. */
export const withoutAddresses = (message: string): string =>
  message.replace(/\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/gi, "[address]");
