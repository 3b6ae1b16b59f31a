/**
 * Describes API errors for users. The API names fields by JSON pointer and rules by schema keyword, for programs;
 * users need the field's title and what to enter.
 */
import { splitWords, toWords } from "../ui/words.ts";

export interface Fault {
  readonly path: string;
  readonly message: string;
  /** The title of the field, if the server knows it. */
  readonly title?: string;
}

/** Titles of fields whose names are unclear. */
const TITLES: Readonly<Record<string, string>> = {
  intoId: "Target ticket",
  ticketId: "Ticket",
  incidentIds: "Incident",
  ciIds: "Affected item",
  assigneeId: "Assignee",
  teamId: "Team",
  callerId: "Caller",
  requestedFor: "Requested for",
  organisationId: "Organisation",
  body: "Text",
  acts: "Step",
  address: "E-mail address",
  onHoldReason: "Reason",
  ids: "Selection",
};

const FAULTS_MAX = 3;

/** Converts `/acts/1/set` to `Step 2, set` and `?limit` to `Limit`. */
export function toFieldTitle(path: string): string {
  const titles: string[] = [];
  for (const part of path.replace(/^[/?:]/, "").split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (name === "") continue;
    const last = titles.length - 1;
    // List positions are displayed starting at 1.
    if (/^\d+$/.test(name) && last >= 0) titles[last] = `${titles[last]} ${Number(name) + 1}`;
    else titles.push(TITLES[name] ?? splitWords(name.replace(/(?<=[a-z])Ids?$/, "")));
  }
  const [first = "", ...rest] = titles;
  return [first, ...rest.map((title) => title.charAt(0).toLowerCase() + title.slice(1))].join(", ");
}

type Rule = readonly [pattern: RegExp, words: string | ((...groups: string[]) => string)];

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "yes or no",
  array: "a list",
  object: "a group of fields",
  null: "empty",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "is not an e-mail address, such as name@example.com",
  "date-time": "is not a date with a time",
  date: "is not a date",
  uri: "is not an address, such as https://example.com",
  url: "is not an address, such as https://example.com",
};

const nameType = (types: string): string =>
  types
    .split(/ or |, /)
    .map((type) => TYPES[type] ?? type)
    .join(" or ");

const RULES: readonly Rule[] = [
  // Patterns for ticket references, which end with the format of the ticket number.
  [
    /^(?:does not have the right form|must match pattern).*?(INC|CHG|PRB|REQ)\b.*\\d\{7/,
    (letters) => `is not a ticket number, such as ${letters}0000012`,
  ],
  [/^does not have the right form: \^https\?:\/\/.*$/, "must begin with https:// or http://"],
  [/^does not have the right form.*$/, "has the wrong format"],
  [/^must match pattern.*$/, "has the wrong format"],
  [/^must match format "([^"]+)"$/, (format) => FORMATS[format] ?? "has the wrong format"],
  [/^must not have fewer than 1 (?:characters|items|properties)$/, "is required"],
  [
    /^must not have fewer than (\d+) (characters|items|properties)$/,
    (least, what) => `needs at least ${least} ${what === "properties" ? "fields" : what}`,
  ],
  [
    /^must not have more than (\d+) (characters|items|properties)$/,
    (most, what) =>
      what === "characters"
        ? `can have at most ${most} characters`
        : `can have at most ${most} ${what === "properties" ? "fields" : what}`,
  ],
  [/^must not have duplicate items$/, "has the same entry twice"],
  [/^must contain at least one field$/, "needs at least one field"],
  [/^is not a known field$/, "is not a valid field"],
  [/^must be >= (.+)$/, (least) => `must be at least ${least}`],
  [/^must be <= (.+)$/, (most) => `must be at most ${most}`],
  [/^must be > (.+)$/, (least) => `must be more than ${least}`],
  [/^must be < (.+)$/, (most) => `must be less than ${most}`],
  [/^must be multiple of (.+)$/, (step) => `must be a multiple of ${step}`],
  [
    /^must be one of (.+)$/,
    (values) => `must be one of ${values.split(", ").map(toValueWords).join(", ")}`,
  ],
  [
    /^must be (?:either )?((?:string|integer|number|boolean|array|object|null)(?:(?: or |, )(?:string|integer|number|boolean|array|object|null))*)$/,
    (types) => `must be ${nameType(types)}`,
  ],
  [/^must (?:match|be valid against) .*(?:schema|anyOf|oneOf).*$/, "has an invalid value"],
  [/^must be equal to constant$/, "has an invalid value"],
  [/^schema is false$/, "is not a valid field"],
];

const toValueWords = (value: string): string =>
  /^[a-z]+(_[a-z]+)+$/.test(value) ? toWords(value).toLowerCase() : value;

/** Rewrites schema validation messages without schema keywords; other messages are not changed. */
export function toPlainMessage(message: string): string {
  for (const [pattern, words] of RULES) {
    const found = pattern.exec(message);
    if (found) return typeof words === "string" ? words : words(...found.slice(1));
  }
  return message;
}

/**
 * Returns the first errors as sentences: "The ticket to merge into is not the number of a ticket, such as
 * INC0000012."
 */
export function describeFaults(faults: readonly Fault[]): string {
  const told = faults.slice(0, FAULTS_MAX).map(describeFault);
  const more = faults.length - told.length;
  return [...told, ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
}

/** Formats an error as a sentence. */
export function describeFault(fault: Fault): string {
  const sentence = `${titleOfFault(fault) || "The request"} ${toPlainMessage(fault.message)}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** A title replaces the last part of the path, which is the field name. */
function titleOfFault({ path, title }: Fault): string {
  if (title === undefined) return toFieldTitle(path);
  const place = toFieldTitle(path.slice(0, path.lastIndexOf("/")));
  return place === "" ? title : `${place}, ${title}`;
}

interface ProblemOfApi {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly Fault[];
}

/** Rewrites the texts of a problem document for users; paths and codes stay for programs. */
export function toPlainProblem<P extends ProblemOfApi>(problem: P): P {
  const { code, errors = [] } = problem;
  if (errors.length === 0) return problem;
  const plain = errors.map((fault) => ({ ...fault, message: toPlainMessage(fault.message) }));
  const detail = code === "invalid" ? describeFaults(errors) : problem.detail;
  return { ...problem, errors: plain, ...(detail !== undefined && { detail }) };
}
