/** Formats a run's response as readable text. */
import { isFileReference } from "#domains/files/index.ts";
import type { RunAnswer } from "./run-answer.ts";

const NAMES = ["text", "answer", "output", "message", "response"];
const CHARACTERS_MAX = 100_000;

/** Converts a response to text: a string unchanged, the text-like field of an object, or JSON. */
export function toAnswerText({ response }: Pick<RunAnswer, "response">): string | undefined {
  // A file is the complete response.
  if (response && "file" in response) return "";
  const body = response?.body;
  if (body === undefined) return undefined;
  const isJson = response?.headers["content-type"]?.startsWith("application/json") ?? false;
  return (isJson ? readJsonText(body) : body).slice(0, CHARACTERS_MAX);
}

/** A step can label text as JSON that is not valid JSON. */
function readJsonText(body: string): string {
  try {
    return toText(JSON.parse(body));
  } catch {
    return body;
  }
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isFileReference(value)) return "";
  const [only] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [value];
  const fields = Object(only) as Record<string, unknown>;
  const named = NAMES.map((name) => fields[name]).find((one) => typeof one === "string");
  return typeof named === "string" ? named : JSON.stringify(value, null, 2);
}
