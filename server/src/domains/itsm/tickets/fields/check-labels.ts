import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { assertNoErrors, type FieldError } from "#kernel/operation/failure.ts";
import { idPattern } from "#kernel/schema/id.ts";
import type { TicketKindName } from "../kind.ts";
import { ticketKinds } from "../ticket.ts";
import { type FieldDefinition, readFieldDefinitions } from "./field.ts";

/** The tags and custom fields of a ticket. */
export type Labels = {
  readonly tags?: string[];
  readonly fields?: Record<string, unknown>;
};

/**
 * The labels of a ticket after an input. Throws 422 for an unknown field, a wrong type or a missing required field.
 * The result contains only fields of the input, so it can be spread over the ticket.
 */
export async function checkLabels(
  ctx: ReadContext,
  kind: TicketKindName,
  input: Labels,
  before?: Labels,
): Promise<Labels> {
  const tags = input.tags && { tags: toTags(input.tags) };
  // Existing tickets may lack required fields. They are checked only when fields are set.
  if (before && !input.fields) return { ...tags };
  const definitions = await readFieldDefinitions(ctx.tx, kind);
  const given = input.fields ?? {};
  const fields = mergeFields(before?.fields ?? {}, given);
  const errors = [
    ...Object.entries(given).flatMap(([key, value]) => checkValue(definitions, key, value)),
    ...(await checkPeople(ctx, definitions, given)),
    ...definitions
      .filter(({ key, isRequired }) => isRequired && !(key in fields))
      .filter(({ key }) => (before ? key in given : fillsForms(ctx, kind)))
      .map(({ key }) => ({ path: `/fields/${key}`, message: "is required" })),
  ];
  assertNoErrors(errors);
  return { ...(before ? tags : { tags: [], ...tags }), fields };
}

/** True for agents. Requesters and automations do not know the required fields. */
function fillsForms({ caller, services }: ReadContext, name: TicketKindName): boolean {
  const write = ticketKinds(services).find(({ kind }) => kind === name)?.write;
  return caller.actor.type === "user" && write !== undefined && caller.permissions.has(write.name);
}

/** Normalises tags: lower case, unique and sorted. */
export function toTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].toSorted();
}

function mergeFields(
  before: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const all = Object.entries({ ...before, ...given }).filter(([, value]) => value !== null);
  return Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function checkValue(
  definitions: readonly FieldDefinition[],
  key: string,
  value: unknown,
): FieldError[] {
  const definition = definitions.find((one) => one.key === key);
  const path = `/fields/${key}`;
  if (!definition) return [{ path, message: "is not a field of this kind of ticket" }];
  const message = value === null ? undefined : CHECKS[definition.type](value, definition);
  return message === undefined ? [] : [{ path, message }];
}

const TEXT_CHARACTERS_MAX = 5_000;
const DAY = /^(19|[2-9]\d)\d\d-\d\d-\d\d$/;
const USER = new RegExp(idPattern("usr"));

type Check = (value: unknown, definition: FieldDefinition) => string | undefined;

/** Validates values by field type. Returns the error. */
const CHECKS: Readonly<Record<FieldDefinition["type"], Check>> = {
  text: (value) =>
    isText(value) ? undefined : `must be a string of at most ${TEXT_CHARACTERS_MAX} characters`,
  number: (value) => (Number.isFinite(value) ? undefined : "must be a number"),
  boolean: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  date: (value) => (isDay(value) ? undefined : "must be a date, such as `2026-12-05`"),
  choice: (value, { choices = [] }) =>
    choices.some((choice) => choice === value)
      ? undefined
      : `must be one of: ${choices.slice(0, 20).join(", ")}`,
  user: (value) =>
    typeof value === "string" && USER.test(value) ? undefined : "must be the id of a member",
};

function isText(value: unknown): boolean {
  return (
    typeof value === "string" &&
    value.length <= TEXT_CHARACTERS_MAX &&
    value.isWellFormed() &&
    !value.includes("\u0000")
  );
}

function isDay(value: unknown): boolean {
  if (typeof value !== "string" || !DAY.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

async function checkPeople(
  { tx }: ReadContext,
  definitions: readonly FieldDefinition[],
  given: Readonly<Record<string, unknown>>,
): Promise<FieldError[]> {
  const named = definitions.flatMap(({ key, type }) => {
    const value = given[key];
    return type === "user" && typeof value === "string" && USER.test(value) ? [{ key, value }] : [];
  });
  if (named.length === 0) return [];
  const members = await findMembersByIds(tx, [...new Set(named.map(({ value }) => value))]);
  const known = new Set(members.map(({ id }) => id));
  return named
    .filter(({ value }) => !known.has(value))
    .map(({ key }) => ({ path: `/fields/${key}`, message: "is not the id of an active member" }));
}
